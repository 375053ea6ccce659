/** The right half: what ran and what came out. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Table } from "../model/table.ts";
import { RunView, storeOf } from "../view/run.tsx";
import { documentOf } from "./document.ts";
import { command, csv, fileName, save } from "./out.ts";
import { Overlay, shownOf } from "./overlay.tsx";
import { seeds as readSeeds } from "./share.ts";
import type { Outcome, Store } from "./store.ts";
import { useStore } from "./use.ts";

/** What sets off a run, and how far it is. */
export function RunBar({ store }: { store: Store }) {
  const { seeds, running, sides, note } = useStore(store);
  const progress = running?.progress;
  const part = progress ? progress.simulated_s / progress.end_s : 0;
  const done = running && progress ? running.seeds.indexOf(progress.seed) : 0;
  const all = running ? (Math.max(0, done) + part) / running.seeds.length : 0;
  const failures = sides.map((side, index) => ({ index, failure: side.failure })).filter((one) => one.failure !== null);
  return (
    <section class="lab-bar" aria-label="Run">
      <label>
        Seeds{" "}
        <input
          class="lab-seeds"
          value={seeds}
          inputMode="text"
          spellcheck={false}
          aria-invalid={readSeeds(seeds) === null}
          onInput={(event) => store.set({ seeds: event.currentTarget.value })}
        />
      </label>
      <button type="button" class="lab-main" onClick={() => void store.run()}>
        Run
      </button>
      <button type="button" disabled={running === null} onClick={() => store.cancel()}>
        Cancel
      </button>
      <progress max={1} value={running ? all : 0} aria-label="Progress" hidden={running === null} />
      <span class="lab-quiet" role="status">
        {running
          ? progress
            ? `Seed ${progress.seed}: ${progress.simulated_s.toFixed(0)} of ${progress.end_s} s`
            : "The network is being built."
          : ""}
      </span>
      {note !== null && (
        <p class="lab-wrong" role="alert">
          {note}
        </p>
      )}
      {failures.map(({ index, failure }) => (
        <p class="lab-wrong" role="alert">
          {sides.length > 1 ? `${"AB"[index]}: ` : ""}
          {failure}
        </p>
      ))}
    </section>
  );
}

/** Everything about what ran. */
export function Seeing({ store }: { store: Store }) {
  const { sides } = useStore(store);
  const those = sides.flatMap(({ outcome, text }, index) => (outcome === null ? [] : [{ outcome, text, index }]));
  const outcomes = those.map(({ outcome }) => outcome);
  const nameOf = (index: number) => (sides.length > 1 ? "AB".charAt(index) : "");
  if (outcomes.length === 0) {
    return (
      <p class="lab-quiet">What a run gives is shown here. Run the scenario: Ctrl+Enter in the text does it, too.</p>
    );
  }
  return (
    <>
      {those.map(({ outcome, text, index }) => (
        <Came key={index} outcome={outcome} name={nameOf(index)} isOld={outcome.text !== text} />
      ))}
      {outcomes.length > 1 && <Pictures outcomes={outcomes} />}
      {outcomes.length > 1 ? (
        outcomes.map((outcome, index) => (
          <details key={index} class="lab-numbers">
            <summary>All pictures of {"AB"[index]}</summary>
            <Viewed outcome={outcome} />
          </details>
        ))
      ) : (
        <>
          {outcomes[0] !== undefined && outcomes[0].runs.length > 1 && <Pictures outcomes={outcomes} />}
          {outcomes[0] !== undefined && <Viewed outcome={outcomes[0]} />}
        </>
      )}
      {those.map(({ outcome, index }) => (
        <Numbers key={index} outcome={outcome} name={nameOf(index)} />
      ))}
    </>
  );
}

/** The viewer of results on what ran. It begins anew with every run, but stays at the moment that it showed. */
function Viewed({ outcome }: { outcome: Outcome }) {
  const shown = useMemo(() => documentOf(outcome, ""), [outcome]);
  const moment = useRef(0);
  const store = useMemo(() => {
    const made = storeOf(shown.run!);
    made.goTo(moment.current);
    return made;
  }, [shown]);
  useEffect(() => store.subscribe(() => (moment.current = store.state.time)), [store]);
  return <RunView key={outcome.runs.length} document={shown} store={store} />;
}

