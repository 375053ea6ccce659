/** The right half alone, for pages that hold it in a frame: what the address names runs, and is looked at. */

import { useEffect, useRef, useState } from "preact/hooks";
import { addressed } from "./addressed.ts";
import { RunBar, Seeing } from "./seeing.tsx";
import type { Store } from "./store.ts";
import { useStore } from "./use.ts";
import { Picture } from "./visiting.tsx";
import { VISITS } from "./visits.ts";

/** What a page is told that holds the frame: how high all of it is, pixels. */
export interface Told {
  faircast: "height";
  px: number;
}

export function Embedded({ store }: { store: Store }) {
  const { sides } = useStore(store);
  const place = useRef<HTMLDivElement>(null);
  const [visit, setVisit] = useState<number | null>(null);
  const [said, setSaid] = useState<string | null>(null);

  useEffect(() => {
    const open = async () => {
      setSaid(null);
      const found = await addressed(location.hash.slice(1));
      setVisit(found.what === "visit" ? found.number : null);
      if (found.what === "visit") return;
      if (found.what === "nothing") setSaid("The address of this frame names nothing to run.");
      else if (found.what === "mistake") setSaid(found.says);
      else {
        store.open(found.shared.texts.slice(0, 1), { seeds: found.shared.seeds });
        void store.run();
      }
    };
    void open();
    const hear = () => void open();
    addEventListener("hashchange", hear);
    return () => removeEventListener("hashchange", hear);
  }, [store]);

  useEffect(() => {
    const box = place.current;
    if (box === null || parent === window) return;
    const tell = () => {
      const told: Told = { faircast: "height", px: Math.ceil(box.getBoundingClientRect().height) };
      parent.postMessage(told, "*"); // a height is no secret
    };
    const observer = new ResizeObserver(tell);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  const shown = visit === null ? undefined : VISITS[visit];
  const name = sides[0]?.scenario?.["name"];
  return (
    <div ref={place} class="lab-embedded">
      <main aria-label={shown?.title ?? (typeof name === "string" ? name : "Scenario")}>
        {said !== null && <p role="alert">{said}</p>}
        {shown !== undefined ? (
          <Picture store={store} visit={shown} isAlone />
        ) : (
          said === null && (
            <>
              <RunBar store={store} />
              <Seeing store={store} />
            </>
          )
        )}
        <p class="lab-quiet">
          Simulated in this page, by the whole of faircast&apos;s core.{" "}
          <a href={`${location.pathname}${location.hash}`} target="_top">
            Open it in the laboratory
          </a>
        </p>
      </main>
    </div>
  );
}
