/**
 * The viewer as an output of a notebook: what `anywidget` calls with a model of data and a place in the page.
 *
 * It lives in a shadow tree, so that neither styles nor the ids of elements are shared with the page around it, or with
 * another output of the same kind.
 */

import "../view/language.ts";
import { render } from "preact";
import { useMemo } from "preact/hooks";
import type { Document } from "../model/document.ts";
import { unpacked, type Planned } from "../model/inline.ts";
import { Theme } from "../view/hooks.ts";
import { Above } from "../view/part.tsx";
import { storeOf } from "../view/run.tsx";
import { Whole } from "../view/whole.tsx";
import dark from "../style/dark.css?text";
import look from "./notebook.css?text";
import { themeAround, watchTheme } from "./theme.ts";

/** What of anywidget's model is used: the traits of the widget in Python. */
interface Model {
  /** The document, as JSON. */
  get(trait: "document"): string;
  /** The packed bytes of its chunks, by their names. */
  get(trait: "chunks"): Record<string, DataView<ArrayBuffer>>;
}

/** A notebook has a title and sections; what is below them begins at the third level. */
const LEVELS_ABOVE = 2;

/** Documents of models that are shown: one may be shown in several places. */
const documents = new WeakMap<Model, Promise<Document>>();

function documentOf(model: Model): Promise<Document> {
  let found = documents.get(model);
  if (found === undefined) {
    const chunks = model.get("chunks");
    found = unpacked(JSON.parse(model.get("document")) as Planned, (name) => {
      const { buffer, byteOffset, byteLength } = chunks[name]!;
      return new Uint8Array(buffer, byteOffset, byteLength);
    });
    documents.set(model, found);
  }
  return found;
}

function Output({ found, theme }: { found: Document; theme: string }) {
  const store = useMemo(() => (found.run === undefined ? null : storeOf(found.run)), [found]);
  return (
    <Above.Provider value={LEVELS_ABOVE}>
      <Theme.Provider value={theme}>
        <Whole found={found} store={store} />
      </Theme.Provider>
    </Above.Provider>
  );
}

function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

/** Shows a model in an element; gives what takes it away again. */
function show({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  // JupyterLab takes keys for commands of its own, such as 0 0 for a new kernel, unless an element forbids it.
  host.setAttribute("data-lm-suppress-shortcuts", "true");
  const root = host.attachShadow({ mode: "open" });
  const frame = document.createElement("div");
  frame.className = "frame";
  root.append(frame);
  el.append(host);

  const sheets = { light: [sheetOf(look)], dark: [sheetOf(look), sheetOf(dark)] };
  let found: Document | null = null;
  let isGone = false;
  const draw = () => {
    if (isGone) return;
    const theme = themeAround(el);
    root.adoptedStyleSheets = sheets[theme];
    if (found !== null) render(<Output found={found} theme={theme} />, frame);
  };
  draw();
  const leave = watchTheme(draw);
  documentOf(model).then(
    (ready) => {
      found = ready;
      draw();
      host.dataset["ready"] = "true";
    },
    (error: unknown) => {
      frame.textContent = `This result cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    },
  );
  return () => {
    isGone = true;
    leave();
    render(null, frame);
    host.remove();
  };
}

export default { render: show };
