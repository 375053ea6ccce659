/** The laboratory: a scenario on the left, what it gives on the right. */

import { useCallback, useEffect, useState } from "preact/hooks";
import examples from "faircast:examples";
import { addressed } from "./addressed.ts";
import { Gallery } from "./gallery.tsx";
import { fileName, save } from "./out.ts";
import { RunBar, Seeing } from "./seeing.tsx";
import { toFragment } from "./share.ts";
import type { Store } from "./store.ts";
import { Knobs } from "./turning.tsx";
import { useStore } from "./use.ts";
import { Visiting } from "./visiting.tsx";
import { Writing } from "./writing.tsx";

/** The name of a result that is served beside the laboratory. */
const result = new URLSearchParams(location.search).get("result");

type Place = { at: "examples" } | { at: "visit"; number: number } | { at: "work" };

export function App({ store }: { store: Store }) {
  const { sides, about, left } = useStore(store);
  const [place, setPlace] = useState<Place>(location.hash.length > 1 ? { at: "work" } : { at: "visit", number: 0 });
  const [said, setSaid] = useState<string | null>(null);
  const run = useCallback(() => void store.run(), [store]);

  const openAddress = useCallback(async () => {
    setSaid(null);
    const found = await addressed(location.hash.slice(1));
    if (found.what === "nothing") return;
    if (found.what === "visit") {
      setPlace({ at: "visit", number: found.number });
      return;
    }
    if (found.what === "mistake") {
      setSaid(found.says);
      store.open([examples[0]?.text ?? ""]);
    } else {
      const { texts, seeds, knobs } = found.shared;
      store.open(texts, { seeds, knobs: knobs.map((path) => ({ path })) });
      if (result === null) void store.run();
    }
    setPlace({ at: "work" });
  }, [store]);

  useEffect(() => {
    void openAddress();
    const hear = () => void openAddress();
    addEventListener("hashchange", hear);
    return () => removeEventListener("hashchange", hear);
  }, [openAddress]);

  // A file that is dropped beside the places for files would take the place of the page, with all that was written.
  useEffect(() => {
    const stay = (event: DragEvent) => event.preventDefault();
    const kinds = ["dragover", "drop"] as const;
    for (const kind of kinds) addEventListener(kind, stay);
    return () => kinds.forEach((kind) => removeEventListener(kind, stay));
  }, []);

  const choose = (text: string) => {
    store.open([text]);
    setPlace({ at: "work" });
    run();
  };
  const share = async () => {
    const { sides, seeds, knobs } = store.state;
    let fragment: string;
    try {
      const texts = sides.map((side) => side.text);
      fragment = await toFragment({ texts, seeds, knobs: knobs.map((one) => one.path) });
    } catch (error) {
      setSaid((error as Error).message);
      return;
    }
    history.replaceState(null, "", `#${fragment}`);
    const address = location.href;
    try {
      await navigator.clipboard.writeText(address);
      setSaid(`The address of this page is the scenario now, and is copied: ${address.length} characters.`);
    } catch {
      setSaid("The address of this page is the scenario now: copy it from above.");
    }
  };
  const isVisit = place.at === "visit";
  return (
    <>
      <header class="lab-head">
        <h1>faircast laboratory</h1>
        <nav aria-label="Laboratory">
          <button type="button" aria-pressed={isVisit} onClick={() => setPlace({ at: "visit", number: 0 })}>
            First visit
          </button>
          <button type="button" aria-pressed={place.at === "examples"} onClick={() => setPlace({ at: "examples" })}>
            Examples
          </button>
          <button
            type="button"
            aria-pressed={sides.length > 1}
            onClick={() => (store.beside(sides.length === 1), setPlace({ at: "work" }))}
          >
            Side by side
          </button>
          <button type="button" onClick={() => void share()}>
            Share
          </button>
          <button
            type="button"
            onClick={() =>
              save(`${fileName(store.side.scenario ?? undefined)}.toml`, store.side.text, "application/toml")
            }
          >
            Save
          </button>
          {left !== null && (
            <button type="button" onClick={() => (store.back(), setPlace({ at: "work" }))}>
              Back to your text
            </button>
          )}
          {result !== null && <a href="result.html">Result {result}</a>}
        </nav>
      </header>
      {said !== null && (
        <p class="lab-said" role="status">
          {said}
        </p>
      )}
      <main class="lab-main-part">
        <div class="lab-left">
          <Writing store={store} run={run} />
          {!isVisit && <Knobs store={store} />}
        </div>
        <div class="lab-right">
          {place.at === "examples" && <Gallery choose={choose} />}
          {place.at === "visit" && (
            <Visiting
              store={store}
              number={place.number}
              go={(number) => setPlace(number === null ? { at: "work" } : { at: "visit", number })}
            />
          )}
          {place.at !== "examples" && <RunBar store={store} />}
          {place.at === "work" && <Seeing store={store} />}
        </div>
      </main>
      <footer class="lab-foot">
        <p>faircast {about?.version ?? ""}: everything runs in this page; nothing is sent anywhere.</p>
      </footer>
    </>
  );
}
