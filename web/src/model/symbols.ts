/** Links that send symbols: which modulation and code each leg is granted over time, and which it could receive. */

import { modcodOf } from "./modcods.ts";
import { digits } from "./format.ts";
import { has, numbers, rowsBy, series, subjects, type Table } from "./table.ts";
import { stretchesOf, type Stretch } from "./strips.ts";

/** A leg that hears symbols. */
export interface Leg {
  name: string;
  /** Bits in a symbol that it is granted. */
  stretches: Stretch[];
  /** Packets that came above what it could receive. */
  undecoded: number;
}

/** All legs, those that lost most first. */
export function legsOf(acm: Table | undefined): Leg[] {
  if (acm === undefined || !has(acm, "granted_bits_per_symbol")) return [];
  const undecoded = numbers(acm, "undecoded_pkts");
  const found = subjects(acm, "link").map((name): Leg => ({
    name,
    stretches: stretchesOf(series(acm, "link", name, "granted_bits_per_symbol")),
    undecoded: Array.from(rowsBy(acm, "link").get(name) ?? []).reduce((sum, row) => sum + (undecoded[row] || 0), 0),
  }));
  return found.filter(({ stretches }) => stretches.length > 0).sort((one, other) => other.undecoded - one.undecoded);
}

/** The links that send symbols, and not legs of them: nothing is granted to them. */
export function carriersOf(acm: Table | undefined): string[] {
  if (acm === undefined) return [];
  return subjects(acm, "link").filter((name) =>
    series(acm, "link", name, "granted_bits_per_symbol").v.every((value) => Number.isNaN(value)),
  );
}

/** What a symbol carries, with the name of the modulation and code if it is one of the table. */
export function sayBits(bits: number): string {
  if (bits === 0) return "outage";
  const name = modcodOf(bits);
  return `${name === undefined ? "" : `${name}, `}${digits(bits)} bits in a symbol`;
}
