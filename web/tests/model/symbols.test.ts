import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { modcodOf } from "../../src/model/modcods.ts";
import { pathOf } from "../../src/model/series_svg.ts";
import { carriersOf, legsOf, sayBits } from "../../src/model/symbols.ts";
import { tableOf } from "./made.ts";

const ACM = tableOf({
  t_s: [1, 1, 1, 2, 2, 2],
  link: ["downlink", "dry", "wet", "downlink", "dry", "wet"],
  symbols: [9, 4, 5, 9, 4, 5],
  sent_bits_per_symbol: [3, 3, 3, 2, 2, 2],
  present_bits_per_symbol: [NaN, 4.339, 4.339, NaN, 4.339, 0],
  granted_bits_per_symbol: [NaN, 4.338659, 4.338659, NaN, 4.338659, 0],
  undecoded_pkts: [0, 0, 3, 0, 0, 4],
});

test("names of modulations and codes are those of the tables of the core", () => {
  const rows = ["s2", "s2x"].flatMap((table) => {
    const file = new URL(`../../../crates/sim/src/acm/${table}-normal.csv`, import.meta.url);
    const [head, ...rows] = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    assert.equal(head!.split(",").indexOf("efficiency"), 3);
    return rows.map((row) => row.split(","));
  });
  assert.equal(rows.length, 28 + 39);
  for (const cells of rows) {
    const same = rows.filter((other) => other[3] === cells[3]).map((other) => other[0]);
    assert.ok(same.includes(modcodOf(Number(cells[3]))), cells.join());
  }
  assert.equal(modcodOf(2.5), undefined);
});

test("legs are those to which something is granted, and who lost most comes first", () => {
  assert.deepEqual(carriersOf(ACM), ["downlink"]);
  assert.deepEqual(legsOf(ACM), [
    {
      name: "wet",
      stretches: [
        { from: 0, to: 1, state: 4.338659 },
        { from: 1, to: 2, state: 0 },
      ],
      undecoded: 7,
    },
    { name: "dry", stretches: [{ from: 0, to: 2, state: 4.338659 }], undecoded: 0 },
  ]);
  assert.deepEqual([legsOf(undefined), carriersOf(undefined)], [[], []]);
});

test("what a symbol carries is said by name where it has one", () => {
  assert.equal(sayBits(4.338659), "64APSK 11/15, 4.339 bits in a symbol");
  assert.equal(sayBits(2.37), "2.37 bits in a symbol");
  assert.equal(sayBits(0), "outage");
});

test("steps go up at the beginning of an interval, and a gap stays a gap", () => {
  const same = (value: number) => value;
  const t = [1, 2, 3, 4, 5];
  assert.equal(pathOf(t, [7, 7, 8, NaN, 9], same, same, true), "M1.00 7.00V7.00H2.00V8.00H3.00M5.00 9.00");
  assert.equal(pathOf(t, [7, 7, 8, NaN, 9], same, same), "M1.00 7.00L2.00 7.00L3.00 8.00M5.00 9.00");
});
