/** Where sliders stand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Knob, STEPS, fromStep, stepShown, toStep } from "../../src/lab/knobs.ts";

/** A buffer from 5 to 500 packets, as the first picture of the visit has it: near its lower end steps share values. */
const BUFFER: Extract<Knob, { how: "slide" }> = {
  path: "links.bottleneck.queue.limit",
  label: "Buffer",
  how: "slide",
  value: 20,
  unit: "packets",
  least: 5,
  most: 500,
  isWhole: true,
  isLog: true,
};

test("a slider that has been let go of stands at the value", () => {
  assert.equal(toStep(BUFFER, 20), 60);
  assert.equal(stepShown(BUFFER, 20, null, false), 60);
  // 5 * 100^(61 / 200) is 20.37.
  assert.equal(fromStep(BUFFER, 61), 20);
});

test("of two steps of one value the one that the hand has chosen is shown", () => {
  assert.equal(stepShown(BUFFER, 20, 61, false), 61);
  assert.equal(stepShown(BUFFER, 21, 61, false), toStep(BUFFER, 21));
});

test("a slider stays in the hand until the core has read what it says", () => {
  assert.equal(stepShown(BUFFER, 20, 130, true), 130);
  assert.equal(stepShown(BUFFER, 20, 130, false), 60);
});

test("a slider that is read at each step comes from one end to the other", () => {
  let shown = 0;
  for (let press = 0; press < STEPS; press++) shown = stepShown(BUFFER, fromStep(BUFFER, shown + 1), shown + 1, false);
  assert.equal(shown, STEPS);
});
