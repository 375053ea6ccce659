import assert from "node:assert/strict";
import { test } from "node:test";
import { levelColour, useOf } from "../../src/model/colours.ts";

test("a use belongs to the step that begins at it", () => {
  const labels = [0, 0.499, 0.5, 0.9, 0.989, 0.99, 1.001, NaN].map((part) => useOf(part).label);
  const [idle, low, middle, high, full] = ["idle", "below 50 %", "50 to 90 %", "90 to 99 %", "99 % and more"];
  assert.deepEqual(labels, [idle, low, middle, high, high, full, full, idle]);
  assert.ok(useOf(0.9).width > useOf(0.5).width);
});

test("up to seven layers have a colour each; of more the lowest and the highest keep theirs", () => {
  assert.deepEqual(
    [0, 1, 6, 7].map((level) => levelColour(level, 7)),
    ["--l0", "--l1", "--l6", "--l7"],
  );
  assert.equal(levelColour(3, 3), "--l3");
  assert.deepEqual(
    [0, 1, 15].map((level) => levelColour(level, 15)),
    ["--l0", "--l1", "--l7"],
  );
});
