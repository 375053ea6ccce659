/** What the reader of a page has chosen: the moment, the stretch of time, the seed, whom to see alone. */

export interface State {
  /** The moment that all pictures show, seconds. */
  time: number;
  /** Where the mouse reads, seconds; null if nowhere. */
  hover: number | null;
  from: number;
  to: number;
  /** The place of a run in the document; null for all seeds as bands. */
  run: number | null;
  /** A flow, session, receiver or link that is seen alone. */
  alone: string | null;
  isPlaying: boolean;
  /** How many times as fast as it was. */
  speed: number;
}

export class Store {
  state: State;
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly stop: number,
    readonly step: number,
    run: number | null,
  ) {
    this.state = { time: 0, hover: null, from: 0, to: stop, run, alone: null, isPlaying: false, speed: 10 };
  }

  /** Changes what is given, and tells everybody. */
  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  /** Calls `listener` after every change until what is returned is called. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Goes to a moment; one outside the run becomes its beginning or its end. */
  goTo(time: number): void {
    this.set({ time: Math.min(this.stop, Math.max(0, time)) });
  }

  /** Shows a stretch of time; the whole run for one that is empty. */
  zoom(from: number, to: number): void {
    const low = Math.max(0, Math.min(from, to));
    const high = Math.min(this.stop, Math.max(from, to));
    if (high - low < this.step / 100) this.set({ from: 0, to: this.stop });
    else this.set({ from: low, to: high });
  }

  /** Sees somebody alone, or everybody again. */
  only(name: string): void {
    this.set({ alone: this.state.alone === name ? null : name });
  }
}