/** What ran, in a sentence, and what should be known about it: also that its text is no longer the present one. */
function Came({ outcome, name, isOld }: { outcome: Outcome; name: string; isOld: boolean }) {
  const { runs, scenario, isCut } = outcome;
  const last = runs[runs.length - 1];
  if (last === undefined) return null;
  const hops = runs.reduce((sum, run) => sum + run.facts.packet_hops, 0);
  const wall = runs.reduce((sum, run) => sum + run.facts.wall_s, 0);
  const warnings = new Map<string, number[]>();
  for (const run of runs) {
    for (const warning of run.facts.warnings) {
      warnings.set(warning.message, [...(warnings.get(warning.message) ?? []), run.seed]);
    }
  }
  return (
    <div class="lab-came">
      <p>
        {name && `${name}: `}
        <strong>{String(scenario["name"])}</strong>, {runs.length === 1 ? `seed ${last.seed}` : `${runs.length} seeds`}:{" "}
        {shownCount(hops)} packet-hops in {wall.toFixed(2)} s
        {last.facts.interrupted || isCut
          ? `; cancelled after ${last.facts.simulated_s.toFixed(1)} s of seed ${last.seed}: the tables hold what had happened by then`
          : ""}
        .{isOld && <em> The text has been changed since it ran.</em>}
      </p>
      {warnings.size > 0 && (
        <ul class="lab-warnings">
          {[...warnings].map(([message, of]) => (
            <li>
              {message}
              {runs.length > 1 ? ` (seeds ${of.join(", ")})` : ""}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function shownCount(count: number): string {
  return count >= 1e6
    ? `${(count / 1e6).toFixed(1)} million`
    : count >= 1e3
      ? `${(count / 1e3).toFixed(0)} thousand`
      : `${count}`;
}

/** Numbers over time, of all scenarios on one axis. */
function Pictures({ outcomes }: { outcomes: Outcome[] }) {
  const tables = outcomes[0]?.runs[0]?.tables;
  const all = useMemo(() => (tables ? shownOf(tables) : []), [tables]);
  const [chosen, setChosen] = useState<string | null>(null);
  const key = (one: { table: string; column: string }) => `${one.table}.${one.column}`;
  if (all.length === 0) return <p class="lab-quiet">No number of this run changes over time.</p>;
  const first = all.find((one) => key(one) === chosen) ?? all[0];
  const queue = all.find((one) => one.table === "queues" && one !== first);
  return (
    <section aria-label="Pictures">
      <label>
        Show{" "}
        <select
          value={first === undefined ? "" : key(first)}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {all.map((one) => (
            <option value={key(one)}>{one.title}</option>
          ))}
        </select>
      </label>
      {first !== undefined && <Overlay outcomes={outcomes} shown={first} />}
      {queue !== undefined && chosen === null && <Overlay outcomes={outcomes} shown={queue} height={200} />}
    </section>
  );
}

/** The summary as a table, all tables as CSV, and the command that makes them outside. */
function Numbers({ outcome, name }: { outcome: Outcome; name: string }) {
  const [seed, setSeed] = useState(outcome.runs[0]?.seed ?? 1);
  const run = outcome.runs.find((one) => one.seed === seed) ?? outcome.runs[0];
  if (run === undefined) return null;
  const file = fileName(outcome.scenario);
  const tables = [...run.tables].filter(([, table]) => table.rows > 0);
  return (
    <details class="lab-numbers">
      <summary>Numbers{name && ` of ${name}`}: summary, tables as CSV, the command that makes them outside</summary>
      {outcome.runs.length > 1 && (
        <label>
          Seed{" "}
          <select value={run.seed} onChange={(event) => setSeed(Number(event.currentTarget.value))}>
            {outcome.runs.map((one) => (
              <option value={one.seed}>{one.seed}</option>
            ))}
          </select>
        </label>
      )}
      <p>
        {outcome.runs.some((one) => one.facts.interrupted)
          ? "What was cancelled goes on to its end in a shell, the rest comes out byte for byte"
          : "The same numbers, byte for byte, from a shell"}
        : save the scenario as <code>{file}.toml</code>, then
      </p>
      <pre tabIndex={0}>
        {command(
          `${file}.toml`,
          outcome.runs.map((one) => one.seed),
        )}
      </pre>
      <p class="lab-buttons">
        <button type="button" onClick={() => save(`${file}.toml`, outcome.text, "application/toml")}>
          {file}.toml
        </button>
        {tables.map(([table, content]) => (
          <button type="button" onClick={() => save(`${file}-${run.seed}-${table}.csv`, csv(content), "text/csv")}>
            {table}.csv
          </button>
        ))}
      </p>
      <Summary table={run.tables.get("summary")} />
    </details>
  );
}

/** So many rows of a summary are in the page: those of ten thousand receivers would keep it busy for seconds. */
const MOST_ROWS = 500;

function Summary({ table }: { table: Table | undefined }) {
  const subject = table?.columns.get("subject");
  const metric = table?.columns.get("metric");
  const value = table?.columns.get("value");
  if (table === undefined || subject?.kind !== "words" || metric?.kind !== "words" || value?.kind !== "numbers")
    return null;
  const shown = Math.min(table.rows, MOST_ROWS);
  return (
    <div class="lab-table" tabIndex={0} role="region" aria-label="Summary">
      <table>
        {shown < table.rows && (
          <caption>
            The first {shown} of {table.rows} rows; all are in summary.csv.
          </caption>
        )}
        <thead>
          <tr>
            <th scope="col">subject</th>
            <th scope="col">metric</th>
            <th scope="col">value</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: shown }, (_, row) => (
            <tr>
              <td>{subject.words[subject.codes[row] as number]}</td>
              <td>{metric.words[metric.codes[row] as number]}</td>
              <td>{shownValue(value.values[row] as number)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shownValue(value: number): string {
  if (Number.isNaN(value)) return "does not apply";
  return Number.isInteger(value) ? String(value) : value.toPrecision(6);
}
