import assert from "node:assert/strict";
import { test } from "node:test";
import type { Traffic } from "../../src/model/document.ts";
import { marksOf } from "../../src/model/marks.ts";
import { bufferOf, percentile, SKIPPED, stallsOf, viewersOf, WAITS } from "../../src/model/playback.ts";
import { tableOf } from "./made.ts";

/** Segments of one session: who, when due, its number, quality, how long the picture stood still. */
function playback(rows: [string, number, number, number, number][], more: Record<string, number[]> = {}) {
  return tableOf({
    t_s: rows.map(([, due]) => due),
    session: rows.map(() => "film"),
    receiver: rows.map(([who]) => who),
    segment: rows.map(([, , segment]) => segment),
    quality: rows.map(([, , , quality]) => quality),
    stall_s: rows.map(([, , , , stall]) => stall),
    missing_pkts: rows.map(() => 0),
    enough_pkts: rows.map(() => 10),
    sent_s: rows.map(() => NaN),
    ...more,
  });
}

const film: Traffic = { name: "film", kind: "tfmcc", isSession: true, receivers: ["a", "b", "dark"] };
const LIVE = playback([
  ["a", 4, 0, 1, 0],
  ["b", 4, 0, 2, 0],
  ["a", 6, 1, 0, 2],
  ["b", 6, 1, 2, 0],
  ["a", 8, 2, 0, 2],
  ["b", 8, 2, 3, 0],
  ["a", 10, 3, 1, 0],
  ["a", 12, 4, 0, 0.5],
]);

test("live: qualities that hold on are one stretch, and what is skipped in a row is one stall", () => {
  const viewers = viewersOf(LIVE, [film], 12.5);
  assert.deepEqual(
    viewers.map(({ name, stalls, stalled, appeared }) => [name, stalls, stalled, appeared]),
    [
      ["dark", 0, 0, undefined],
      ["a", 2, 4.5, 4],
      ["b", 0, 0, 4],
    ],
    "who has seen nothing comes first, then who stood still longest",
  );
  assert.deepEqual(viewers[1]!.stretches, [
    { from: 4, to: 6, state: 1 },
    { from: 6, to: 10, state: SKIPPED },
    { from: 10, to: 12, state: 1 },
    { from: 12, to: 12.5, state: SKIPPED },
  ]);
  assert.deepEqual(viewers[2]!.stretches, [
    { from: 4, to: 8, state: 2 },
    { from: 8, to: 10, state: 3 },
  ]);
});

test("what is skipped at the end is as long as a segment, or shorter where the run ends; a file waits longer", () => {
  const last = (stall: number) => {
    const rows = playback([
      ["a", 4, 0, 1, 0],
      ["a", 6, 1, 1, 0],
      ["a", 8, 2, 0, stall],
    ]);
    return viewersOf(rows, [{ ...film, receivers: ["a"] }], 20)[0]!.stretches.at(-1);
  };
  assert.deepEqual(last(2), { from: 8, to: 10, state: SKIPPED });
  assert.deepEqual(last(0.5), { from: 8, to: 8.5, state: SKIPPED });
  assert.deepEqual(last(12), { from: 8, to: 20, state: WAITS });
});

test("a file waits: before a segment is shown, and for ever", () => {
  const file = playback([
    ["a", 1, 0, 1, 0],
    ["a", 2, 1, 1, 3],
    ["a", 6, 2, 1, 0.25],
    ["a", 7.25, 3, 0, 5],
  ]);
  const [viewer] = viewersOf(file, [{ ...film, receivers: ["a"] }], 12.25);
  assert.deepEqual(viewer!.stretches, [
    { from: 1, to: 2, state: 1 },
    { from: 2, to: 5, state: WAITS },
    { from: 5, to: 6, state: 1 },
    { from: 6, to: 6.25, state: WAITS },
    { from: 6.25, to: 7.25, state: 1 },
    { from: 7.25, to: 12.25, state: WAITS },
  ]);
  assert.deepEqual([viewer!.stalls, viewer!.stalled], [3, 8.25]);
});

