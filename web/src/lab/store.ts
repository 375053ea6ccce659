/** The state of the laboratory and what changes it. What is shown follows from it; nothing here touches the page. */

import type { About, Core, Running } from "./core.ts";
import { secondsOf } from "./document.ts";
import type { Turn } from "./knobs.ts";
import {
  type Checked,
  type Drawn,
  type Facts,
  MEMORY_LIMIT,
  type Place,
  type Progress,
  type Table,
} from "./protocol.ts";
import { Grammar } from "./schema.ts";
import { seeds as readSeeds } from "./share.ts";
import { type Change, setting } from "./toml.ts";

/** What a scenario gave, seed by seed. */
export interface Outcome {
  /** The resolved scenario that ran, and its text. */
  scenario: Record<string, unknown>;
  text: string;
  runs: { seed: number; facts: Facts; tables: Map<string, Table> }[];
  drawing: Drawn | null;
  /** Whether it was cancelled. */
  isCut: boolean;
}

/** One of the two scenarios. */
export interface Side {
  text: string;
  /** What the core says of the text; null until it has. */
  checked: Checked | null;
  /** The last legal scenario. */
  scenario: Record<string, unknown> | null;
  outcome: Outcome | null;
  /** What kept the last run from giving anything. */
  failure: string | null;
}

/** Everything. */
export interface State {
  about: (About & { grammar: Grammar }) | null;
  sides: Side[];
  active: number;
  seeds: string;
  knobs: Turn[];
  running: { side: number; progress: Progress | null; seeds: number[] } | null;
  /** A sentence for the reader, about the page rather than a scenario. */
  note: string | null;
  /** What had been written when something else was opened in its place. */
  left: (Pick<State, "seeds" | "knobs"> & { texts: string[] }) | null;
}

const EMPTY: Side = { text: "", checked: null, scenario: null, outcome: null, failure: null };

/** Moments at which satellites are drawn, at most, and at least this far apart, seconds. */
const MOMENTS = 361;

export class Store {
  state: State = {
    about: null,
    sides: [{ ...EMPTY }],
    active: 0,
    seeds: "1",
    knobs: [],
    running: null,
    note: null,
    left: null,
  };
  /** Whether somebody has written in a text since it was opened. */
  private isWritten = false;
  private readonly watchers = new Set<() => void>();
  private running: Running | null = null;
  /** By side the look at its text that was asked for last. */
  private readonly checks = new Map<number, Promise<void>>();
  /** Counts runs that are asked for: what an earlier one gives is of no interest. */
  private asked = 0;

