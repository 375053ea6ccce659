/**
 * The worker of the laboratory: it has the core, answers what the page asks, and carries out runs in steps, between
 * which it hears that one is to end.
 */

import init, { Files, catalogue, check, places, schema, version } from "../../core/core.js";
import { buffers, drawing, run } from "./compute.ts";
import { type Answer, MEMORY_LIMIT, type Question } from "./protocol.ts";

const scope = self as unknown as {
  postMessage(answer: Answer, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Question>) => void) | null;
};

/** Runs that wait for their turn, the present one first. */
const runs: { id: number; scenario: string; seeds: number[] }[] = [];
/** Those that are to end. */
const cancelled = new Set<number>();

/** Lets messages in that have come by now. */
const breath = new MessageChannel();
let awake: (() => void) | null = null;
breath.port1.onmessage = () => awake?.();
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    awake = resolve;
    breath.port2.postMessage(null);
  });
}

/** Carries out runs, one after the other, seed by seed. */
async function work(): Promise<void> {
  for (;;) {
    const next = runs[0];
    if (next === undefined) return;
    const { id, scenario, seeds } = next;
    try {
      await carryOut(id, scenario, seeds);
      scope.postMessage({ say: "over", id, cancelled: cancelled.has(id) });
    } catch (error) {
      if (!answerable(error, id)) return;
    }
    cancelled.delete(id);
    runs.shift();
  }
}

async function carryOut(id: number, scenario: string, seeds: number[]): Promise<void> {
  let shown = 0;
  for (const seed of seeds) {
    await breathe();
    if (cancelled.has(id)) return;
    const { facts, tables } = await run(scenario, seed, MEMORY_LIMIT, async (progress) => {
      const now = performance.now();
      if (now - shown > 100) {
        shown = now;
        scope.postMessage({ say: "progress", id, progress });
      }
      await breathe();
      return !cancelled.has(id);
    });
    scope.postMessage({ say: "tables", id, seed, facts, tables }, buffers(tables));
  }
}

/**
 * Tells the page of an error. What the core refuses is an answer like others; after anything else, such as a panic or
 * a want of memory, the core is of no use any more, and the page is asked for another worker.
 */
function answerable(error: unknown, id: number): boolean {
  if (error instanceof Error && error.constructor === Error) {
    scope.postMessage({ say: "refused", id, message: error.message });
    return true;
  }
  scope.postMessage({ say: "broken", message: whyBroken(error) });
  return false;
}

/** What is said of the end of the core. Panics come with their sentence; for want of memory it ends without a word. */
function whyBroken(error: unknown): string {
  if (typeof error === "string") return error;
  if (error instanceof WebAssembly.RuntimeError && error.message.includes("unreachable"))
    return "The core has stopped, most likely for want of memory, of which a browser gives a page 4 GB at most; it has been begun anew.";
  return `The core has stopped: ${error}; it has been begun anew.`;
}

let files: Files;

function answer(question: Question): void {
  switch (question.ask) {
    case "check":
      scope.postMessage({ say: "checked", id: question.id, checked: JSON.parse(check(question.text, files)) });
      break;
    case "places":
      scope.postMessage({
        say: "places",
        id: question.id,
        places: JSON.parse(places(question.text, question.paths)),
      });
      break;
    case "drawing":
      scope.postMessage({
        say: "drawing",
        id: question.id,
        drawn: drawing(question.scenario, question.seed, question.times),
      });
      break;
    case "run":
      runs.push(question);
      if (runs.length === 1) void work();
      break;
    case "file":
      files.put(question.name, question.content);
      break;
    case "cancel":
      cancelled.add(question.run);
      break;
  }
}

/** What came before the core was there. */
const early: Question[] = [];
scope.onmessage = (event) => early.push(event.data);

function take(question: Question): void {
  try {
    answer(question);
  } catch (error) {
    answerable(error, "id" in question ? question.id : 0);
  }
}

init({ module_or_path: new URL("core.wasm", self.location.href) })
  .then(() => {
    files = new Files();
    scope.onmessage = (event) => take(event.data);
    scope.postMessage({ say: "ready", version: version(), schema: schema(), catalogue: catalogue() });
    early.splice(0).forEach(take);
  })
  .catch((error: unknown) => scope.postMessage({ say: "broken", message: `The core cannot be loaded: ${error}` }));
