import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkMap } from "../../src/model/document.ts";
import { csv, graphml } from "../../src/model/export.ts";
import { digits, moment, said } from "../../src/model/format.ts";
import { pathOf, seriesSvg, ticks } from "../../src/model/series_svg.ts";

const HOSTILE = `</title><img src=x onerror="alert(1)">\u0000 & "quotes"`;

test("CSV quotes what would be taken for a border, and keeps all digits", () => {
  const made = csv(
    ["name", "value"],
    [
      ['a "b", c', 0.1 + 0.2],
      ["d", NaN],
    ],
  );
  assert.equal(made, 'name,value\r\n"a ""b"", c",0.30000000000000004\r\nd,\r\n');
});

test("GraphML holds the network at the moment, and nothing of its names is markup", () => {
  const link = { rate_bps: 2e6, carrier: null, queue: { kind: "red" }, loss: { kind: "none" }, ups: [] };
  const map: NetworkMap = {
    links: [{ name: HOSTILE, from: "a", to: "b", ...link, ups: [] }],
    flows: [],
  };
  const now = { utilisation: 0.5, rate_bps: NaN, dropped_pkts: 3, lost_pkts: 0, is_up: true };
  const made = graphml(map, 12, () => now, new Map([["a", { latitude: 1, longitude: 2 }]]));
  assert.ok(!made.includes("<img"));
  assert.ok(!made.includes("\u0000"));
  assert.ok(made.includes('<data key="utilisation">0.5</data>'));
  assert.ok(made.includes('<data key="t_s">12</data>'));
  assert.ok(!made.includes("NaN"));
  assert.ok(made.includes('<node id="a"><data key="latitude_deg">1</data>'));
});

test("GraphML says which links are up", () => {
  const link = (name: string) => ({ name, from: "a", to: name, carrier: null, rate_bps: 1, queue: { kind: "" } });
  const map = { links: ["up", "down"].map((name) => ({ ...link(name), loss: { kind: "" }, ups: [] })), flows: [] };
  const none = { utilisation: 0, rate_bps: 0, dropped_pkts: 0, lost_pkts: 0 };
  const text = graphml(map, 0, (name) => ({ ...none, is_up: name === "up" }));
  const said = [...text.matchAll(/target="(\w+)".*<data key="is_up">(\w+)</g)].map(([, name, is]) => [name, is]);
  assert.deepEqual(said, [
    ["up", "true"],
    ["down", "false"],
  ]);
});

test("an SVG of series carries no markup of names out, and breaks lines at gaps", () => {
  const line = { label: HOSTILE, colour: "#0072B2", dash: [], width: 1, t: [0, 1, 2, 3], v: [1, NaN, 2, 3] };
  const made = seriesSvg({
    title: HOSTILE,
    unit: "",
    from: 0,
    to: 3,
    low: 0,
    high: 4,
    lines: [line],
    levels: [],
    warmup: 0,
  });
  assert.ok(!made.includes("<img"));
  assert.equal(
    pathOf(
      line.t,
      line.v,
      (t) => t,
      (v) => v,
    ),
    "M0.00 1.00M2.00 2.00L3.00 3.00",
  );
});

test("ticks are round numbers within their range", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0.3, 1.1, 4), [0.4, 0.6000000000000001, 0.8, 1]);
  assert.deepEqual(ticks(5, 5, 5), [5]);
});

test("values are said with four digits in a unit that fits", () => {
  assert.equal(said("rate", 1_234_567), "1.235 Mbit/s");
  assert.equal(said("rate", 12_345), "12.35 kbit/s");
  assert.equal(said("time", 0.25), "250 ms");
  assert.equal(said("part", 0.975), "97.5 %");
  assert.equal(said("rate", NaN), "–");
  assert.equal(digits(0), "0");
  assert.equal(digits(0.00009), "9.00e-5");
  assert.equal(digits(0.0001), "0.0001");
  assert.equal(moment(3, 1), "3 s");
  assert.equal(moment(3.2, 0.1), "3.2 s");
  // What lies in another interval than the step that it would be rounded to says so.
  assert.equal(moment(3.24, 0.1), "3.240 s");
  assert.equal(moment(7.2471, 1), "7.247 s");
});
