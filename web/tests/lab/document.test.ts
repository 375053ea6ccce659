/** What ran in the laboratory, as the viewer has it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { changes, documentOf, secondsOf } from "../../src/lab/document.ts";
import type { Facts } from "../../src/lab/protocol.ts";

test("planned changes are told in the words of reports", () => {
  const scenario = {
    topology: { kind: "dumbbell", bottleneck: { changes: [{ at: "2 min", delay: "98 ms" }] } },
    links: {
      slow: {
        changes: [
          { at: "200 s", up: true },
          { at: "1500 ms", loss: { kind: "bernoulli", p: 0.002 }, rate: "1.5 Mbit/s" },
          { at: "180 s", up: false },
        ],
      },
    },
  };
  assert.deepEqual(changes(scenario), [
    { t_s: 1.5, text: "links.slow: loss bernoulli p 0.002, rate 1.5 Mbit/s" },
    { t_s: 120, text: "topology.bottleneck: delay 98 ms" },
    { t_s: 180, text: "links.slow: down" },
    { t_s: 200, text: "links.slow: up again" },
  ]);
});

test("who takes part is what the scenario says of it, whatever its name", () => {
  const flow = (name: string) => ({
    name,
    source: "a",
    receivers: [{ name: `${name}-0`, node: "b", there: [], back: [] }],
  });
  const late = [4, 11].map((at) => ({ at: `${at} s`, up: false }));
  const scenario = {
    duration: "20 s",
    links: { slow: { changes: late } },
    sessions: { film: { scheme: "tfmcc" } },
    flows: { web: { kind: "tcp", count: 2 }, constructor: { kind: "cbr" }, pages: { kind: "web" } },
  };
  const flows = ["web-1", "film", "constructor", "pages-0", "pages-1"].map(flow);
  const facts = { simulated_s: 10 } as Facts;
  const drawing = { map: { links: [], flows }, sky: null };
  const runs = [{ seed: 1, facts, tables: new Map() }];
  const { run } = documentOf({ scenario, text: "", runs, drawing, isCut: false }, "");
  assert.deepEqual(run!.traffic, [
    { name: "film", kind: "tfmcc", isSession: true, receivers: ["film-0"] },
    { name: "web-1", kind: "tcp", isSession: false, receivers: [] },
    { name: "constructor", kind: "cbr", isSession: false, receivers: [] },
    { name: "pages", kind: "web", isSession: false, receivers: [] },
  ]);
  assert.deepEqual(run!.changes, [{ t_s: 4, text: "links.slow: down" }], "it was cancelled after 10 s");
  assert.deepEqual([run!.time.stop_s, run!.time.warmup_s, run!.time.interval_s], [10, 0, 1]);
});

test("durations are read in every unit", () => {
  for (const [text, seconds] of [
    ["20 s", 20],
    ["1.5 min", 90],
    ["2 h", 7200],
    ["250 ms", 0.25],
    ["1e3 us", 1e-3],
  ] as const)
    assert.ok(Math.abs(secondsOf({ duration: text }, "duration", -1) - seconds) < 1e-12, text);
  assert.equal(secondsOf({ duration: "20 parsecs" }, "duration", -1), -1);
});
