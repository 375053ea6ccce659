/** Colours of the style sheet: what is drawn is seen on what it is drawn on (WCAG 2.2, criterion 1.4.11). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const sheet = (name: string) => readFileSync(new URL(`../../src/style/${name}.css`, import.meta.url), "utf8");
const LIGHT = sheet("tokens").split("@media print")[0]!;
const DARK = sheet("dark");

function colours(part: string): Record<string, string> {
  return Object.fromEntries(
    [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour]),
  );
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test("contrast is that of the standard", () => {
  assert.equal(contrast("#ffffff", "#000000"), 21);
  assert.ok(Math.abs(contrast("#777777", "#ffffff") - 4.48) < 0.005);
});

const SERIES = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];
const LINKS = ["use1", "use2", "use3", "use4"];
/** What is drawn, and on what: series on the warm-up, too; links on the globe, too. */
const DRAWN: [string[], string[]][] = [
  [SERIES, ["paper", "shade"]],
  [LINKS, ["paper", "sea", "land"]],
  [["use0", "edge", "accent", "bad", "now"], ["paper"]],
];

for (const [name, part] of [
  ["light", LIGHT],
  ["dark", DARK],
] as const) {
  test(`what is drawn has three times the contrast of what is below it, ${name}`, () => {
    const known = colours(part);
    for (const [drawn, below] of DRAWN) {
      for (const one of drawn) {
        for (const other of below) {
          const found = contrast(known[one]!, known[other]!);
          assert.ok(found >= 3, `${one} on ${other}: ${found.toFixed(2)}`);
        }
      }
    }
  });

  test(`what is written on a layer can be read, ${name}`, () => {
    const known = colours(part);
    // As the heat map of a sweep chooses it.
    for (let level = 0; level < 8; level++) {
      const text = level === 4 ? "on-l4" : level > 4 ? "paper" : "ink";
      const found = contrast(known[text]!, known[`l${level}`]!);
      assert.ok(found >= 4.5, `${text} on l${level}: ${found.toFixed(2)}`);
    }
  });
}
