import assert from "node:assert/strict";
import { test } from "node:test";
import { around, joined, parts, setting, splitKeys, written } from "../../src/lab/toml.ts";

/** What stands around the sign | of a text: the path, and what is being written. */
function at(marked: string): [string, string, string] {
  const position = marked.indexOf("|");
  const text = marked.slice(0, position) + marked.slice(position + 1);
  const { table, before, key, what, from, to } = around(text, position);
  return [what, joined([...table, ...before, key]), text.slice(from, to)];
}

test("keys are those of the table around them", () => {
  assert.deepEqual(at("na|me = 1\n"), ["key", "name", "name"]);
  assert.deepEqual(at("a = 1\n[links.x]\nra|"), ["key", "links.x.ra", "ra"]);
  assert.deepEqual(at("[links.x]\nqueue.li|m = 1"), ["key", "links.x.queue.lim", "lim"]);
  assert.deepEqual(at('[links."b.c"]\nrate = "1"\nd|'), ["key", "links.b.c.d", "d"]);
  assert.deepEqual(at("[links.x]\nqueue = { ki|nd = 1 }\n"), ["key", "links.x.queue.kind", "kind"]);
  assert.deepEqual(at("[links.x]\nqueue = { a = [1, 2], b = { c = 1 }, d| }\n"), ["key", "links.x.queue.d", "d"]);
  assert.deepEqual(at("[[rows]]\nx = 1\n[[rows]]\ny|"), ["key", "rows[1].y", "y"]);
  assert.deepEqual(at("[a]\nlist = [\n  { x = 1 },\n  { y|\n"), ["key", "a.list[1].y", "y"]);
});

test("values are those of their keys", () => {
  assert.deepEqual(at('[links.x]\nrate = "1 M|bit/s"\n'), ["value", "links.x.rate", '"1 Mbit/s"']);
  assert.deepEqual(at("[links.x]\nrate = |\n"), ["value", "links.x.rate", ""]);
  assert.deepEqual(at("[links.x]\nqueue = { kind = |\n"), ["value", "links.x.queue.kind", ""]);
  assert.deepEqual(at('queue.kind = "re|d"'), ["value", "queue.kind", '"red"']);
  assert.deepEqual(at('a = ["x", "y|"]'), ["value", "a[1]", '"y"']);
  assert.deepEqual(at("a = { b = 1 }\nc = tr|ue"), ["value", "c", "true"]);
});

test("headers and comments are told apart", () => {
  assert.deepEqual(at("[links.bo|ttleneck]\n"), ["header", "links.bottleneck", "bottleneck"]);
  assert.deepEqual(at("[li|"), ["header", "li", "li"]);
  assert.deepEqual(at("[links.|]"), ["header", "links.", ""]);
  assert.equal(at("a = 1 # wh|at")[0], "nothing");
  assert.deepEqual(at('a = "# no comment" # |x')[0], "nothing");
  assert.deepEqual(at('a = "# no co|mment"')[0], "value");
});

test("whatever is being typed has some place", () => {
  const text =
    '[links."x y"]\nqueue = { kind = "red", list = [1, { a.b = 2 }] } # c\n[[r]]\nx = """\nlong\n"""\n[q\n= = }]\n';
  for (let end = 0; end <= text.length; end++) {
    for (let position = 0; position <= end; position++) {
      const { from, to } = around(text.slice(0, end), position);
      assert.ok(from <= position && position <= to && to <= end, `${position} of ${end}: ${from} ${to}`);
    }
  }
});

test("paths and their keys", () => {
  assert.deepEqual(parts("probes.queues[0].x"), ["probes", "queues", "[0]", "x"]);
  assert.equal(joined(["probes", "queues", "[0]", "x"]), "probes.queues[0].x");
  assert.deepEqual(splitKeys(' a . "b.c" .d'), ["a", "b.c", "d"]);
  assert.equal(written({ kind: "red", list: [1, true], "b c": {} }), '{ kind = "red", list = [1, true], "b c" = {} }');
});

test("a value is set where it stands, or beside others", () => {
  const text = 'name = "x"\n\n[links.a]\nrate = "1 Mbit/s"\n';
  const set = (path: string, value: string, place: Parameters<typeof setting>[3]) => {
    const change = setting(text, path, value, place);
    return change === null ? null : text.slice(0, change.from) + change.insert + text.slice(change.to);
  };
  assert.equal(set("name", '"y"', { line: 1, known: 4, value: [7, 10] }), text.replace('"x"', '"y"'));
  assert.equal(set("seed", "7", null), text.replace("\n\n", "\nseed = 7\n\n"));
  assert.equal(
    set("links.a.queue.limit", '"9 packets"', { line: 3, known: 7, value: null }),
    text.replace("[links.a]", '[links.a]\nqueue.limit = "9 packets"'),
  );
  assert.equal(set("links.b.rate", '"2 bit/s"', null), `${text}\n[links.b]\nrate = "2 bit/s"\n`);
  // In a table that stands in one line there is no line of its own.
  assert.equal(set("name.more", "1", { line: 1, known: 4, value: null }), null);
  assert.equal(set("links.a.changes[3]", "1", null), null);
});
