/** Knobs: values of a scenario that can be turned. What a value looks like decides how. */

import { type Grammar, valueAt } from "./schema.ts";
import { parts, written } from "./toml.ts";

/** A value that can be turned, and how. */
export type Knob = { path: string; label: string } & (
  | { how: "slide"; value: number; unit: string; least: number; most: number; isWhole: boolean; isLog: boolean }
  | { how: "choose"; value: string; choices: { text: string; about: string }[] }
);

/** What somebody said of a knob: its ends, or the values to choose from. */
export interface Turn {
  path: string;
  label?: string;
  least?: number;
  most?: number;
  choices?: { text: string; about: string }[];
}

/** The knob at a path of a resolved scenario; null if what stands there cannot be turned. */
export function knob(turn: Turn, scenario: unknown, grammar: Grammar | null): Knob | null {
  const { path } = turn;
  const label = turn.label ?? path;
  const keys = parts(path);
  const value = valueAt(scenario, keys);
  if (turn.choices !== undefined) {
    const kind = (one: unknown) =>
      one !== null && typeof one === "object" ? JSON.stringify((one as { kind?: unknown }).kind) : written(one);
    const chosen = turn.choices.find((choice) => choice.text === written(value) || kindOf(choice.text) === kind(value));
    return { path, label, how: "choose", value: chosen?.text ?? written(value), choices: turn.choices };
  }
  if (value === undefined || value === null) return null;
  const meaning = grammar?.meaning(scenario, keys) ?? null;
  const quantity = typeof value === "string" ? /^(-?[0-9.]+(?:e-?[0-9]+)?)(\s*)([A-Za-z/%°]*)$/.exec(value) : null;
  if (typeof value === "number" || quantity !== null) {
    const now = typeof value === "number" ? value : Number(quantity?.[1]);
    if (!Number.isFinite(now)) return null;
    const unit = quantity?.[3] ?? "";
    const [low, high] = bounds(meaning?.facts ?? []);
    const isWhole =
      Number.isInteger(now) &&
      (unit === "packets" || typeof value === "number") &&
      !(low !== null && high !== null && high <= 1);
    let least = turn.least ?? (now > 0 ? now / 10 : now < 0 ? now * 10 : 0);
    let most = turn.most ?? (now > 0 ? now * 10 : now < 0 ? now / 10 : 10);
    if (low !== null && turn.least === undefined) least = Math.max(least, low);
    if (high !== null && turn.most === undefined) most = Math.min(most, high);
    if (isWhole)
      [least, most] = [Math.max(Math.floor(least), unit === "packets" ? 1 : Math.floor(least)), Math.ceil(most)];
    const isLog = least > 0 && most / least > 8;
    return {
      path,
      label,
      how: "slide",
      value: now,
      unit,
      least: Math.min(least, now),
      most: Math.max(most, now),
      isWhole,
      isLog,
    };
  }
  const words = (meaning?.values ?? []).filter((one) => typeof one.value !== "object");
  if (words.length < 2) return null;
  const choices = words.map((one) => ({ text: written(one.value), about: one.about }));
  return { path, label, how: "choose", value: written(value), choices };
}

/** Units that can be turned into each other, by their size. */
const SCALES: Record<string, number>[] = [
  { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 },
  { "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9 },
  { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 },
];

/** A value in another unit, that of a slider whose ends stay: the core writes 2000 kbit/s as 2 Mbit/s. */
export function inUnit(value: number, unit: string, other: string): number {
  const scale = SCALES.find((units) => unit in units && other in units);
  if (scale === undefined) return value;
  return Number(((value * (scale[unit] as number)) / (scale[other] as number)).toPrecision(12));
}

/** Of a table written in one line its kind, as JSON. */
function kindOf(text: string): string {
  return /kind\s*=\s*("[^"]*")/.exec(text)?.[1] ?? text;
}

/** The bounds that the schema's words give. */
function bounds(facts: string[]): [number | null, number | null] {
  const legal = facts.find((fact) => fact.startsWith("Legal:")) ?? "";
  const low = /(?:from|above) (-?[0-9.e+-]+)/.exec(legal)?.[1];
  const high = /(?:up to|below) (-?[0-9.e+-]+)/.exec(legal)?.[1];
  return [
    low === undefined ? null : Number(low.replace(/\.$/, "")),
    high === undefined ? null : Number(high.replace(/\.$/, "")),
  ];
}

/** Steps of a slider: it counts from 0 to this. */
export const STEPS = 200;

/** Where a slider stands at a value. */
export function toStep(knob: Extract<Knob, { how: "slide" }>, value: number): number {
  const { least, most, isLog } = knob;
  if (most <= least) return 0;
  const part = isLog ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
  return Math.round(STEPS * Math.min(1, Math.max(0, part)));
}

/** The value at which a slider stands: three digits are enough, whole where it must be. */
export function fromStep(knob: Extract<Knob, { how: "slide" }>, step: number): number {
  const { least, most, isLog, isWhole } = knob;
  const part = step / STEPS;
  if (step <= 0) return least;
  if (step >= STEPS) return most;
  const value = isLog ? least * (most / least) ** part : least + (most - least) * part;
  return isWhole ? Math.round(value) : Number(value.toPrecision(3));
}

/**
 * Where a slider is shown whose scenario has a value. It stays where the hand has put it while the text of that is
 * unread, as what the scenario has is older then, and as long as its value is that of the scenario: two steps can be
 * one value, and a slider put back to the first of them would never leave it by the keyboard.
 */
export function stepShown(
  knob: Extract<Knob, { how: "slide" }>,
  value: number,
  held: number | null,
  isUnread: boolean,
): number {
  return held !== null && (isUnread || fromStep(knob, held) === value) ? held : toStep(knob, value);
}

/** A value of a slider as the scenario has it. */
export function toToml(knob: Extract<Knob, { how: "slide" }>, value: number): string {
  return knob.unit === "" ? String(value) : JSON.stringify(`${value} ${knob.unit}`);
}

/** Paths of a resolved scenario that can be pinned, those first that its text has. */
export function pinnable(scenario: unknown, path = ""): string[] {
  if (Array.isArray(scenario)) return scenario.flatMap((item, index) => pinnable(item, `${path}[${index}]`));
  if (scenario !== null && typeof scenario === "object") {
    return Object.entries(scenario).flatMap(([key, value]) => pinnable(value, path === "" ? key : `${path}.${key}`));
  }
  const isFixed = path === "format" || path === "name" || path === "description" || path === "seed";
  return isFixed || (typeof scenario === "string" && !/^-?[0-9.]/.test(scenario) && scenario.length > 40) ? [] : [path];
}
