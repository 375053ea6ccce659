import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sweep } from "../../src/model/document.ts";
import { Store } from "../../src/model/store.ts";
import { panelsOf } from "../../src/model/sweep.ts";

function sweep(): Sweep {
  const path = (name: string, values: string[]) => ({
    path: name,
    unit: "",
    isNumber: true,
    values,
    places: values.map(Number),
  });
  const points = ["30 1 8", "10 1 8", "10 2 8", "30 2 8", "10 1 9"].map((text) => {
    const values = text.split(" ");
    return { values, places: values.map(Number), seeds: "1", hash: "", command: "", options: "" };
  });
  return {
    paths: [path("limit", ["10", "30"]), path("flows", ["1", "2"]), path("delay", ["8", "9"])],
    points,
    metrics: [],
    usual: [],
    name: "made",
    scenarios: [],
  };
}

test("paths that are neither along x nor apart give panels, and points go along x", () => {
  const panels = panelsOf(sweep(), 0, 1);
  assert.deepEqual(
    panels.map(({ title, series }) => [title, series]),
    [
      [
        "delay = 8",
        [
          { name: "1", points: [1, 0] },
          { name: "2", points: [2, 3] },
        ],
      ],
      ["delay = 9", [{ name: "1", points: [4] }]],
    ],
  );
});

test("lines stand in the order of their values, whichever point comes first", () => {
  const found = sweep();
  found.points.reverse();
  const [panel] = panelsOf(found, 0, 1).filter(({ title }) => title === "delay = 8");
  assert.deepEqual(
    panel!.series.map(({ name }) => name),
    ["1", "2"],
  );
});

test("the moment stays within the run, and a stretch that is empty is the whole run", () => {
  const store = new Store(100, 1, null);
  store.goTo(500);
  assert.equal(store.state.time, 100);
  store.zoom(60, 20);
  assert.deepEqual([store.state.from, store.state.to], [20, 60]);
  store.zoom(30, 30);
  assert.deepEqual([store.state.from, store.state.to], [0, 100]);
  store.only("film");
  store.only("film");
  assert.equal(store.state.alone, null);
});
