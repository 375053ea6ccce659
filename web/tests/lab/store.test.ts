/** Runs of the laboratory that overlap: only what was asked for last is shown. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Core, Watcher } from "../../src/lab/core.ts";
import type { Facts } from "../../src/lab/protocol.ts";
import { Store } from "../../src/lab/store.ts";

const FACTS: Facts = {
  interrupted: false,
  simulated_s: 1,
  packet_hops: 1,
  events: 1,
  trace: null,
  warnings: [],
  wall_s: 0,
};

/** A core whose runs go on until they are told to end. */
class Patient {
  about = new Promise<never>(() => undefined);
  runs: { watcher: Watcher; end: (cancelled: boolean) => void; isCancelled: boolean }[] = [];
  /** Drawings that nobody has been given yet. */
  drawings: (() => void)[] = [];
  isDrawing = true;

  /** Texts that were looked at. */
  looks: string[] = [];

  places = () => Promise.resolve([{ line: 1, known: 4, value: [0, 1] as [number, number] }]);
  check = (text: string) => {
    this.looks.push(text);
    return Promise.resolve({
      problems: [],
      count: 0,
      ...(text === "wrong" ? {} : { scenario: { name: text, duration: "1 s" } }),
      ...(text === "large" ? { memory: 1e12 } : {}),
    });
  };
  drawing = () =>
    new Promise((resolve) => {
      const give = () => resolve({ map: { links: [], flows: [] }, sky: null });
      if (this.isDrawing) give();
      else this.drawings.push(give);
    });

  run = (_: string, seeds: number[], watcher: Watcher) => {
    let end: (cancelled: boolean) => void = () => undefined;
    const over = new Promise<{ cancelled: boolean }>((resolve) => (end = (cancelled) => resolve({ cancelled })));
    const run = {
      watcher,
      isCancelled: false,
      end: (cancelled: boolean) => {
        watcher.tables(seeds[0] ?? 1, FACTS, new Map());
        end(cancelled);
      },
    };
    this.runs.push(run);
    return { over, cancel: () => (run.isCancelled = true) };
  };
}

function made(texts: string[]): [Patient, Store] {
  const core = new Patient();
  const store = new Store(core as unknown as Core);
  store.open(texts);
  return [core, store];
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
const shown = (store: Store) => store.state.sides.map((side) => side.outcome?.scenario["name"] ?? null);

test("what an earlier run gives is not shown once another was asked for", async () => {
  const [core, store] = made(["first"]);
  void store.run();
  await soon();
  store.write(0, "second");
  void store.run();
  await soon();
  assert.deepEqual([core.runs.length, core.runs[0]?.isCancelled], [2, true]);
  core.runs[0]?.end(true);
  await soon();
  assert.deepEqual(shown(store), [null]);
  assert.notEqual(store.state.running, null);
  core.runs[1]?.end(false);
  await soon();
  assert.deepEqual([shown(store), store.state.running], [["second"], null]);
});

test("of two scenarios the second does not begin when the first was cancelled", async () => {
  const [core, store] = made(["a", "b"]);
  void store.run();
  await soon();
  store.cancel();
  core.runs[0]?.end(true);
  await soon();
  assert.deepEqual([core.runs.length, shown(store), store.state.running], [1, ["a", null], null]);
  assert.equal(store.state.sides[0]?.outcome?.isCut, true);
});

test("a run that has not begun can be cancelled, and does not begin", async () => {
  const [core, store] = made(["a"]);
  core.isDrawing = false;
  void store.run();
  await soon();
  assert.notEqual(store.state.running, null);
  store.cancel();
  assert.equal(store.state.running, null);
  core.drawings.forEach((give) => give());
  await soon();
  assert.equal(core.runs.length, 0);
});

test("what runs is given up when the next one cannot begin: nothing seems to run on", async () => {
  for (const part of ["text", "seeds"]) {
    const [core, store] = made(["first"]);
    void store.run();
    await soon();
    if (part === "text") store.write(0, "wrong");
    else store.set({ seeds: "none" });
    void store.run();
    await soon();
    assert.deepEqual([core.runs[0]?.isCancelled, store.state.running], [true, null], part);
    core.runs[0]?.end(true);
    await soon();
    assert.deepEqual([core.runs.length, shown(store), store.state.running], [1, [null], null], part);
  }
});

test("what a scenario gave is not shown with another that was opened since", async () => {
  const [core, store] = made(["first"]);
  void store.run();
  await soon();
  store.open(["second"]);
  assert.deepEqual([core.runs[0]?.isCancelled, store.state.running], [true, null]);
  core.runs[0]?.end(true);
  await soon();
  assert.deepEqual(shown(store), [null]);
});

test("while the text of a run is looked at it can be cancelled", async () => {
  const [core, store] = made(["a"]);
  void store.run();
  assert.notEqual(store.state.running, null);
  store.cancel();
  await soon();
  assert.deepEqual([core.runs.length, store.state.running], [0, null]);
});

test("what has no room is not run, nor is its network drawn", async () => {
  const [core, store] = made(["large", "b"]);
  core.isDrawing = false;
  void store.run();
  await soon();
  assert.match(store.state.sides[0]?.failure ?? "", /more memory than a browser gives a page/);
  assert.equal(core.drawings.length, 1, "that of b");
});

test("of texts that are changed faster than they can be looked at the first and the last are", async () => {
  const [core, store] = made(["a"]);
  for (const text of ["ab", "abc", "abcd"]) store.write(0, text);
  await soon();
  assert.deepEqual(core.looks, ["a", "abcd"].slice(-core.looks.length));
  assert.equal(store.state.sides[0]?.scenario?.["name"], "abcd");
  let answer: () => void = () => undefined;
  core.check = (text) => {
    core.looks.push(text);
    return new Promise((resolve) => {
      answer = () => resolve({ problems: [], count: 0, scenario: { name: text, duration: "1 s" } });
    });
  };
  core.looks = [];
  for (const text of ["1", "12", "123", "1234"]) {
    store.write(0, text);
    await soon();
  }
  assert.deepEqual(core.looks, ["1"]);
  answer();
  await soon();
  assert.deepEqual(core.looks, ["1", "1234"]);
  answer();
  await soon();
  assert.equal(store.state.sides[0]?.scenario?.["name"], "1234");
});

test("what was written can be had back when something else was opened, a text that was only turned cannot", async () => {
  const [, store] = made(["an example"]);
  const left = () => store.state.left;
  store.open(["another"]);
  assert.equal(left(), null);
  store.write(0, "mine");
  store.set({ seeds: "3" });
  store.open(["a visit"], { seeds: "1" });
  assert.deepEqual(left(), { texts: ["mine"], seeds: "3", knobs: [] });
  void store.turn("seed", "2");
  await soon();
  store.open(["the next visit"]);
  assert.deepEqual(left()?.texts, ["mine"]);
  store.back();
  assert.deepEqual([store.side.text, store.state.seeds, left()], ["mine", "3", null]);
  store.open(["a visit"]);
  assert.deepEqual(left()?.texts, ["mine"]);
  await soon();
});
