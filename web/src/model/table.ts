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

/** What a moment may lie beside the end of an interval, seconds. */
const ENDS = 1e-9;

/** The first place whose moment is at or after `time`. */
export function placeOf(t: Float64Array, time: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! < time - ENDS) low = middle + 1;
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
