/** The worker of the laboratory, as the page knows it: what is done when it breaks. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Core } from "../../src/lab/core.ts";
import type { Answer, Question } from "../../src/lab/protocol.ts";

/** A worker that says what the test wants. */
class Obedient {
  static all: Obedient[] = [];
  onmessage: ((event: { data: Answer }) => void) | null = null;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | null = null;
  heard: Question[] = [];
  isEnded = false;

  constructor() {
    Obedient.all.push(this);
  }
  postMessage(question: Question): void {
    this.heard.push(question);
  }
  terminate(): void {
    this.isEnded = true;
  }
  say(answer: Answer): void {
    this.onmessage?.({ data: answer });
  }
}

const READY: Answer = { say: "ready", version: "1", schema: "{}", catalogue: "[]" };
const known = globalThis.Worker;
before(() => void (globalThis.Worker = Obedient as unknown as typeof Worker));
after(() => void (globalThis.Worker = known));

function made(): Core {
  Obedient.all = [];
  return new Core("worker.js");
}

test("a worker that breaks is made anew with its files, whoever waits hears why, and the next question is answered", async () => {
  const core = made();
  const [first] = Obedient.all;
  first!.say(READY);
  core.file("a.csv", Uint8Array.of(1));
  const waiting = [core.check("x"), core.run("{}", [1], { progress: () => undefined, tables: () => undefined }).over];
  first!.say({ say: "broken", message: "It is broken." });
  for (const one of waiting) await assert.rejects(one, /^Error: It is broken\.$/);
  const second = Obedient.all[1]!;
  assert.deepEqual([first!.isEnded, second.isEnded, Obedient.all.length], [true, false, 2]);
  assert.deepEqual(
    second.heard.map(({ ask }) => ask),
    ["file"],
  );
  second.say(READY);
  const asked = core.check("y");
  const { id } = second.heard[1] as Extract<Question, { ask: "check" }>;
  second.say({ say: "checked", id, checked: { problems: [], count: 0 } });
  assert.equal((await asked).count, 0);
});

test("a worker that never comes to be is not made again and again", async () => {
  const core = made();
  Obedient.all[0]!.onerror?.({ message: "There is no such file.", preventDefault: () => undefined });
  await assert.rejects(core.about, /no such file/);
  await assert.rejects(core.check("x"), /no such file/);
  assert.equal(Obedient.all.length, 1);
});

test("nor is one that breaks by what every worker is given", async () => {
  const core = made();
  Obedient.all[0]!.say(READY);
  core.file("huge.csv", Uint8Array.of(1));
  Obedient.all[0]!.say({ say: "broken", message: "It has no room." });
  Obedient.all[1]!.say({ say: "broken", message: "It has no room." });
  assert.equal(Obedient.all.length, 2);
  await assert.rejects(core.check("x"), /no room/);
});
