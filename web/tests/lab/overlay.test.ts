/** Numbers over time of what ran: who is one line, and who is not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lines, shownOf } from "../../src/lab/overlay.tsx";
import type { Facts } from "../../src/lab/protocol.ts";
import type { Outcome } from "../../src/lab/store.ts";
import type { Table } from "../../src/model/table.ts";
import { tableOf } from "../model/made.ts";

/** Two sessions that have groups of one number and are behind one link, and ways from one node to two. */
const TABLES = new Map<string, Table>([
  [
    "layers",
    tableOf({
      t_s: [1, 1, 1, 2, 2, 2],
      session: ["a", "a", "b", "a", "a", "b"],
      group: [0, 1, 0, 0, 1, 0],
      rate_bps: [10, 20, 30, 11, 21, 31],
    }),
  ],
  ["dilation", tableOf({ t_s: [1, 1], session: ["a", "b"], link: ["slow", "slow"], dilation_max: [1, 2] })],
  ["paths", tableOf({ t_s: [0, 0], from: ["x", "x"], to: ["y", "z"], delay_s: [0.1, 0.2] })],
]);

function outcome(...seeds: Map<string, Table>[]): Outcome {
  const runs = seeds.map((tables, place) => ({ seed: place + 1, facts: {} as Facts, tables }));
  return { scenario: {}, text: "", runs, drawing: null, isCut: false };
}

test("everything that is offered is drawn, each by itself", () => {
  const drawn = Object.fromEntries(
    shownOf(TABLES).map((shown) => [
      `${shown.table}.${shown.column}`,
      lines([outcome(TABLES)], shown).lines.map(({ label, v }) => `${label}: ${[...v].join(" ")}`),
    ]),
  );
  assert.deepEqual(drawn, {
    "paths.delay_s": ["x to y: 0.1", "x to z: 0.2"],
    "layers.rate_bps": ["a 0: 10 11", "a 1: 20 21", "b 0: 30 31"],
    "dilation.dilation_max": ["a slow: 1", "b slow: 2"],
  });
});

test("the band is that of the same one in all seeds", () => {
  const other = new Map([
    ["dilation", tableOf({ t_s: [1, 1], session: ["b", "a"], link: ["slow", "slow"], dilation_max: [6, 5] })],
  ]);
  const shown = shownOf(TABLES).find(({ table }) => table === "dilation")!;
  const found = lines([outcome(TABLES, other)], shown).lines;
  assert.deepEqual(
    found.map(({ label, v, low, high }) => [label, v[0], low?.[0], high?.[0]]),
    [
      ["a slow", 1, 1, 5],
      ["b slow", 2, 2, 6],
    ],
  );
});

test("no two lines of one scenario look alike, nor those of two", () => {
  const words = Array.from({ length: 14 }, (_, place) => `flow-${place}`);
  const many = new Map([["flows", tableOf({ t_s: words.map(() => 1), flow: words, rate_bps: words.map(() => 1) })]]);
  const shown = shownOf(many)[0]!;
  for (const outcomes of [[outcome(many)], [outcome(many), outcome(many)]]) {
    const found = lines(outcomes, shown).lines;
    const looks = new Set(found.map(({ colour, dash }) => `${colour} ${dash.join(" ")}`));
    assert.equal(found.length, 14 * outcomes.length);
    if (outcomes.length === 1) assert.equal(looks.size, 14);
    else
      for (const [a, b] of found.slice(0, 14).map((line, at) => [line, found[14 + at]!] as const)) {
        assert.notDeepEqual(a.dash, b.dash, a.label);
      }
  }
});
