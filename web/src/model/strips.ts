/** Strips over time: stretches of one state each, such as the layers that a receiver holds or who limits a session. */

import { numbers, rowsBy, words, type Series, type Table } from "./table.ts";

export interface Stretch {
  from: number;
  to: number;
  /** A number or a name; a stretch of NaN is not there. */
  state: number | string;
}

/** Values that each stand for the interval that ends at their moment, equal ones put together. */
export function stretchesOf({ t, v }: Series): Stretch[] {
  const found: Stretch[] = [];
  let before = 0;
  t.forEach((time, place) => {
    const state = v[place]!;
    const last = found.at(-1);
    if (!Number.isNaN(state)) {
      if (last !== undefined && last.state === state && last.to === before) last.to = time;
      else found.push({ from: before, to: time, state });
    }
    before = time;
  });
  return found;
}

/** Who limits a session over time: the receiver of each event until the next one. */
export function limitingOf(events: Table | undefined, session: string, stop: number): Stretch[] {
  if (events === undefined) return [];
  const time = numbers(events, "t_s");
  const kind = words(events, "event");
  const receiver = words(events, "receiver");
  const found: Stretch[] = [];
  for (const row of rowsBy(events, "flow").get(session) ?? []) {
    if (kind.words[kind.codes[row]!] !== "limiting-receiver") continue;
    const who = receiver.words[receiver.codes[row]!]!;
    const last = found.at(-1);
    if (last !== undefined) last.to = time[row]!;
    if (who !== "") found.push({ from: time[row]!, to: stop, state: who });
  }
  return found.filter(({ from, to }) => to > from);
}

/**
 * The phases that router agents find a queue in, by link and, where each session is judged alone, by session.
 *
 * Events have the moment of each change; without them the gauges at intervals tell.
 */
export function phasesOf(tables: Map<string, Table>, stop: number): { name: string; stretches: Stretch[] }[] {
  const events = tables.get("router_events");
  const found = changesOf(events, "event", "value").map(({ name, t, v }) => ({
    name,
    stretches: t
      .map((from, place): Stretch => ({ from, to: t[place + 1] ?? stop, state: v[place]! }))
      .filter(({ from, to, state }) => to > from && !Number.isNaN(state)),
  }));
  if (found.length > 0) return found;
  return changesOf(tables.get("routers"), "gauge", "value").map(({ name, t, v }) => ({
    name,
    stretches: stretchesOf({ t: Float64Array.from(t), v: Float64Array.from(v) }),
  }));
}

function changesOf(
  table: Table | undefined,
  kind: string,
  value: string,
): { name: string; t: number[]; v: number[] }[] {
  const rows = table === undefined ? undefined : rowsBy(table, kind).get("phase");
  if (table === undefined || rows === undefined) return [];
  const [times, values] = [numbers(table, "t_s"), numbers(table, value)];
  const [link, about] = [words(table, "link"), words(table, "about")];
  const found = new Map<string, { name: string; t: number[]; v: number[] }>();
  for (const row of rows) {
    const of = about.words[about.codes[row]!]!;
    const name = [link.words[link.codes[row]!]!, of === "interface" ? "" : of].filter(Boolean).join(", ");
    let one = found.get(name);
    if (one === undefined) found.set(name, (one = { name, t: [], v: [] }));
    one.t.push(times[row]!);
    one.v.push(values[row]!);
  }
  return [...found.values()];
}

/** The state at a moment; undefined if there is none. */
export function stateAt(stretches: Stretch[], time: number): number | string | undefined {
  return stretches.find(({ from, to }) => time >= from - 1e-9 && time <= to + 1e-9 && (time > from || from === 0))
    ?.state;
}
