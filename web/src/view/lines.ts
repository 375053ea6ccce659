/** The lines of pictures over time: a column of a table, subject by subject. */

import { lookOf } from "../model/colours.ts";
import { has, series, subjects, type Series as Measured, type Table } from "../model/table.ts";
import type { Line } from "./chart.tsx";

interface Wanted {
  tables: Map<string, Table>;
  bands: Map<string, Table> | undefined;
  table: string;
  subject: string;
  column: string;
  look: (name: string, place: number) => Partial<Line>;
}

/** The lines of a column, subject by subject, those with a value. */
export function linesOf({ tables, bands, table, subject, column, look }: Wanted): Line[] {
  const own = tables.get(table);
  const over = bands?.get(table);
  if (!has(own, column) && !has(over, `${column}.mean`)) return [];
  const names = subjects(over ?? own, subject);
  return names
    .map((name, place): Line => {
      const plain = { name, label: name, ...lookOf(place), width: 1.4, ...look(name, place) };
      if (!has(over, `${column}.mean`)) {
        const found = series(own, subject, name, column);
        return { ...plain, series: table === "receivers" ? whileMember(own, name, found) : found };
      }
      const [mean, low, high] = ["mean", "low", "high"].map((end) => series(over, subject, name, `${column}.${end}`));
      return { ...plain, series: mean!, band: { low: low!, high: high! } };
    })
    .filter((line) => line.series.v.some((value) => Number.isFinite(value)));
}

/** What a receiver has measured stays as it was when it has left, but then it means nothing any more. */
function whileMember(receivers: Table | undefined, name: string, { t, v }: Measured): Measured {
  const rate = series(receivers, "receiver", name, "rate_bps").v;
  return { t, v: v.map((value, row) => (Number.isNaN(rate[row]!) ? NaN : value)) };
}
