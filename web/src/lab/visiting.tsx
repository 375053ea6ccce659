/** The guided first visit, above what the scenario gives. */

import { useEffect } from "preact/hooks";
import { Overlay } from "./overlay.tsx";
import type { Store } from "./store.ts";
import { Turning } from "./turning.tsx";
import { useStore } from "./use.ts";
import { type Visit, VISITS } from "./visits.ts";

/** One of them: its question, its knob, what it gives, and the answer to those who have turned the knob. */
export function Picture({ store, visit, isAlone = false }: { store: Store; visit: Visit; isAlone?: boolean }) {
  const { sides, running } = useStore(store);
  useEffect(() => {
    store.open([visit.text], { seeds: "1" });
    void store.run();
  }, [store, visit]);
  const outcome = sides[0]?.outcome ?? null;
  const failure = sides[0]?.failure ?? null;
  const isTurned = sides[0] !== undefined && sides[0].text !== "" && sides[0].text !== visit.text;
  return (
    <>
      {!isAlone && <h2>{visit.title}</h2>}
      <p class="lab-question">{visit.question}</p>
      <Turning key={visit.knob.path} store={store} turn={visit.knob} isFixed />
      <div aria-busy={running !== null}>
        {outcome === null ? (
          <p class="lab-quiet">{failure ?? "It runs."}</p>
        ) : (
          visit.shown.map((shown) => <Overlay key={shown.column} outcomes={[outcome]} shown={shown} height={210} />)
        )}
      </div>
      {isTurned ? <p>{visit.answer}</p> : <p class="lab-quiet">Turn the knob: what it shows is said then.</p>}
    </>
  );
}

export function Visiting({ store, number, go }: { store: Store; number: number; go: (number: number | null) => void }) {
  const visit = VISITS[number];
  if (visit === undefined) return null;
  return (
    <section class="lab-visit" aria-label="First visit">
      <p class="lab-quiet">
        First visit, {number + 1} of {VISITS.length}
      </p>
      <Picture store={store} visit={visit} />
      <p class="lab-buttons">
        <button type="button" disabled={number === 0} onClick={() => go(number - 1)}>
          Back
        </button>
        <button type="button" class="lab-main" onClick={() => go(number + 1 < VISITS.length ? number + 1 : null)}>
          {number + 1 < VISITS.length ? `Next: ${VISITS[number + 1]?.title}` : "To the laboratory"}
        </button>
        <button type="button" class="lab-plain" onClick={() => go(null)}>
          Leave the visit
        </button>
      </p>
    </section>
  );
}
