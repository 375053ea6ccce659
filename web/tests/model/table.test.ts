import assert from "node:assert/strict";
import { test } from "node:test";
import { during, has, haveOneTime, latest, series, seriesBy, subjects } from "../../src/model/table.ts";
import { tableOf } from "./made.ts";

const FLOWS = tableOf({
  t_s: [1, 1, 2, 2, 3, 3],
  flow: ["web", "film", "web", "film", "web", "film"],
  rate_bps: [10, 1, 20, NaN, 30, 3],
  cwnd_pkts: [NaN, NaN, NaN, NaN, NaN, NaN],
});

test("a series is the rows of one subject in their order", () => {
  const { t, v } = series(FLOWS, "flow", "web", "rate_bps");
  assert.deepEqual([...t], [1, 2, 3]);
  assert.deepEqual([...v], [10, 20, 30]);
  assert.deepEqual(subjects(FLOWS, "flow"), ["web", "film"]);
});

test("what is not there is empty and no error", () => {
  assert.equal(series(FLOWS, "flow", "nobody", "rate_bps").t.length, 0);
  assert.equal(series(FLOWS, "flow", "web", "nothing").t.length, 0);
  assert.equal(series(undefined, "flow", "web", "rate_bps").t.length, 0);
  assert.equal(has(FLOWS, "cwnd_pkts"), false);
  assert.equal(has(FLOWS, "rate_bps"), true);
});

test("an interval ends at its moment, a gauge holds from its moment on", () => {
  const web = series(FLOWS, "flow", "web", "rate_bps");
  assert.equal(during(web, 0), 10);
  assert.equal(during(web, 1), 10);
  assert.equal(during(web, 1.001), 20);
  assert.equal(during(web, 3), 30);
  assert.ok(Number.isNaN(during(web, 3.5)));
  assert.ok(Number.isNaN(latest(web, 0.5)));
  assert.equal(latest(web, 1), 10);
  assert.equal(latest(web, 1.999), 10);
  assert.equal(latest(web, 9), 30);
});

test("what several columns tell apart is not one series", () => {
  const paths = tableOf({
    t_s: [0, 0, 0, 5, 5, 5],
    from: ["a", "a", "b", "a", "a", "b"],
    to: ["c", "d", "c", "c", "d", "c"],
    hops: [1, 2, 3, 1, 2, 3],
    delay_s: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
  });
  const shown = seriesBy(paths, ["from", "to"], "delay_s").map(({ names, t, v }) => [names.join(" "), [...t], [...v]]);
  assert.deepEqual(shown, [
    ["a c", [0, 5], [0.1, 0.4]],
    ["a d", [0, 5], [0.2, 0.5]],
    ["b c", [0, 5], [0.3, 0.6]],
  ]);
  assert.deepEqual(
    seriesBy(paths, ["from", "hops"], "delay_s").map(({ names }) => names),
    [
      ["a", "1"],
      ["a", "2"],
      ["b", "3"],
    ],
  );
  assert.deepEqual(seriesBy(paths, ["from", "nowhere"], "delay_s"), []);
  assert.deepEqual(seriesBy(undefined, ["from"], "delay_s"), []);
});

test("series of a thinned table have one time only if every moment is the same", () => {
  const of = (...t: number[]) => ({ t: Float64Array.of(...t), v: new Float64Array(t.length) });
  assert.ok(haveOneTime([of(1, 2, 3), of(1, 2, 3)]));
  assert.ok(!haveOneTime([of(1, 2, 4), of(1, 3, 4)]));
  assert.ok(!haveOneTime([of(1, 2), of(1, 2, 3)]));
  assert.ok(haveOneTime([]));
});
