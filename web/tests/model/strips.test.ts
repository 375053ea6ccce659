import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf } from "../../src/model/marks.ts";
import { limitingOf, phasesOf, stateAt, stretchesOf } from "../../src/model/strips.ts";
import { tableOf } from "./made.ts";

const EVENTS = tableOf({
  t_s: [1, 2, 4, 5],
  flow: ["film", "web", "film", "film"],
  receiver: ["film-0", "", "film-1", ""],
  event: ["limiting-receiver", "loss-reduction", "limiting-receiver", "limiting-receiver"],
  before: [NaN, 8, NaN, NaN],
  after: [NaN, 4, NaN, NaN],
  layer: [NaN, NaN, NaN, NaN],
});

test("equal levels side by side are one stretch, and gaps stay", () => {
  const level = { t: Float64Array.of(1, 2, 3, 4, 5), v: Float64Array.of(2, 2, NaN, 2, 3) };
  assert.deepEqual(stretchesOf(level), [
    { from: 0, to: 2, state: 2 },
    { from: 3, to: 4, state: 2 },
    { from: 4, to: 5, state: 3 },
  ]);
  assert.equal(stateAt(stretchesOf(level), 0), 2, "the beginning is of the first interval");
  assert.equal(stateAt(stretchesOf(level), 2), 2);
  assert.equal(stateAt(stretchesOf(level), 2.5), undefined);
  assert.equal(stateAt(stretchesOf(level), 4.5), 3);
});

test("a receiver limits from its event to the next one, and nobody where none is named", () => {
  assert.deepEqual(limitingOf(EVENTS, "film", 9), [
    { from: 1, to: 4, state: "film-0" },
    { from: 4, to: 5, state: "film-1" },
  ]);
});

test("marks are sentences in the order of time, with whom they are about", () => {
  const handoffs = tableOf({ t_s: [3], station: ["boston"], from: ["sat-1"], to: ["sat-2"] });
  const tables = new Map([
    ["events", EVENTS],
    ["handoffs", handoffs],
  ]);
  const marks = marksOf(tables, [{ t_s: 2.5, text: "links.bottleneck: down" }]);
  assert.deepEqual(
    marks.map(({ t, kind }) => [t, kind]),
    [
      [1, "limiting receiver"],
      [2, "losses"],
      [2.5, "network changes"],
      [3, "hand-offs"],
      [4, "limiting receiver"],
      [5, "limiting receiver"],
    ],
  );
  assert.equal(marks[1]!.text, "web reduced its window after a loss, from 8 to 4 packets");
  assert.equal(marks[3]!.text, "boston turned to sat-2 from sat-1");
  assert.equal(marks[5]!.text, "nobody limits film any more");
  assert.deepEqual(marks[0]!.about, ["film", "film-0"]);
});

test("a rate that becomes defined is a join, one that ends a leave", () => {
  const receivers = tableOf({
    t_s: [1, 2, 3, 4, 5],
    session: ["film", "film", "film", "film", "film"],
    receiver: ["film-0", "film-0", "film-0", "film-0", "film-0"],
    rate_bps: [NaN, 5, 6, NaN, NaN],
  });
  const marks = marksOf(new Map([["receivers", receivers]]), []);
  assert.deepEqual(
    marks.map(({ t, kind }) => [t, kind]),
    [
      [2, "joins of receivers"],
      [4, "leaves of receivers"],
    ],
  );
});

test("phases of a queue go from one event to the next, by link and session", () => {
  const events = tableOf({
    t_s: [1, 3, 4, 6],
    link: ["a", "a", "b", "a"],
    event: ["phase", "phase", "phase", "blocked"],
    about: ["interface", "interface", "film", "film/2"],
    value: [1, 3, 2, NaN],
  });
  assert.deepEqual(phasesOf(new Map([["router_events", events]]), 9), [
    {
      name: "a",
      stretches: [
        { from: 1, to: 3, state: 1 },
        { from: 3, to: 9, state: 3 },
      ],
    },
    { name: "b, film", stretches: [{ from: 4, to: 9, state: 2 }] },
  ]);
});

test("a station is turned to a satellite, from one or from none, or is left without", () => {
  const handoffs = tableOf({
    t_s: [1, 2, 3],
    station: ["x", "x", "x"],
    from: ["", "s1", "s2"],
    to: ["s1", "s2", ""],
  });
  assert.deepEqual(
    marksOf(new Map([["handoffs", handoffs]]), []).map(({ text }) => text),
    ["x turned to s1", "x turned to s2 from s1", "x lost s2, and is left without a satellite"],
  );
});

test("what a router does to a group is about its session and its link", () => {
  const events = tableOf({ t_s: [1], link: ["slow"], event: ["blocked"], about: ["film/3"], value: [NaN] });
  const [mark] = marksOf(new Map([["router_events", events]]), []);
  assert.deepEqual([mark!.kind, mark!.about, mark!.text], ["blocked", ["slow", "film"], "slow blocked film/3"]);
});
