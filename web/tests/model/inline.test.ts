import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { FORM, bytesOf, packed, unpacked, type Planned } from "../../src/model/inline.ts";

function chunk(...parts: ArrayBufferView[]): string {
  return gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part.buffer)))).toString("base64");
}

const HEAD = { title: "", description: "", ran: [], came: [], results: [], warnings: [], notes: [] };
const END = { commands: [], scenario: "", seeds: "1", version: "", hash: "" };

function planned(): Planned {
  const columns = [
    { name: "t_s", at: 0 },
    { name: "rate_bps", at: 16 },
    { name: "flow", at: 32, words: ["web", "<img>"] },
  ];
  return {
    form: FORM,
    head: { ...HEAD, ...END },
    run: {
      time: { stop_s: 2, warmup_s: 0, interval_s: 1 },
      traffic: [],
      optimum: {},
      changes: [],
      why: [],
      bandsAre: "",
      runs: [{ seed: 7, chunk: "seed-7", tables: { flows: { rows: 2, columns } } }],
      drawing: {
        map: { links: [], flows: [] },
        sky: { chunk: "sky", satellites: ["a", "b"], stations: [], times: 2 },
      },
    },
  };
}

const CHUNKS: Record<string, string> = {
  "seed-7": chunk(Float64Array.of(1, 2), Float64Array.of(5e6, NaN), Uint32Array.of(1, 0)),
  sky: chunk(
    Float64Array.of(0, 10),
    Float32Array.of(1, 2, 3, 4),
    Float32Array.of(5, 6, 7, 8),
    Float32Array.of(9, 10, 11, 12),
  ),
};

test("columns come out of their bytes as they went in", async () => {
  const { run } = await unpacked(planned(), (name) => packed(CHUNKS[name]!));
  const flows = run!.runs[0]!.tables.get("flows")!;
  assert.equal(run!.runs[0]!.seed, 7);
  assert.deepEqual(flows.columns.get("rate_bps"), { kind: "numbers", values: Float64Array.of(5e6, NaN) });
  assert.deepEqual(flows.columns.get("flow"), {
    kind: "words",
    codes: Uint32Array.of(1, 0),
    words: ["web", "<img>"],
  });
  const sky = run!.drawing!.sky!;
  assert.deepEqual([...sky.times], [0, 10]);
  assert.deepEqual([...sky.latitude], [1, 2, 3, 4]);
  assert.deepEqual([...sky.altitude], [9, 10, 11, 12]);
});

test("a page of another form is refused with a sentence", async () => {
  await assert.rejects(
    unpacked({ ...planned(), form: FORM + 1 }, () => new Uint8Array()),
    /This page has form/,
  );
});

test("damaged bytes are an error and not empty columns", async () => {
  await assert.rejects(bytesOf(packed("bm90IGd6aXA=")));
});

test("a metric of a sweep has mean, ends, seeds and optimum in this order", async () => {
  const numbers = chunk(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const point = { values: ["1"], places: [1], seeds: "1", hash: "", command: "", options: "" };
  const { sweep } = await unpacked(
    {
      form: FORM,
      head: { ...HEAD, ...END },
      sweep: {
        paths: [],
        points: [point, point],
        metrics: [{ subject: "web", metric: "rate", unit: "bit/s", at: 0 }],
        usual: [0],
        name: "made",
        chunk: "numbers",
      },
    },
    () => packed(numbers),
  );
  const { mean, low, high, n, optimum } = sweep!.metrics[0]!;
  assert.deepEqual(
    [mean, low, high, n, optimum].map((one) => [...one]),
    [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
      [9, 10],
    ],
  );
});