test("a state holds up to the next row, also where rows between them were left out", () => {
  const thinned = playback([
    ["a", 4, 0, 2, 0],
    ["a", 100, 48, 1, 0],
    ["a", 102, 49, 1, 0],
  ]);
  const [viewer] = viewersOf(thinned, [{ ...film, receivers: ["a"] }], 300);
  assert.deepEqual(viewer!.stretches, [
    { from: 4, to: 100, state: 2 },
    { from: 100, to: 104, state: 1 },
  ]);
});

test("nobody plays where there is no table, and who is no receiver of what is played is none", () => {
  assert.deepEqual(viewersOf(undefined, [film], 10), []);
  assert.deepEqual(viewersOf(LIVE, [{ ...film, name: "other" }], 10), []);
});

test("a stall is a mark with its cause, as far as the table tells", () => {
  const told = playback(
    [
      ["a", 4, 0, 1, 0],
      ["a", 6, 1, 0, 2],
      ["a", 8, 2, 0, 2],
      ["a", 10, 3, 0, 2],
      ["a", 12, 4, 1, 0],
      ["a", 14, 5, 0, 2],
      ["a", 16, 6, 1, 1],
    ],
    {
      missing_pkts: [0, 2, 9, 9, 0, 1, 0],
      enough_pkts: [82, 82, 9, 9, 9, 1, 9],
      sent_s: [1, 5.5, NaN, NaN, 9, NaN, 15],
    },
  );
  const marks = marksOf(new Map([["playback", told]]), []);
  assert.deepEqual(
    marks.map(({ t, kind, about }) => [t, kind, about]),
    [6, 14, 16].map((t) => [t, "stalls", ["film", "a"]]),
  );
  assert.deepEqual(
    marks.map(({ text }) => text),
    [
      "the picture of a stopped for 6 s. Segment 1 was due then, and 2 of the 82 packets that are enough had not come. " +
        "2 more after it were not there in time. The source had sent these by 5.500 s",
      "the picture of a stopped for 2 s. Segment 5 was due then, and 1 of the 1 packet that is enough had not come. " +
        "The source had not sent them by 14.000 s",
      "the picture of a stopped for 1 s. Segment 6 was due then and was there, but what follows it was not, as the " +
        "buffer asks",
    ],
  );
  const nothing = playback([["a", 6, 1, 0, 2]], { enough_pkts: [0] });
  const [mark] = marksOf(new Map([["playback", nothing]]), []);
  assert.match(mark!.text, /Segment 1 was due then, of which the source had sent nothing$/);
});

test("stalls come in the order of time, whosever they are", () => {
  const both = playback([
    ["b", 1, 0, 1, 0],
    ["b", 9, 4, 1, 1],
    ["a", 1, 0, 1, 0],
    ["a", 3, 1, 1, 1],
  ]);
  assert.deepEqual(
    stallsOf(both).map(({ t, receiver }) => [t, receiver]),
    [
      [3, "a"],
      [9, "b"],
    ],
  );
});

test("a buffer is that of the moment at which a segment is shown", () => {
  const buffered = playback(
    [
      ["a", 1, 0, 1, 0],
      ["a", 2, 1, 1, 3],
      ["a", 6, 2, 0, 1],
    ],
    { buffer_s: [2, 4, 0] },
  );
  assert.deepEqual(bufferOf(buffered, "a"), { t: Float64Array.of(1, 5, 6), v: Float64Array.of(2, 4, 0) });
  assert.equal(bufferOf(LIVE, "a").v.length, 0, "an older result has none");
});

test("percentiles are those of the nearest rank", () => {
  const values = Array.from({ length: 20 }, (_, at) => 19 - at);
  assert.deepEqual(
    [5, 50, 95, 100].map((percent) => percentile(values, percent)),
    [0, 9, 18, 19],
  );
  assert.ok(Number.isNaN(percentile([], 50)));
});
