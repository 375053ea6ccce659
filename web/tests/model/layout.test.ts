import assert from "node:assert/strict";
import { test } from "node:test";
import type { MapLink, NetworkMap } from "../../src/model/document.ts";
import { LEAVES, layoutOf } from "../../src/model/layout.ts";

function link(from: string, to: string): MapLink {
  const name = `${from}-${to}`;
  return { name, from, to, carrier: null, rate_bps: 1e6, queue: { kind: "red" }, loss: { kind: "none" }, ups: [] };
}

function both(...pairs: [string, string][]): MapLink[] {
  return pairs.flatMap(([a, b]) => [link(a, b), link(b, a)]);
}

function map(links: MapLink[], source: string, nodes: string[]): NetworkMap {
  const receivers = nodes.map((node, at) => ({ name: `film-${at}`, node, there: [], back: [] }));
  return { links, flows: [{ name: "film", source, receivers }] };
}

test("levels count links from the source, whatever the order of the links", () => {
  const layout = layoutOf(map(both(["b", "c"], ["b", "d"], ["a", "b"]), "a", ["c", "d"]));
  const levels = Object.fromEntries([...layout.places].map(([node, { level }]) => [node, level]));
  assert.deepEqual(levels, { a: 0, b: 1, c: 2, d: 2 });
  assert.equal(layout.levels, 3);
  assert.deepEqual(layout.places.get("d")!.ends, ["film-1"]);
});

test("both directions of a link are one edge", () => {
  const { edges } = layoutOf(map(both(["a", "b"]), "a", ["b"]));
  assert.equal(edges.length, 1);
  assert.deepEqual([edges[0]!.forth.length, edges[0]!.back.length], [1, 1]);
});

test("many leaves at a node are one place that stands for all of them", () => {
  const leaves = Array.from({ length: LEAVES + 1 }, (_, at) => `host-${at}`);
  const layout = layoutOf(
    map(both(["a", "hub"], ...leaves.map((leaf): [string, string] => ["hub", leaf])), "a", leaves),
  );
  assert.equal(layout.places.size, 3);
  assert.equal(layout.places.get("host-0")!.stands, LEAVES + 1);
  assert.equal(layout.places.get("host-0")!.ends.length, LEAVES + 1);
  const few = leaves.slice(0, LEAVES);
  const drawn = layoutOf(map(both(["a", "hub"], ...few.map((leaf): [string, string] => ["hub", leaf])), "a", few));
  assert.equal(drawn.places.size, LEAVES + 2);
});

test("a part of the network that no source is in has places, too", () => {
  const { places } = layoutOf(map(both(["a", "b"], ["x", "y"]), "a", ["b"]));
  assert.equal(places.size, 4);
});

test("branches do not cross where they need not", () => {
  const links = both(["s", "m"], ["s", "n"], ["n", "x"], ["m", "y"]);
  const { places } = layoutOf(map(links, "s", ["x", "y"]));
  const across = (node: string) => places.get(node)!.across;
  assert.equal(across("m") < across("n"), across("y") < across("x"));
});
