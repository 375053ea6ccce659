import assert from "node:assert/strict";
import { test } from "node:test";
import { classesOf, logTicks, timesOf, underWay } from "../../src/model/transfers.ts";
import { tableOf } from "./made.ts";

// As in python/tests/test_reporting_traffic.py.
const TRANSFERS = tableOf({
  t_s: [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
  flow: ["pages", "pages", "pages", "mail", "pages", "pages"],
  class: [1, 1, 2, 1, 2, 1],
  size_bytes: [4330, 9990, 10_500, 300, 99_000, 7000],
  completion_s: [9, 9, 4, 1, NaN, 2],
  slowdown: [9, 9, 4, 1, NaN, 2],
});

test("how many took longer, where no page has counted it", () => {
  const rows = timesOf(new Map([["transfers", TRANSFERS]]), 1).flatMap(({ flow, number, transfers, took, longer }) =>
    Array.from(took, (value, place) => [flow, number, transfers, value, Number(longer[place]!.toFixed(6))]),
  );
  assert.deepEqual(rows, [
    ["pages", 0, 3, 2, 0.666667],
    ["pages", 0, 3, 4, 0.333333],
    ["pages", 1, 1, 2, 0],
    ["pages", 2, 2, 4, 0.5],
    ["mail", 0, 1, 1, 0],
    ["mail", 1, 1, 1, 0],
  ]);
  const early = tableOf({ t_s: [0], flow: ["pages"], class: [1], size_bytes: [1], completion_s: [1] });
  assert.equal(timesOf(new Map([["transfers", early]]), 0).length, 2, "no warm-up leaves nothing out");
});

test("what a page has counted is taken, and nothing else", () => {
  const times = tableOf({
    flow: ["pages", "pages", "pages"],
    class: [0, 0, 1],
    transfers: [50, 50, 7],
    took_s: [1, 2, 3],
    longer: [0.5, 0.1, 0],
  });
  const tables = new Map([
    ["transfers", TRANSFERS],
    ["times", times],
  ]);
  assert.deepEqual(timesOf(tables, 1), [
    { flow: "pages", number: 0, transfers: 50, took: Float64Array.of(1, 2), longer: Float64Array.of(0.5, 0.1) },
    { flow: "pages", number: 1, transfers: 7, took: Float64Array.of(3), longer: Float64Array.of(0) },
  ]);
});

test("classes of size, of all entries and of one, with the sizes that there are", () => {
  assert.deepEqual(
    classesOf(TRANSFERS, null).map(({ number, sizes, arrived }) => [number, sizes, [...arrived]]),
    [
      [1, "0.3 to 10 KB", [0.5, 1, 2, 3]],
      [2, "11 to 99 KB", [1.5, 2.5]],
    ],
  );
  assert.deepEqual(
    classesOf(TRANSFERS, "mail").map(({ number, sizes, took }) => [number, sizes, [...took]]),
    [[1, "300 B", [1]]],
  );
  assert.deepEqual(classesOf(undefined, null), []);
});

test("a transfer is under way from its arrival until it is done, and what is not finished to the end", () => {
  const [, large] = classesOf(TRANSFERS, null);
  assert.deepEqual(
    [1.4, 1.5, 2.6, 5.5, 99].map((time) => underWay(large!, time)),
    [0, 1, 2, 1, 1],
  );
});

test("a logarithmic axis has round marks", () => {
  assert.deepEqual(logTicks(0.13, 2.5), [0.2, 0.5, 1, 2]);
  assert.deepEqual(logTicks(0.001, 1), [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  assert.deepEqual(logTicks(0.00001, 1), [0.00001, 0.0001, 0.001, 0.01, 0.1, 1]);
});
