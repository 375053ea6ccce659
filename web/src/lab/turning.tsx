/** Knobs: values that are turned by hand; the scenario runs again each time. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Knob, type Turn, STEPS, fromStep, inUnit, knob, pinnable, stepShown, toToml } from "./knobs.ts";
import type { Store } from "./store.ts";
import { useStore } from "./use.ts";

/** How long a knob must rest before it runs, milliseconds. */
const REST_MS = 150;
/** So many paths are offered; others can be written. */
const MOST_PATHS = 1000;

export function Knobs({ store }: { store: Store }) {
  const { knobs, sides, active, about } = useStore(store);
  const [wanted, setWanted] = useState("");
  const scenario = sides[active]?.scenario;
  const grammar = about?.grammar ?? null;
  const paths = useMemo(() => (scenario ? pinnable(scenario).slice(0, MOST_PATHS) : []), [scenario]);
  const pin = () => {
    if (knob({ path: wanted }, scenario, grammar) === null) {
      store.set({
        note: `${wanted || "That"} cannot be a knob: pick a number, a quantity or a choice of the scenario.`,
      });
      return;
    }
    store.set({ note: null });
    store.pin({ path: wanted });
    setWanted("");
  };
  return (
    <section class="lab-knobs" aria-label="Knobs">
      {knobs.map((turn) => (
        <Turning key={turn.path} store={store} turn={turn} isFixed={turn.label !== undefined} />
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pin();
        }}
      >
        <label>
          Turn a value by hand{" "}
          <input
            list="lab-paths"
            value={wanted}
            placeholder="links.bottleneck.rate"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
        <datalist id="lab-paths">
          {paths.map((path) => (
            <option value={path} />
          ))}
        </datalist>
        <button type="submit">Add knob</button>
      </form>
    </section>
  );
}

/** One knob. */
export function Turning({ store, turn, isFixed = false }: { store: Store; turn: Turn; isFixed?: boolean }) {
  const { sides, active, about } = useStore(store);
  const first = useRef<Knob | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Where the hand has put the slider, and how many of its turns the core has not read yet.
  const [held, hold] = useState<number | null>(null);
  const [unread, setUnread] = useState(0);
  const now = knob(turn, sides[active]?.scenario, about?.grammar ?? null);
  // The ends stay where they were when it was pinned.
  if (first.current === null || first.current.path !== turn.path || first.current.how !== now?.how) first.current = now;
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = (text: string) => {
    clearTimeout(timer.current);
    setUnread((count) => count + 1);
    const turned = store.turn(turn.path, text, active).finally(() => setUnread((count) => count - 1));
    void turned.then(() => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void store.run(active), REST_MS);
    });
  };
  const ends = first.current;
  const value = now?.how === "slide" && ends?.how === "slide" ? inUnit(now.value, now.unit, ends.unit) : 0;
  const step = now?.how === "slide" && ends?.how === "slide" ? stepShown(ends, value, held, unread > 0) : 0;
  return (
    <div class="lab-knob">
      {now === null || ends === null ? (
        <span>{turn.path} is not in this scenario.</span>
      ) : now.how === "slide" && ends.how === "slide" ? (
        <label>
          <span>{now.label}</span>
          <input
            type="range"
            min={0}
            max={STEPS}
            step={1}
            value={step}
            aria-valuetext={`${value} ${ends.unit}`}
            onInput={(event) => {
              const step = Number(event.currentTarget.value);
              hold(step);
              set(toToml(ends, fromStep(ends, step)));
            }}
          />
          <output>
            {value} {ends.unit}
          </output>
        </label>
      ) : (
        now.how === "choose" && (
          <label>
            <span>{now.label}</span>
            <select value={now.value} onChange={(event) => set(event.currentTarget.value)}>
              {now.choices.map((choice) => (
                <option value={choice.text} title={choice.about}>
                  {choice.about !== "" && choice.text.startsWith("{")
                    ? choice.about
                    : choice.text.replace(/^"|"$/g, "")}
                </option>
              ))}
            </select>
          </label>
        )
      )}
      {!isFixed && (
        <button
          type="button"
          class="lab-plain"
          aria-label={`Remove the knob ${turn.path}`}
          onClick={() => store.unpin(turn.path)}
        >
          Remove
        </button>
      )}
    </div>
  );
}
