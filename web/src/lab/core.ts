/** The core, as the page sees it: a worker that is asked and answers, and is made anew when it breaks. */

import type { Answer, Checked, Drawn, Facts, Place, Progress, Question, Table } from "./protocol.ts";

/** What is told of a run while it goes on. */
export interface Watcher {
  progress(progress: Progress): void;
  tables(seed: number, facts: Facts, tables: Map<string, Table>): void;
}

/** What the core says of itself when it is there. */
export interface About {
  version: string;
  schema: Record<string, unknown>;
  catalogue: [string, [string, string][]][];
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  watcher?: Watcher;
}

/** A run that has been asked for. */
export interface Running {
  /** How it ended: whether it was cancelled. */
  over: Promise<{ cancelled: boolean }>;
  cancel(): void;
}

export class Core {
  private worker: Worker;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private files = new Map<string, Uint8Array>();
  /** Resolves when the core is there. */
  readonly about: Promise<About>;
  private isReady: ((about: About) => void) | null = null;
  private isLost: ((error: Error) => void) | null = null;
  /** Whether the present worker has come to be. */
  private isThere = false;
  /** Why there is no worker any more. */
  private gone: Error | null = null;

  constructor(private readonly address: string) {
    this.about = new Promise((resolve, reject) => {
      this.isReady = resolve;
      this.isLost = reject;
    });
    // Who asks for it hears of it; nobody else has to.
    this.about.catch(() => undefined);
    this.worker = this.begin();
  }

  /** What is wrong with a text, and what else can be said of it. */
  async check(text: string): Promise<Checked> {
    const answer = await this.ask((id) => ({ ask: "check", id, text }));
    return (answer as Extract<Answer, { say: "checked" }>).checked;
  }

  /** Where paths stand in a text. */
  async places(text: string, paths: string[]): Promise<Place[]> {
    const answer = await this.ask((id) => ({ ask: "places", id, text, paths }));
    return (answer as Extract<Answer, { say: "places" }>).places;
  }

  /** The map of a network, and where its satellites are at `times`, seconds. */
  async drawing(scenario: string, seed: number, times: Float64Array): Promise<Drawn> {
    const answer = await this.ask((id) => ({ ask: "drawing", id, scenario, seed, times }));
    return (answer as Extract<Answer, { say: "drawing" }>).drawn;
  }

  /** Runs a resolved scenario, seed by seed. */
  run(scenario: string, seeds: number[], watcher: Watcher): Running {
    const run = this.next;
    const asked = this.ask((id) => ({ ask: "run", id, scenario, seeds }), watcher);
    const over = asked.then((answer) => ({ cancelled: (answer as Extract<Answer, { say: "over" }>).cancelled }));
    return { over, cancel: () => this.worker.postMessage({ ask: "cancel", run } satisfies Question) };
  }

  /** Gives scenarios a file that they name. */
  file(name: string, content: Uint8Array): void {
    this.files.set(name, content);
    this.worker.postMessage({ ask: "file", name, content } satisfies Question);
  }

  /** Names of the files that have been given. */
  given(): string[] {
    return [...this.files.keys()];
  }

  private ask(question: (id: number) => Question, watcher?: Watcher): Promise<Answer> {
    if (this.gone !== null) return Promise.reject(this.gone);
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, watcher ? { resolve, reject, watcher } : { resolve, reject });
      this.worker.postMessage(question(id));
    });
  }

  private begin(): Worker {
    this.isThere = false;
    const worker = new Worker(this.address);
    worker.onmessage = (event: MessageEvent<Answer>) => this.hear(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(event.message || "The core cannot be loaded.");
    };
    for (const [name, content] of this.files) worker.postMessage({ ask: "file", name, content } satisfies Question);
    return worker;
  }

  private hear(answer: Answer): void {
    switch (answer.say) {
      case "ready": {
        const { version, schema, catalogue } = answer;
        this.isThere = true;
        this.isReady?.({ version, schema: JSON.parse(schema), catalogue: JSON.parse(catalogue) });
        return;
      }
      case "broken":
        this.lose(answer.message);
        return;
      case "progress":
        this.waiting.get(answer.id)?.watcher?.progress(answer.progress);
        return;
      case "tables":
        this.waiting.get(answer.id)?.watcher?.tables(answer.seed, answer.facts, answer.tables);
        return;
    }
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (answer.say === "refused") waiting?.reject(new Error(answer.message));
    else waiting?.resolve(answer);
  }

  /**
   * The worker is of no use any more: whoever waits hears why, and another one takes its place. One that never came to
   * be would not do so the next time either.
   */
  private lose(message: string): void {
    this.worker.terminate();
    const error = new Error(message);
    this.isLost?.(error);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    if (this.isThere) this.worker = this.begin();
    else this.gone = error;
    for (const one of waiting) one.reject(error);
  }
}
