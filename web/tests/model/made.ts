/** Tables made by hand for tests. */

import type { Column, Table } from "../../src/model/table.ts";

/** A table of columns: arrays of numbers, or of words. */
export function tableOf(columns: Record<string, number[] | string[]>): Table {
  const rows = Object.values(columns)[0]!.length;
  const made = new Map<string, Column>();
  for (const [name, values] of Object.entries(columns)) {
    if (typeof values[0] === "number")
      made.set(name, { kind: "numbers", values: Float64Array.from(values as number[]) });
    else {
      const words = [...new Set(values as string[])];
      const codes = Uint32Array.from(values as string[], (word) => words.indexOf(word));
      made.set(name, { kind: "words", codes, words });
    }
  }
  return { rows, columns: made };
}
