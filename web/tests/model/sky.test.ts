import assert from "node:assert/strict";
import { test } from "node:test";
import { positionAt, type Sky } from "../../src/model/sky.ts";

function sky(latitudes: number[], longitudes: number[]): Sky {
  return {
    satellites: ["a"],
    stations: [],
    times: Float64Array.from(latitudes, (_, at) => 10 * at),
    latitude: Float32Array.from(latitudes),
    longitude: Float32Array.from(longitudes),
    altitude: Float32Array.from(latitudes, (_, at) => 7e5 + 1e3 * at),
  };
}

test("between two moments a satellite is on the arc between its positions", () => {
  const at = positionAt(sky([0, 0], [170, -170]), 0, 5);
  assert.ok(Math.abs(Math.abs(at.longitude) - 180) < 1e-9, "across the date line, and not around the world");
  assert.ok(Math.abs(at.latitude) < 1e-9);
  assert.equal(at.altitude, 700_500);
});

test("over the pole it stays at the pole", () => {
  assert.ok(positionAt(sky([80, 80], [0, 180]), 0, 5).latitude > 89.999);
});

test("outside the moments the nearest one counts", () => {
  assert.equal(positionAt(sky([10, 20], [0, 0]), 0, -5).latitude, 10);
  assert.equal(positionAt(sky([10, 20], [0, 0]), 0, 99).latitude, 20);
  assert.equal(positionAt(sky([10, 20, 30], [0, 0, 0]), 0, 10).latitude, 20);
});

test("a satellite that is lost has no position", () => {
  assert.ok(Number.isNaN(positionAt(sky([NaN, NaN], [NaN, NaN]), 0, 5).latitude));
});
