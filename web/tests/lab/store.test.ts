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

  check = (text: string) => Promise.resolve({ problems: [], count: 0, scenario: { name: text, duration: "1 s" } });
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
