/** Runs of the core in steps: the part of the worker that knows nothing of messages, so that Node can use it, too. */

import { type Output, Run, sky as skyOf, networkMap } from "../../core/core.js";
import type { NetworkMap } from "../model/document.ts";
import type { Drawn, Facts, Progress, Table } from "./protocol.ts";

/** How long a step goes on before others are heard, milliseconds. */
const STEP_MS = 25;
/** Events of the first step; later ones have as many as their time allows. */
const FIRST_STEP = 2000;

/** A run with one seed. Between its steps `pause` is awaited; if that gives false the run is given up. */
export async function run(
  scenario: string,
  seed: number,
  memory: number,
  pause: (progress: Progress) => Promise<boolean>,
): Promise<{ facts: Facts; tables: Map<string, Table> }> {
  const began = performance.now();
  const steps = new Run(scenario, seed, memory);
  let events = FIRST_STEP;
  for (;;) {
    const from = performance.now();
    if (steps.advance(Infinity, events)) break;
    const took = performance.now() - from;
    events = Math.max(64, Math.round(events * Math.min(4, STEP_MS / Math.max(took, 0.1))));
    const { now_s, end_s, packet_hops } = steps;
    if (!(await pause({ seed, simulated_s: now_s, end_s, packet_hops }))) break;
  }
  const output = steps.finish();
  const facts = { ...JSON.parse(output.facts()), wall_s: (performance.now() - began) / 1000 } as Facts;
  const tables = taken(output);
  output.free();
  return { facts, tables };
}

/** All tables of a run. They leave the core column by column. */
export function taken(output: Output): Map<string, Table> {
  const listed: { name: string; rows: number; columns: { name: string; kind: string }[] }[] = JSON.parse(
    output.tables(),
  );
  const tables = new Map<string, Table>();
  listed.forEach(({ name, rows, columns }, table) => {
    const own: Table = { rows, columns: new Map() };
    columns.forEach((column, index) => {
      if (column.kind === "words") {
        const words = output.words(table, index);
        own.columns.set(column.name, { kind: "words", codes: words.codes(), words: words.dictionary() });
        words.free();
      } else {
        own.columns.set(column.name, { kind: "numbers", values: output.numbers(table, index) });
      }
    });
    tables.set(name, own);
  });
  return tables;
}

/** Arrays of tables, to be handed over without a copy. */
export function buffers(tables: Map<string, Table>): ArrayBuffer[] {
  const all: ArrayBuffer[] = [];
  for (const { columns } of tables.values()) {
    for (const column of columns.values()) {
      const array = column.kind === "words" ? column.codes : column.values;
      all.push(array.buffer as ArrayBuffer);
    }
  }
  return all;
}

/** The map of the network of a scenario and, if it has satellites, where they are. */
export function drawing(scenario: string, seed: number, times: Float64Array): Drawn {
  const map = JSON.parse(networkMap(scenario, seed)) as NetworkMap;
  const found = skyOf(scenario, seed, times);
  if (found === undefined) return { map, sky: null };
  const { satellites, latitude, longitude, altitude } = found;
  const sky = { satellites, stations: JSON.parse(found.stations), times, latitude, longitude, altitude };
  found.free();
  return { map, sky };
}
