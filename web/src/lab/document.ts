/** What ran in the laboratory, as the viewer of results has it. Nothing is computed here that tables do not hold. */

import type { Change, Document, RunParts, Traffic } from "../model/document.ts";
import { parts } from "./toml.ts";
import { valueAt } from "./schema.ts";
import type { Outcome } from "./store.ts";

const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };

/** A duration of a resolved scenario, seconds. */
export function secondsOf(scenario: unknown, path: string, otherwise: number): number {
  return seconds(valueAt(scenario, parts(path)), otherwise);
}

function seconds(value: unknown, otherwise: number): number {
  const found = /^([0-9.e+-]+) ?([a-z]+)$/.exec(String(value ?? ""));
  const unit = found === null ? undefined : UNITS[found[2] ?? ""];
  return found === null || unit === undefined ? otherwise : Number(found[1]) * unit;
}

/** What a resolved scenario changes about its network, in the words of `reporting/network.py`, in the order of time. */
export function changes(scenario: unknown): Change[] {
  const found: Change[] = [];
  const look = (value: unknown, path: string[]): void => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (key !== "changes" || !Array.isArray(item)) {
        look(item, [...path, key]);
        continue;
      }
      for (const { at, ...change } of item as Record<string, unknown>[]) {
        const what = Object.entries(change).map(([name, to]) => said(name, to));
        found.push({ t_s: seconds(at, 0), text: `${path.join(".")}: ${what.join(", ")}` });
      }
    }
  };
  look(scenario, []);
  return found.sort((one, other) => one.t_s - other.t_s);
}

function said(name: string, to: unknown): string {
  if (name === "up") return to ? "up again" : "down";
  if (to === null || typeof to !== "object") return `${name} ${to}`;
  const { kind, ...others } = to as Record<string, unknown>;
  return [name, kind, ...Object.entries(others).flat()].filter((word) => word !== undefined).join(" ");
}

/** A document of one run. */
export function documentOf(outcome: Outcome, version: string): Document {
  const { scenario, runs, drawing } = outcome;
  const stop = Math.max(...runs.map((run) => run.facts.simulated_s));
  const run: RunParts = {
    time: {
      stop_s: stop,
      warmup_s: secondsOf(scenario, "warmup", 0),
      interval_s: secondsOf(scenario, "probes.interval", 1),
    },
    traffic: traffic(outcome),
    optimum: {},
    changes: changes(scenario).filter(({ t_s }) => t_s <= stop),
    why: [],
    runs: runs.map(({ seed, tables }) => ({ seed, tables })),
    bandsAre: "",
  };
  if (drawing !== null) {
    run.drawing = drawing.sky === null ? { map: drawing.map } : { map: drawing.map, sky: drawing.sky };
  }
  const head = {
    title: String(scenario["name"] ?? ""),
    description: String(scenario["description"] ?? ""),
    ran: [],
    came: [],
    results: [],
    warnings: [],
    notes: [],
    commands: [],
    scenario: outcome.text,
    seeds: runs.map((one) => one.seed).join(", "),
    version,
    hash: "",
  };
  return { head, run };
}

/** Who takes part, as the network's map has it: sessions first, as everywhere. */
function traffic({ scenario, drawing }: Outcome): Traffic[] {
  const sessions = (scenario["sessions"] ?? {}) as Record<string, { scheme?: string }>;
  const flows = (scenario["flows"] ?? {}) as Record<string, { kind?: string }>;
  const all = new Map<string, Traffic>();
  for (const { name, receivers } of drawing?.map.flows ?? []) {
    const session = own(sessions, name);
    const isSession = session !== undefined;
    const entry = isSession || own(flows, name) !== undefined ? name : name.replace(/-\d+$/, "");
    const kind = session?.scheme ?? own(flows, entry)?.kind ?? "";
    // Transfers of all pairs of nodes are those of the entry, as in `reporting/of_run.py`.
    const listed = kind === "web" ? entry : name;
    all.set(listed, { name: listed, kind, isSession, receivers: isSession ? receivers.map((one) => one.name) : [] });
  }
  return [...all.values()].sort((one, other) => Number(other.isSession) - Number(one.isSession));
}

/** What a table of a scenario has under a name, which may be any, such as `constructor`. */
function own<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
