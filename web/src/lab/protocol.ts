/** What the page and its worker say to each other. */

import type { NetworkMap } from "../model/document.ts";
import type { Sky } from "../model/sky.ts";
import type { Table } from "../model/table.ts";

export type { Sky, Table };

/** A network as it is drawn, and its satellites if their places are known. */
export interface Drawn {
  map: NetworkMap;
  sky: Sky | null;
}

/** Something about the text of a scenario, and where it stands. */
export interface Remark {
  path: string;
  message: string;
  /** Of a problem: what was given there. */
  given?: string | null;
  /** Of a problem: what is legal. */
  legal?: string | null;
  /** Of a warning: its sort. */
  kind?: string;
  /** Line, counted from 1, if it stands on one. */
  line?: number;
  /** Characters of the text that it is about. */
  at?: [number, number];
}

/** Everything about a text that can be said without a run. */
export interface Checked {
  problems: Remark[];
  /** How many problems there are, those that are not listed included. */
  count: number;
  /** The rest only of a legal scenario. */
  warnings?: Remark[];
  /** Bytes that a run may need. */
  memory?: number;
  duration_s?: number;
  /** With all defaults and the content of its files. */
  scenario?: Record<string, unknown>;
}

/** Where a path stands in a text: its line, how many characters of it lead there, and its value if it has one there. */
export type Place = { line: number; known: number; value: [number, number] | null } | null;

/** What a run gave beside its tables. */
export interface Facts {
  interrupted: boolean;
  simulated_s: number;
  packet_hops: number;
  events: number;
  trace: string | null;
  warnings: { kind: string; subject: string; value: number; message: string }[];
  /** How long it took, seconds. */
  wall_s: number;
}

/** How far a run is. */
export interface Progress {
  seed: number;
  simulated_s: number;
  end_s: number;
  packet_hops: number;
}

/** What the page asks. Every question with a number is answered under it. */
export type Question =
  | { ask: "check"; id: number; text: string }
  | { ask: "places"; id: number; text: string; paths: string[] }
  | { ask: "drawing"; id: number; scenario: string; seed: number; times: Float64Array }
  | { ask: "run"; id: number; scenario: string; seeds: number[] }
  | { ask: "file"; name: string; content: Uint8Array }
  | { ask: "cancel"; run: number };

/** What the worker says. */
export type Answer =
  | { say: "ready"; version: string; schema: string; catalogue: string }
  | { say: "checked"; id: number; checked: Checked }
  | { say: "places"; id: number; places: Place[] }
  | { say: "drawing"; id: number; drawn: Drawn }
  | { say: "progress"; id: number; progress: Progress }
  | { say: "tables"; id: number; seed: number; facts: Facts; tables: Map<string, Table> }
  | { say: "over"; id: number; cancelled: boolean }
  | { say: "refused"; id: number; message: string }
  | { say: "broken"; message: string };

/** Bytes that a run in a page may take: browsers give WebAssembly 4 GiB at most; the rest is for code and check. */
export const MEMORY_LIMIT = 4 * 2 ** 30 - 256 * 2 ** 20;
