/** The left half: texts of one or two scenarios, what is wrong with them, and the files that they name. */

import { useEffect, useRef } from "preact/hooks";
import { Editor } from "./editor.ts";
import { fileName, shownBytes } from "./out.ts";
import { MEMORY_LIMIT, type Remark } from "./protocol.ts";
import type { Store } from "./store.ts";
import { useStore } from "./use.ts";

export function Writing({ store, run }: { store: Store; run: () => void }) {
  const { sides, active } = useStore(store);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const shown = useRef(-1);
  const side = sides[active];

  useEffect(() => {
    if (place.current === null) return;
    editor.current = new Editor(place.current, "", {
      grammar: () => store.state.about?.grammar ?? null,
      scenario: () => store.side.scenario,
      changed: (text) => store.write(store.state.active, text),
      run,
    });
    return () => editor.current?.view.destroy();
  }, [store, run]);

  useEffect(() => {
    const own = editor.current;
    // What is on its way here may be older than what has been typed since: only the present text counts.
    const text = store.side.text;
    if (own === null || store.state.active !== active) return;
    if (shown.current !== active)
      own.open(text, sides.length > 1 ? `Scenario ${"AB"[active]} in TOML` : "Scenario in TOML");
    else own.replace(text);
    shown.current = active;
  }, [active, side?.text, sides.length]);

  useEffect(() => {
    if (side?.checked && editor.current) editor.current.show(side.checked);
  }, [side?.checked, active]);

  const go = (remark: Remark) => remark.at && editor.current?.go(remark.at[0], remark.at[1]);
  return (
    <section class="lab-writing" aria-label="Scenario">
      {sides.length > 1 && (
        <div class="lab-sides" role="group" aria-label="Which scenario">
          {sides.map((_, index) => (
            <button type="button" aria-pressed={index === active} onClick={() => store.set({ active: index })}>
              Scenario {"AB"[index]}
            </button>
          ))}
          <button type="button" class="lab-plain" onClick={() => store.beside(false)}>
            Close B
          </button>
        </div>
      )}
      <div ref={place} class="lab-editor" />
      <Remarks store={store} go={go} />
    </section>
  );
}

/** What is wrong with the text, or what should be known about it. */
function Remarks({ store, go }: { store: Store; go: (remark: Remark) => void }) {
  const { sides, active, about } = useStore(store);
  const { checked, scenario } = sides[active] ?? { checked: null, scenario: null };
  if (!checked)
    return (
      <p class="lab-quiet" aria-live="polite">
        {about === null ? "The core is being loaded." : "The text is being looked at."}
      </p>
    );
  const { problems, count, warnings = [], memory = 0 } = checked;
  if (problems.length > 0) {
    return (
      <div class="lab-remarks" aria-live="polite">
        <p class="lab-wrong">{count === 1 ? "One problem" : `${count} problems`}. It runs when there are none.</p>
        <ul>
          {problems.map((problem) => (
            <Remarked remark={problem} go={go} />
          ))}
        </ul>
        {problems.some((problem) => problem.message.includes("has not been given")) && <Files store={store} />}
      </div>
    );
  }
  const isTooLarge = memory > MEMORY_LIMIT;
  return (
    <div class="lab-remarks" aria-live="polite">
      <p class={isTooLarge ? "lab-wrong" : "lab-quiet"}>
        A valid scenario. A run needs up to {shownBytes(memory)} of the {shownBytes(MEMORY_LIMIT)} that a browser gives
        a page
        {isTooLarge && `: save it, and run it outside by faircast run ${fileName(scenario ?? undefined)}.toml`}.
      </p>
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <Remarked remark={warning} go={go} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Remarked({ remark, go }: { remark: Remark; go: (remark: Remark) => void }) {
  const place = remark.line === undefined ? null : `line ${remark.line}`;
  // What is no TOML says its line itself.
  const message = place === null ? remark.message : remark.message.replace(/^line \d+, /, "");
  return (
    <li>
      {place !== null && (
        <button type="button" class="lab-plain" onClick={() => go(remark)}>
          {place}
        </button>
      )}{" "}
      {remark.path !== "" && <code>{remark.path}</code>} {message}
    </li>
  );
}

/** Bytes of a file that a scenario names, at most: what it makes of it is larger, and all of it stays in memory. */
const LARGEST_FILE = 100e6;

/** Files that the scenario names: they are given to the page, and go nowhere else. */
export function Files({ store }: { store: Store }) {
  const take = async (files: FileList | null) => {
    store.set({ note: null });
    for (const file of files ?? []) {
      try {
        if (file.size > LARGEST_FILE) throw new Error(`the page takes files of up to ${shownBytes(LARGEST_FILE)}`);
        store.core.file(file.name, new Uint8Array(await file.arrayBuffer()));
      } catch (error) {
        store.set({ note: `${file.name} was not taken: ${(error as Error).message}.` });
      }
    }
    store.state.sides.forEach((_, index) => void store.check(index));
  };
  return (
    <label
      class="lab-files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files ?? null);
      }}
    >
      Files that the scenario names, by the names that it has for them (they stay in this page)
      <input type="file" multiple onChange={(event) => void take(event.currentTarget.files)} />
    </label>
  );
}
