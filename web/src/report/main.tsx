/** The page of a report: reads the document that stands in it, and shows it. */

import "../view/language.ts";
import { render } from "preact";
import { useMemo } from "preact/hooks";
import type { Document } from "../model/document.ts";
import { documentOf } from "../model/inline.ts";
import type { State } from "../model/store.ts";
import { storeOf } from "../view/run.tsx";
import { Whole } from "../view/whole.tsx";
import "../style/theme.css";
import "../style/page.css";

declare global {
  interface Window {
    /** What the page shows, for tests and for those who look into it. */
    faircast?: { document: Document; state?: () => State };
  }
}

function Page({ found }: { found: Document }) {
  const store = useMemo(() => (found.run === undefined ? null : storeOf(found.run)), [found]);
  if (store !== null) window.faircast = { document: found, state: () => store.state };
  return <Whole found={found} store={store} />;
}

async function begin(): Promise<void> {
  const home = document.getElementById("page")!;
  try {
    const found = await documentOf(document);
    home.textContent = "";
    window.faircast = { document: found };
    render(<Page found={found} />, home);
    document.documentElement.dataset["ready"] = "true";
  } catch (error) {
    home.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void begin();
