/**
 * The core in WebAssembly gives what the native one gives, to the bit: all tables of every example and of drawn
 * scenarios. `tools/web_tables.py` writes down what the native one gave.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync } from "../../core/core.js";
import { run } from "../../src/lab/compute.ts";
import type { Column } from "../../src/model/table.ts";

interface Ran {
  name: string;
  group: "example" | "real" | "drawn";
  seed: number;
  scenario: string;
  packet_hops: number;
  events: number;
  tables: Record<string, Record<string, string>>;
  warnings: string[];
}

const root = new URL("../../../", import.meta.url);
const all = JSON.parse(readFileSync(new URL("target/web/tables.json", root), "utf8")) as Ran[];
initSync({ module: readFileSync(new URL("web/core/core_bg.wasm", root)) });

function digest(column: Column): string {
  const hash = createHash("sha256");
  if (column.kind === "words") {
    hash.update(new Uint8Array(Uint32Array.from(column.codes).buffer));
    hash.update(pythonList(column.words));
  } else {
    // A NaN that is stored again has the bits of all others.
    const values = column.values.map((value) => (Number.isNaN(value) ? NaN : value));
    hash.update(new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength));
  }
  return hash.digest("hex");
}

/** A list of texts as Python's json writes it. */
function pythonList(words: string[]): string {
  const escaped = words.map((word) =>
    JSON.stringify(word).replace(
      /[\u0080-\uffff]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
  return `[${escaped.join(", ")}]`;
}

for (const group of ["example", "real", "drawn"] as const) {
  const of = all.filter((one) => one.group === group);
  test(`the same bytes: ${group}, ${of.length} scenarios`, async () => {
    const others: string[] = [];
    for (const { name, seed, scenario, packet_hops, events, tables, warnings } of of) {
      // Steps of any length: a look after each.
      const { facts, tables: own } = await run(scenario, seed, Infinity, async () => true);
      assert.deepEqual([...own.keys()], Object.keys(tables), name);
      const differ = [...own].flatMap(([table, { columns }]) => {
        assert.deepEqual([...columns.keys()], Object.keys(tables[table] ?? {}), `${name}: ${table}`);
        const wrong = [...columns].filter(([column, values]) => digest(values) !== tables[table]?.[column]);
        return wrong.map(([column]) => `${table}.${column}`);
      });
      const counts = [facts.packet_hops, facts.events, ...facts.warnings.map((warning) => warning.message)];
      const same = JSON.stringify(counts) === JSON.stringify([packet_hops, events, ...warnings]);
      if (differ.length > 0 || !same) others.push(`${name}: ${differ.slice(0, 5).join(", ")} of ${differ.length}`);
    }
    assert.deepEqual(others, []);
  });
}