  constructor(readonly core: Core) {
    core.about.then(
      (about) => this.set({ about: { ...about, grammar: new Grammar(about.schema) } }),
      (error: Error) => this.set({ note: error.message }),
    );
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  set(part: Partial<State>): void {
    this.state = { ...this.state, ...part };
    for (const watcher of this.watchers) watcher();
  }

  private setSide(index: number, part: Partial<Side>): void {
    this.set({ sides: this.state.sides.map((side, at) => (at === index ? { ...side, ...part } : side)) });
  }

  get side(): Side {
    return this.state.sides[this.state.active] ?? EMPTY;
  }

  /** Begins with other scenarios; what was written in those before can be had back. */
  open(texts: string[], part: Partial<State> = {}): void {
    this.giveUp();
    const { sides, seeds, knobs } = this.state;
    if (this.isWritten) this.set({ left: { texts: sides.map(({ text }) => text), seeds, knobs } });
    this.isWritten = false;
    this.set({ sides: texts.map((text) => ({ ...EMPTY, text })), active: 0, knobs: [], note: null, ...part });
    texts.forEach((_, index) => void this.check(index));
  }

  /** Opens what had been written again. */
  back(): void {
    const { left } = this.state;
    if (left === null) return;
    const { texts, seeds, knobs } = left;
    this.set({ left: null });
    this.open(texts, { seeds, knobs });
    this.isWritten = true;
  }

  /** Somebody has changed the text of a side. */
  write(index: number, text: string): void {
    if (this.state.sides[index]?.text === text) return;
    this.isWritten = true;
    void this.put(index, text);
  }

  /** Gives a side a text; over when the core has said what it is, or the text is another one by then. */
  private async put(index: number, text: string): Promise<void> {
    this.setSide(index, { text });
    await this.check(index);
  }

  /**
   * Asks the core about a text; an answer about an older one is of no interest. One text of a side is looked at after
   * the other, and those that have been changed by then are not: a large one takes longer than it takes to type on.
   */
  async check(index: number): Promise<Checked | null> {
    const text = this.state.sides[index]?.text;
    if (text === undefined) return null;
    const isPresent = () => this.state.sides[index]?.text === text;
    const before = this.checks.get(index) ?? Promise.resolve();
    const asked = before.then(() => (isPresent() ? this.core.check(text) : null));
    const over = asked.then(
      () => undefined,
      () => undefined,
    );
    this.checks.set(index, over);
    let checked: Checked | null;
    try {
      checked = await asked;
    } catch (error) {
      this.set({ note: (error as Error).message });
      return null;
    }
    if (checked === null || !isPresent()) return null;
    this.setSide(index, { checked, ...(checked.scenario ? { scenario: checked.scenario } : {}) });
    return checked;
  }

  /** A second scenario beside the first, at first the same; or none. */
  beside(isWanted: boolean): void {
    const first = this.state.sides[0] ?? EMPTY;
    if (isWanted && this.state.sides.length === 1) {
      this.set({
        sides: [first, { ...EMPTY, text: first.text, scenario: first.scenario, checked: first.checked }],
        active: 1,
      });
    } else if (!isWanted) {
      this.cancel();
      this.set({ sides: [first], active: 0 });
    }
  }

  /** Runs all scenarios, or one, with all seeds. What ran before is given up. */
  async run(only?: number): Promise<void> {
    this.giveUp();
    const turn = this.asked;
    const seeds = readSeeds(this.state.seeds);
    if (seeds === null) {
      this.set({ note: "Seeds are whole numbers such as 1, or 1-5, or 1, 7; a hundred at most." });
      return;
    }
    const all = this.state.sides.map((_, index) => index).filter((index) => only === undefined || index === only);
    this.set({ note: null, running: { side: all[0] ?? 0, progress: null, seeds } });
    for (const index of all) {
      const checked = await this.check(index);
      if (turn !== this.asked) return;
      // The text has changed meanwhile: whoever changed it runs it.
      if (checked === null) break;
      const { scenario } = checked;
      if (scenario === undefined) {
        this.setSide(index, { failure: "It does not run: what is wrong stands below the text." });
        continue;
      }
      // The core would refuse it, too, but not before its network is drawn, for which there may be no room either.
      if ((checked.memory ?? 0) > MEMORY_LIMIT) {
        this.setSide(index, { failure: "It does not run here: it may need more memory than a browser gives a page." });
        continue;
      }
      const isWhole = await this.carryOut(turn, index, scenario, seeds);
      if (turn !== this.asked) return;
      if (!isWhole) break;
    }
    this.running = null;
    this.set({ running: null });
  }

  /** Runs one scenario. Whether those after it are still wanted. */
  private async carryOut(
    turn: number,
    index: number,
    scenario: Record<string, unknown>,
    seeds: number[],
  ): Promise<boolean> {
    const resolved = JSON.stringify(scenario);
    const text = this.state.sides[index]?.text ?? "";
    const outcome: Outcome = { scenario, text, runs: [], drawing: null, isCut: false };
    this.set({ running: { side: index, progress: null, seeds } });
    try {
      outcome.drawing = await this.core.drawing(resolved, seeds[0] ?? 1, moments(scenario));
      if (turn !== this.asked) return false;
      this.running = this.core.run(resolved, seeds, {
        progress: (progress) => {
          if (turn === this.asked) this.set({ running: { side: index, progress, seeds } });
        },
        tables: (seed, facts, tables) => {
          if (turn !== this.asked) return;
          outcome.runs.push({ seed, facts, tables });
          this.setSide(index, { outcome: { ...outcome, runs: [...outcome.runs] }, failure: null });
        },
      });
      const { cancelled } = await this.running.over;
      if (turn !== this.asked) return false;
      if (outcome.runs.length > 0) this.setSide(index, { outcome: { ...outcome, isCut: cancelled } });
      return !cancelled;
    } catch (error) {
      if (turn === this.asked) this.setSide(index, { failure: (error as Error).message });
      return true;
    } finally {
      if (turn === this.asked) this.running = null;
    }
  }

  /** Ends the run between two of its steps; what has happened by then is kept. One that has not begun does not begin. */
  cancel(): void {
    if (this.running !== null) this.running.cancel();
    else if (this.state.running !== null) this.giveUp();
  }

  /** Ends what runs, of which nothing is shown any more. */
  private giveUp(): void {
    this.running?.cancel();
    this.running = null;
    this.asked++;
    if (this.state.running !== null) this.set({ running: null });
  }

  /** Turns a knob on all sides that have its path, or on one; over when the core has read the texts. */
  async turn(path: string, value: string, only?: number): Promise<void> {
    const all = this.state.sides.map((_, index) => index).filter((index) => only === undefined || index === only);
    const read: Promise<void>[] = [];
    for (const index of all) {
      const text = this.state.sides[index]?.text ?? "";
      const change = await this.change(text, path, value);
      if (change === null) {
        this.set({ note: `${path} cannot be turned from here: write it into the text first.` });
        continue;
      }
      read.push(this.put(index, text.slice(0, change.from) + change.insert + text.slice(change.to)));
    }
    await Promise.all(read);
  }

  /** How a text comes to have a value at a path. */
  private async change(text: string, path: string, value: string): Promise<Change | null> {
    const places = await this.core.places(text, [path]);
    const place: Place = places[0] ?? null;
    return setting(text, path, value, place);
  }

  /** Pins a path as a knob. */
  pin(turn: Turn): void {
    if (this.state.knobs.some((knob) => knob.path === turn.path)) return;
    this.set({ knobs: [...this.state.knobs, turn] });
  }

  unpin(path: string): void {
    this.set({ knobs: this.state.knobs.filter((knob) => knob.path !== path) });
  }
}

/** Moments at which satellites of a scenario are drawn. */
function moments(scenario: Record<string, unknown>): Float64Array {
  const kind = (scenario["topology"] as { kind?: string } | undefined)?.kind;
  if (kind !== "constellation") return new Float64Array([0]);
  const end = secondsOf(scenario, "duration", 1);
  const count = Math.max(2, Math.min(MOMENTS, Math.ceil(end) + 1));
  return Float64Array.from({ length: count }, (_, index) => (end * index) / (count - 1));
}
