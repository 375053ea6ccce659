import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { fromFragment, seeds, toFragment } from "../../src/lab/share.ts";

const SHARED = { texts: ['name = "ä😀"\n'.repeat(500), "<b>"], seeds: "1-5", knobs: ["links.a.rate"] };

test("what is shared comes back", async () => {
  const fragment = await toFragment(SHARED);
  assert.match(fragment, /^1\.[A-Za-z0-9_-]+$/);
  assert.ok(fragment.length < 400, `${fragment.length}`);
  assert.deepEqual(await fromFragment(fragment), SHARED);
});

test("a damaged address is told in one sentence", async () => {
  const fragment = await toFragment(SHARED);
  const told = async (text: string) => {
    try {
      await fromFragment(text);
    } catch (error) {
      return (error as Error).message;
    }
    return "nothing";
  };
  for (const bad of [
    fragment.slice(0, -20),
    `${fragment.slice(0, 40)}x${fragment.slice(41)}`,
    "1.",
    "1.%%%",
    "1.AAAA",
  ]) {
    assert.match(await told(bad), /^This address is damaged: [^.]*\.$/, bad.slice(0, 30));
  }
  assert.match(await told("2.abc"), /of another form \(2\)/);
  assert.match(await told("whatever"), /none of the laboratory/);
  for (const other of [{ texts: [], seeds: "1", knobs: [] }, { texts: ["a"], seeds: 1, knobs: [] }, [], null, "x"]) {
    assert.match(await told(await toFragment(other as never)), /damaged/);
  }
});

test("what unfolds to too much is refused", async () => {
  const bomb = `1.${deflateRawSync(Buffer.alloc(40_000_000, "x")).toString("base64url")}`;
  assert.ok(bomb.length < 1 << 20);
  await assert.rejects(fromFragment(bomb), /damaged/);
});

test("what no address would give back makes none", async () => {
  const few = { texts: ["x".repeat(17_000_000)], seeds: "1", knobs: [] };
  await assert.rejects(toFragment(few), /^Error: This is too much for an address: [^.]*\.$/);
  const dense = { texts: [randomBytes(1_000_000).toString("base64")], seeds: "1", knobs: [] };
  await assert.rejects(toFragment(dense), /too much/);
});

test("seeds are lists and ranges", () => {
  assert.deepEqual(seeds("1"), [1]);
  assert.deepEqual(seeds("1-3, 7,2"), [1, 2, 3, 7]);
  for (const bad of ["", "x", "3-1", "1-101", "-1", "1.5", "1,,2", "9007199254740993", "1-60,61-101"])
    assert.equal(seeds(bad), null, bad);
  const large = Array.from({ length: 100 }, (_, place) => Number.MAX_SAFE_INTEGER - place);
  assert.deepEqual(seeds(large.join(", ")), large);
});

test("seeds of an address that would never end are none", () => {
  const ranges = Array.from({ length: 100_000 }, (_, place) => `${100 * place}-${100 * place + 99}`);
  assert.equal(seeds(ranges.join(",")), null);
  assert.equal(seeds(`${"1-99,".repeat(2_000_000)}1`), null);
});
