// What the laboratory gives to take away: names of files and commands.
import assert from "node:assert/strict";
import { test } from "node:test";
import { command, fileName } from "../../src/lab/out.ts";

test("a file's name is one that shells and folders leave alone", () => {
  const names = ["two rates", "a/b", "-rf", "--help", ".hidden", "..", "", "x;rm *", "ok_1.5-b"];
  const files = names.map((name) => fileName({ name }));
  assert.deepEqual(files, ["two-rates", "a-b", "rf", "help", "hidden", "scenario", "scenario", "x-rm-", "ok_1.5-b"]);
  assert.equal(fileName(undefined), "scenario");
});

test("seeds in a row are one command, others one for each", () => {
  assert.equal(command("a.toml", [4]), "faircast run a.toml --seed 4");
  assert.equal(command("a.toml", [4, 5, 6]), "faircast run a.toml --seed 4 --reps 3");
  assert.equal(
    command("a.toml", [1, 3]),
    "faircast run a.toml --seed 1 --out results/seed-1\nfaircast run a.toml --seed 3 --out results/seed-3",
  );
});
