/** What a page shows: a run with its seeds, a sweep, or a reproduction. Made by `faircast.reporting` in Python. */

import type { Sky } from "./sky.ts";
import type { Table } from "./table.ts";

export interface Run {
  seed: number;
  tables: Map<string, Table>;
}

/** A direction of a link, or a leg, as `_native.network_map` has it. */
export interface MapLink {
  name: string;
  from: string;
  to: string;
  /** Of a leg the link that has it. */
  carrier: string | null;
  rate_bps: number;
  queue: { kind: string; [key: string]: unknown };
  loss: { kind: string; [key: string]: unknown };
  /** When it goes up or down: seconds, whether it is up from then on. */
  ups: [number, boolean][];
}

export interface MapReceiver {
  name: string;
  node: string;
  there: string[];
  back: string[];
}

export interface MapFlow {
  name: string;
  source: string;
  receivers: MapReceiver[];
}

export interface NetworkMap {
  links: MapLink[];
  flows: MapFlow[];
}

export interface Drawing {
  map: NetworkMap;
  sky?: Sky;
}

/** A table of texts: the first column names the rows. */
export interface Grid {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface Warning {
  kind: string;
  subject: string;
  message: string;
  seeds: number[];
}

export interface Head {
  title: string;
  description: string;
  /** What was run, sentence by sentence. */
  ran: string[];
  /** What came out. */
  came: string[];
  results: Grid[];
  warnings: Warning[];
  /** What one should know of the page itself: what was thinned or left out. */
  notes: string[];
  /** Shell commands that make all of it again, with what each does. */
  commands: { does: string; command: string }[];
  /** The scenario in TOML; empty where there are several. */
  scenario: string;
  seeds: string;
  version: string;
  hash: string;
}

/** Who takes part, with what was chosen for it. */
export interface Traffic {
  name: string;
  kind: string;
  isSession: boolean;
  receivers: string[];
}

/** An explanation of one fall of a rate. */
export interface Why {
  seed: number;
  t_s: number;
  flow: string;
  headline: string;
  /** What led to it; empty if the tables do not tell. */
  steps: string[];
  /** Then the command that finds out. */
  command: string;
}

/** A change of the network that the scenario plans. */
export interface Change {
  t_s: number;
  text: string;
}

export interface Time {
  stop_s: number;
  warmup_s: number;
  interval_s: number;
}

/** The parts of a run. */
export interface RunParts {
  time: Time;
  traffic: Traffic[];
  /** Of flows, sessions and receivers the optimum of their rates, bit/s. */
  optimum: Record<string, number>;
  changes: Change[];
  why: Why[];
  runs: Run[];
  /** Over several seeds, by table: the columns `NAME.mean`, `NAME.low` and `NAME.high` beside time and subject. */
  bands?: Map<string, Table>;
  /** What bands are: their ends in words. */
  bandsAre: string;
  /** What the rates of flows and sessions are, where they are not what reached the receivers. */
  ratesAre?: string;
  drawing?: Drawing;
}

/** One point of a sweep: its values as texts, and the command that repeats it. */
export interface Point {
  values: string[];
  /** Where it stands on the axis of each path: a number, or the place of its value in the list. */
  places: number[];
  seeds: string;
  hash: string;
  command: string;
  /** The options of `faircast run` that take its seeds. */
  options: string;
}

export interface SweepMetric {
  subject: string;
  metric: string;
  unit: string;
  /** Point by point; NaN where there is none. */
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
  n: Float64Array;
  optimum: Float64Array;
}

export interface SweepPath {
  path: string;
  unit: string;
  isNumber: boolean;
  /** The distinct values as texts, in the order along an axis. */
  values: string[];
  places: number[];
}

export interface Sweep {
  paths: SweepPath[];
  points: Point[];
  metrics: SweepMetric[];
  /** The places in `metrics` of what is shown first. */
  usual: number[];
  /** The name of the scenario that was varied. */
  name: string;
  /** The scenario of each point in TOML; none if they had no room. */
  scenarios: string[];
}

export interface Criterion {
  name: string;
  published: string;
  measured: string;
  verdict: string;
  rule: string;
  note: string;
}

export interface Experiment {
  id: string;
  paper: string;
  place: string;
  title: string;
  published: string;
  says: string;
  verdict: string;
  why: string;
  criteria: Criterion[];
  numbers: Grid | null;
  note: string;
  /** The figure as a data address; empty if there is none in the page. */
  figure: string;
  seeds: string;
  command: string;
}

export interface Document {
  head: Head;
  run?: RunParts;
  sweep?: Sweep;
  reproduction?: Experiment[];
}
