/** The network at a moment, of tables made by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Drawing, MapLink } from "../../src/model/document.ts";
import { isMember, linksNow, linksOf, queueNow, satelliteOf, waysNow } from "../../src/model/now.ts";
import { tableOf } from "./made.ts";

const link = (name: string, ups: [number, boolean][] = []): MapLink => ({
  name,
  from: "a",
  to: "b",
  carrier: null,
  rate_bps: 1e6,
  queue: { kind: "drop-tail" },
  loss: { kind: "none" },
  ups,
});

const DRAWING: Drawing = {
  map: {
    links: [
      link("up"),
      link("down", [
        [5, false],
        [8, true],
      ]),
      link("unknown"),
    ],
    flows: [
      {
        name: "film",
        source: "a",
        receivers: [
          { name: "film-0", node: "b", there: ["up"], back: ["down"] },
          { name: "film-1", node: "b", there: ["up", "unknown"], back: [] },
        ],
      },
    ],
  },
};
/** Every count is another power of two, so that each sum says what it is of. */
const LINKS = tableOf({
  t_s: [4, 4, 8, 8],
  link: ["up", "down", "up", "down"],
  rate_bps: [100, 200, 300, 400],
  utilisation: [0.1, 0.2, 0.3, 0.4],
  dropped_overflow_pkts: [1, 0, 0, 0],
  dropped_active_pkts: [2, 0, 0, 0],
  held_back_pkts: [4, 0, 0, 0],
  dropped_down_pkts: [8, 0, 0, 0],
  discarded_pkts: [16, 0, 0, 64],
  rerouted_pkts: [1000, 0, 0, 0],
  lost_pkts: [32, 0, 0, 0],
  unreceived_pkts: [128, 0, 0, 256],
});

test("a link has the numbers of the interval in which the moment lies", () => {
  const now = linksNow(DRAWING, LINKS, 4);
  const { utilisation, rate_bps, dropped_pkts, lost_pkts } = now.get("up")!;
  assert.deepEqual([utilisation, rate_bps, dropped_pkts, lost_pkts], [0.1, 100, 31, 160]);
  const later = linksNow(DRAWING, LINKS, 4.5).get("down")!;
  assert.deepEqual([later.utilisation, later.rate_bps, later.dropped_pkts, later.lost_pkts], [0.4, 400, 64, 256]);
});

test("of a link without rows, and after the last of them, nothing is known", () => {
  for (const state of [
    linksNow(DRAWING, LINKS, 4).get("unknown")!,
    linksNow(DRAWING, LINKS, 9).get("up")!,
    linksNow(DRAWING, undefined, 4).get("up")!,
  ]) {
    assert.deepEqual([state.utilisation, state.rate_bps, state.dropped_pkts, state.lost_pkts], [NaN, NaN, 0, 0]);
  }
});

test("a link is down from the moment at which it goes down to that at which it comes up", () => {
  const up = [0, 4.999, 5, 7.999, 8].map((time) => linksNow(DRAWING, LINKS, time).get("down")!.is_up);
  assert.deepEqual(up, [true, true, false, false, true]);
});

test("a session has the links of all its receivers, a receiver its own, a link itself", () => {
  assert.equal(linksOf(DRAWING, null), null);
  assert.deepEqual([...linksOf(DRAWING, "film")!], ["up", "unknown"]);
  assert.deepEqual([...linksOf(DRAWING, "film-0")!], ["up"]);
  assert.deepEqual([...linksOf(DRAWING, "down")!], ["down"]);
  assert.equal(linksOf(DRAWING, "nobody"), null);
});

test("a station is turned to one satellite between two hand-offs, to none in a gap", () => {
  const handoffs = tableOf({
    t_s: [10, 15, 20, 30],
    station: ["x", "y", "x", "x"],
    from: ["s1", "s7", "s2", ""],
    to: ["s2", "s8", "", "s3"],
  });
  const at = (time: number) => satelliteOf(handoffs, "x", time);
  assert.deepEqual([0, 9.999, 10, 19.999, 20, 29.999, 30, 99].map(at), ["s1", "s1", "s2", "s2", "", "", "s3", "s3"]);
  assert.equal(satelliteOf(handoffs, "z", 10), undefined);
  assert.equal(satelliteOf(undefined, "x", 10), undefined);
});

test("a way is the last one that was found by the moment", () => {
  const paths = tableOf({
    t_s: [0, 0, 5, 7],
    from: ["x", "y", "x", "y"],
    to: ["z", "z", "z", "z"],
    way: ["x > s1 > z", "y > z", "", "y > s2 > z"],
    delay_s: [0.1, 0.2, NaN, 0.3],
  });
  const at = (time: number) => waysNow(paths, time).map(({ from, way, delay }) => [from, way.join(" "), delay]);
  assert.deepEqual(at(4.999), [
    ["x", "x s1 z", 0.1],
    ["y", "y z", 0.2],
  ]);
  assert.deepEqual(at(5), [
    ["x", "", NaN],
    ["y", "y z", 0.2],
  ]);
  assert.deepEqual(at(7)[1], ["y", "y s2 z", 0.3]);
});

test("who has no rate in the interval is no member; a queue is as long as it was last seen", () => {
  const receivers = tableOf({ t_s: [1, 2], receiver: ["r", "r"], rate_bps: [5, NaN] });
  assert.deepEqual(
    [0.5, 1, 1.5].map((time) => isMember(receivers, "r", time)),
    [true, true, false],
  );
  assert.equal(isMember(receivers, "q", 1), undefined);
  const queues = tableOf({ t_s: [1, 2], link: ["up", "up"], queue_pkts: [3, 4] });
  assert.deepEqual(
    [1, 1.999, 2].map((time) => queueNow(queues, "up", time)),
    [3, 3, 4],
  );
  assert.ok(Number.isNaN(queueNow(queues, "up", 0.5)));
});
