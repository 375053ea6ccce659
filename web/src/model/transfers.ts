/** Transfers of web traffic: when they arrived, how long they took, and how many took longer than a time. */

import { digits } from "./format.ts";
import { numbers, rowsBy, words, type Table } from "./table.ts";

/** Transfers of one class of size, unfinished ones with NaN as the time that they took. */
export interface SizeClass {
  number: number;
  /** Its sizes, as far as there are any: "4 to 10 KB". */
  sizes: string;
  arrived: Float64Array;
  took: Float64Array;
}

/** How many of some transfers took longer than a time. */
export interface Times {
  /** The entry of web traffic. */
  flow: string;
  /** The class of size; 0 stands for all. */
  number: number;
  transfers: number;
  took: Float64Array;
  /** At each of these times the part that took longer. */
  longer: Float64Array;
}

/** The transfers of one entry, or of all, by their class of size. */
export function classesOf(transfers: Table | undefined, flow: string | null): SizeClass[] {
  if (transfers === undefined) return [];
  const [t, size, number, took] = ["t_s", "size_bytes", "class", "completion_s"].map((of) => numbers(transfers, of));
  const own = flow === null ? undefined : rowsBy(transfers, "flow").get(flow);
  const rows: ArrayLike<number> = own ?? Uint32Array.from({ length: transfers.rows }, (_, row) => row);
  const found = new Map<number, number[]>();
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!;
    const known = found.get(number![row]!);
    if (known === undefined) found.set(number![row]!, [row]);
    else known.push(row);
  }
  return [...found]
    .sort(([one], [other]) => one - other)
    .map(([of, those]) => ({
      number: of,
      sizes: sizesOf(those.map((row) => size![row]!)),
      arrived: Float64Array.from(those, (row) => t![row]!),
      took: Float64Array.from(those, (row) => took![row]!),
    }));
}

function sizesOf(bytes: number[]): string {
  let [low, high] = [Infinity, 0];
  for (const one of bytes) [low, high] = [Math.min(low, one), Math.max(high, one)];
  const [by, unit] = high >= 1e6 ? [1e6, "MB"] : high >= 1e3 ? [1e3, "KB"] : [1, "B"];
  const said = (value: number) => digits(Number((value / by).toPrecision(2)));
  return low === high ? `${said(low)} ${unit}` : `${said(low)} to ${said(high)} ${unit}`;
}

/**
 * How many took longer than a time, of what arrived after the warm-up: from the table that a page has beside the
 * transfers, since it may hold some of them only. Where there is none, as in the laboratory, all are there and are
 * counted.
 */
export function timesOf(tables: Map<string, Table>, warmup: number): Times[] {
  const made = tables.get("times");
  return made === undefined ? counted(tables.get("transfers"), warmup) : written(made);
}

function written(times: Table): Times[] {
  const [number, transfers, took, longer] = ["class", "transfers", "took_s", "longer"].map((of) => numbers(times, of));
  const flow = words(times, "flow");
  const rows = new Map<string, number[]>();
  for (let row = 0; row < times.rows; row++) {
    const key = `${flow.codes[row]} ${number![row]}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, [row]);
    else known.push(row);
  }
  return [...rows.values()].map((those) => ({
    flow: flow.words[flow.codes[those[0]!]!]!,
    number: number![those[0]!]!,
    transfers: transfers![those[0]!]!,
    took: Float64Array.from(those, (row) => took![row]!),
    longer: Float64Array.from(those, (row) => longer![row]!),
  }));
}

/** As python/faircast/reporting/times.py does it, but with every point. */
function counted(transfers: Table | undefined, warmup: number): Times[] {
  if (transfers === undefined) return [];
  const [t, number, took] = ["t_s", "class", "completion_s"].map((of) => numbers(transfers, of));
  const found: Times[] = [];
  for (const [flow, all] of rowsBy(transfers, "flow")) {
    const late = all.filter((row) => warmup === 0 || t![row]! > warmup);
    const classes = [...new Set(Array.from(late, (row) => number![row]!))].sort((one, other) => one - other);
    for (const of of [0, ...classes]) {
      const own = of === 0 ? late : late.filter((row) => number![row] === of);
      const finished = Float64Array.from(own, (row) => took![row]!)
        .filter((value) => !Number.isNaN(value))
        .sort();
      if (finished.length === 0) continue;
      const longer = finished.map((_, place) => 1 - (place + 1) / own.length);
      found.push({ flow, number: of, transfers: own.length, took: finished, longer });
    }
  }
  return found;
}

/** How many of these transfers are under way at a moment: as far as the page has them. */
export function underWay({ arrived, took }: SizeClass, time: number): number {
  let found = 0;
  arrived.forEach((at, place) => {
    const lasted = took[place]!;
    if (at <= time && (Number.isNaN(lasted) || at + lasted > time)) found++;
  });
  return found;
}

/** Marks of a logarithmic axis between two values: 1, 2 and 5 of every power of ten, or the powers alone if many. */
export function logTicks(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const digits = last - first > 3 ? [1] : [1, 2, 5];
  const found: number[] = [];
  for (let power = first; power <= last; power++) {
    for (const digit of digits) {
      const at = Number(`${digit}e${power}`);
      if (at >= low * 0.999 && at <= high * 1.001) found.push(at);
    }
  }
  return found;
}
