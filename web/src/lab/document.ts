/** What ran in the laboratory, as the viewer of results has it. Nothing is computed here that tables do not hold. */

import type { Document, RunParts, Traffic } from "../model/document.ts";
import { parts } from "./toml.ts";
import { valueAt } from "./schema.ts";
import type { Outcome } from "./store.ts";

const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };

/** A duration of a resolved scenario, seconds. */
export function secondsOf(scenario: unknown, path: string, otherwise: number): number {
  const found = /^([0-9.e+-]+) ?([a-z]+)$/.exec(String(valueAt(scenario, parts(path)) ?? ""));
  const unit = found === null ? undefined : UNITS[found[2] ?? ""];
  return found === null || unit === undefined ? otherwise : Number(found[1]) * unit;
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
    changes: [],
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

/** Who takes part, as the network's map has it. */
function traffic({ scenario, drawing }: Outcome): Traffic[] {
  const sessions = (scenario["sessions"] ?? {}) as Record<string, { scheme?: string }>;
  const flows = (scenario["flows"] ?? {}) as Record<string, { kind?: string }>;
  return (drawing?.map.flows ?? []).map(({ name, receivers }) => {
    const session = sessions[name];
    const kind = session?.scheme ?? (flows[name] ?? flows[name.replace(/-\d+$/, "")])?.kind ?? "";
    const isSession = session !== undefined;
    return { name, kind, isSession, receivers: isSession ? receivers.map((one) => one.name) : [] };
  });
}
