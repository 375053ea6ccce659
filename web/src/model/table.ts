/**
 * Tables as the core has them: named columns of equal length, numbers or words, the unit in a column's name
 * (`t_s`, `rate_bps`). What the columns mean stands in docs/results.md.
 */

export interface Numbers {
  kind: "numbers";
  /** NaN where a number does not apply. */
  values: Float64Array;
}

export interface Words {
  kind: "words";
  /** Of every row the place of its word in `words`. */
  codes: Uint32Array;
  words: string[];
}

export type Column = Numbers | Words;

export interface Table {
  rows: number;
  columns: Map<string, Column>;
}

/** The values of one column of one subject, in the order of time. */
export interface Series {
  t: Float64Array;
  v: Float64Array;
}

const NOTHING = new Float64Array(0);
const EMPTY: Words = { kind: "words", codes: new Uint32Array(0), words: [] };

/** A column of numbers; an empty one if the table has none of this name. */
export function numbers(table: Table | undefined, name: string): Float64Array {
  const column = table?.columns.get(name);
  return column?.kind === "numbers" ? column.values : NOTHING;
}

/** A column of words; an empty one if the table has none of this name. */
export function words(table: Table | undefined, name: string): Words {
  const column = table?.columns.get(name);
  return column?.kind === "words" ? column : EMPTY;
}

/** Whether a table has rows and a column of this name in which something is defined. */
export function has(table: Table | undefined, name: string): boolean {
  const column = table?.columns.get(name);
  if (table === undefined || column === undefined || table.rows === 0) return false;
  return column.kind === "words" || column.values.some((value) => !Number.isNaN(value));
}

const places = new WeakMap<Table, Map<string, Map<string, Uint32Array>>>();

/** The rows of each word of a column, found once for a table. */
export function rowsBy(table: Table, subject: string): Map<string, Uint32Array> {
  let known = places.get(table);
  if (known === undefined) places.set(table, (known = new Map()));
  let found = known.get(subject);
  if (found === undefined) known.set(subject, (found = sorted(words(table, subject))));
  return found;
}

function sorted({ codes, words }: Words): Map<string, Uint32Array> {
  const counts = new Uint32Array(words.length);
  for (const code of codes) counts[code]!++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  const next = new Uint32Array(words.length);
  codes.forEach((code, row) => (rows[code]![next[code]!++] = row));
  return new Map(words.map((word, code): [string, Uint32Array] => [word, rows[code]!]).filter(([, of]) => of.length));
}

/** The words of a column that have rows, in the order in which they come. */
export function subjects(table: Table | undefined, subject: string): string[] {
  return table === undefined ? [] : [...rowsBy(table, subject).keys()];
}

const known = new WeakMap<Table, Map<string, Series>>();

/** A column of one subject over time, found once; empty if there is no such column or subject. */
export function series(table: Table | undefined, subject: string, name: string, value: string): Series {
  if (table === undefined) return { t: NOTHING, v: NOTHING };
  let of = known.get(table);
  if (of === undefined) known.set(table, (of = new Map()));
  const key = JSON.stringify([subject, name, value]);
  let found = of.get(key);
  if (found === undefined) of.set(key, (found = taken(table, subject, name, value)));
  return found;
}

function taken(table: Table, subject: string, name: string, value: string): Series {
  const rows = rowsBy(table, subject).get(name);
  const values = numbers(table, value);
  if (rows === undefined || values.length === 0) return { t: NOTHING, v: NOTHING };
  const times = numbers(table, "t_s");
  return { t: Float64Array.from(rows, (row) => times[row]!), v: Float64Array.from(rows, (row) => values[row]!) };
}

/** A series of those that several columns tell apart, with what they say of it. */
export interface Named extends Series {
  names: string[];
}

const told = new WeakMap<Table, Map<string, Named[]>>();

/** A column over time of everybody whom some columns tell apart, in the order in which they come; found once. */
export function seriesBy(table: Table | undefined, by: string[], value: string): Named[] {
  if (table === undefined) return [];
  let of = told.get(table);
  if (of === undefined) told.set(table, (of = new Map()));
  const key = JSON.stringify([by, value]);
  let found = of.get(key);
  if (found === undefined) of.set(key, (found = apart(table, by, value)));
  return found;
}

function apart(table: Table, by: string[], value: string): Named[] {
  const [times, values] = [numbers(table, "t_s"), numbers(table, value)];
  const columns = by.map((name) => table.columns.get(name));
  if (values.length === 0 || !columns.every((column) => column !== undefined)) return [];
  const codes = columns.map((column) => (column.kind === "words" ? column.codes : column.values));
  const rows = new Map<string, number[]>();
  for (let row = 0; row < table.rows; row++) {
    const key = codes.map((of) => of[row]).join(" ");
    const known = rows.get(key);
    if (known === undefined) rows.set(key, [row]);
    else known.push(row);
  }
  const name = (column: Column, row: number) =>
    column.kind === "words" ? column.words[column.codes[row]!]! : String(column.values[row]);
  return [...rows.values()].map((of) => ({
    names: columns.map((column) => name(column, of[0]!)),
    t: Float64Array.from(of, (row) => times[row]!),
    v: Float64Array.from(of, (row) => values[row]!),
  }));
}

/** Whether series have the same moments: those of a thinned table often have as many, but others. */
export function haveOneTime(all: Series[]): boolean {
  const first = all[0]?.t ?? NOTHING;
  return all.every(({ t }) => t === first || (t.length === first.length && t.every((time, at) => time === first[at])));
}

/** What a moment may lie beside the end of an interval, seconds. */
const ENDS = 1e-9;

/** The first place whose moment is at or after `time`. */
export function placeOf(t: Float64Array, time: number): number {
  return firstAt(t.length, (place) => t[place]!, time);
}

/** Of rows in the order of time the place of the first whose moment is at or after `time`. */
export function rowAt(rows: Uint32Array, times: Float64Array, time: number): number {
  return firstAt(rows.length, (place) => times[rows[place]!]!, time);
}

function firstAt(length: number, momentOf: (place: number) => number, time: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (momentOf(middle) < time - ENDS) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of values that stand for the interval that ends at their moment that of the interval in which `time` lies. */
export function during({ t, v }: Series, time: number): number {
  return v[placeOf(t, time)] ?? NaN;
}

/** Of values of the moment the latest one. */
export function latest({ t, v }: Series, time: number): number {
  return v[placeOf(t, time + 2 * ENDS) - 1] ?? NaN;
}
