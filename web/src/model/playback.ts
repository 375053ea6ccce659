/** What viewers saw: of each receiver that plays its session when its picture was there, how good, when it stood still. */

import type { Traffic } from "./document.ts";
import { digits, moment, said } from "./format.ts";
import type { Mark } from "./marks.ts";
import type { Stretch } from "./strips.ts";
import { numbers, rowsBy, series, words, type Series, type Table } from "./table.ts";

/** States beside qualities: the picture stands still since a segment was skipped, or until one comes. */
export const SKIPPED = "skipped";
export const WAITS = "waits";

export interface Viewer {
  name: string;
  session: string;
  stretches: Stretch[];
  /** How often the picture stopped, and for how long altogether, seconds. Segments skipped in a row are one stall. */
  stalls: number;
  stalled: number;
  /** When the picture appeared, seconds; nothing if it never did. */
  appeared: number | undefined;
}

/** A picture that stopped. */
export interface Stall {
  t: number;
  duration: number;
  session: string;
  receiver: string;
  /** Of the segment with which it began. */
  row: number;
  /** How many more were skipped after it. */
  more: number;
}

/** What lies between two stalls that are one, seconds: the ends of a segment are in whole nanoseconds. */
const NEAR = 1e-6;

/** Everybody who plays something, also who has not seen any of it; who stood still longest comes first. */
export function viewersOf(playback: Table | undefined, traffic: Traffic[], stop: number): Viewer[] {
  if (playback === undefined) return [];
  const stalls = new Map<string, Stall[]>();
  for (const stall of stallsOf(playback)) {
    const known = stalls.get(stall.receiver);
    if (known === undefined) stalls.set(stall.receiver, [stall]);
    else known.push(stall);
  }
  const found: Viewer[] = [];
  const sessions = rowsBy(playback, "session");
  for (const { name: session, receivers } of traffic) {
    if (!sessions.has(session)) continue;
    for (const name of receivers) {
      const own = stalls.get(name) ?? [];
      const stretches = seenBy(playback, name, stop);
      found.push({
        name,
        session,
        stretches,
        stalls: own.length,
        stalled: own.reduce((sum, { duration }) => sum + duration, 0),
        appeared: stretches[0]?.from,
      });
    }
  }
  const rank = ({ appeared, stalled }: Viewer) => (appeared === undefined ? Infinity : stalled);
  return found.sort((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)));
}

/** Of a receiver what it saw over time: its qualities, and how its picture stood still. */
function seenBy(playback: Table, receiver: string, stop: number): Stretch[] {
  const [t, stall, quality] = ["t_s", "stall_s", "quality"].map((name) => numbers(playback, name));
  const rows = rowsBy(playback, "receiver").get(receiver) ?? [];
  const length = lengthOf(t!, stall!, quality!, rows);
  const found: Stretch[] = [];
  const add = (from: number, to: number, state: number | string) => {
    if (to <= from) return;
    const last = found.at(-1);
    if (last !== undefined && last.state === state && from - last.to < NEAR) last.to = to;
    else found.push({ from, to, state });
  };
  rows.forEach((row, place) => {
    const [due, still, level] = [t![row]!, stall![row]!, quality![row]!];
    const next = rows[place + 1];
    if (!(level > 0)) {
      // What a file waits for to the end has nothing behind it; what is skipped takes no longer than a segment.
      add(due, due + still, next !== undefined || still <= length + NEAR ? SKIPPED : WAITS);
      return;
    }
    add(due, due + still, WAITS);
    // Where nothing changes rows may have been left out: a state holds up to the next row.
    add(due + still, next === undefined ? Math.min(stop, due + still + length) : t![next]!, level);
  });
  return found;
}

/** How long a segment is: the least between two of them, without stalls; nothing is known of a single one. */
function lengthOf(t: Float64Array, stall: Float64Array, quality: Float64Array, rows: ArrayLike<number>): number {
  let least = Infinity;
  for (let place = 1; place < rows.length; place++) {
    const before = rows[place - 1]!;
    const still = quality[before]! > 0 ? stall[before]! : 0;
    least = Math.min(least, t[rows[place]!]! - t[before]! - still);
  }
  return least;
}

/** All stalls in the order of time. */
export function stallsOf(playback: Table | undefined): Stall[] {
  if (playback === undefined) return [];
  const [t, stall, quality] = ["t_s", "stall_s", "quality"].map((name) => numbers(playback, name));
  const session = words(playback, "session");
  const found: Stall[] = [];
  for (const [receiver, rows] of rowsBy(playback, "receiver")) {
    let last: Stall | undefined;
    for (const row of rows) {
      if (!(stall![row]! > 0)) {
        last = undefined;
        continue;
      }
      const wasSkipped = last !== undefined && Math.abs(last.t + last.duration - t![row]!) < NEAR;
      if (wasSkipped && !(quality![row]! > 0)) {
        last!.duration += stall![row]!;
        last!.more++;
        continue;
      }
      const of = session.words[session.codes[row]!]!;
      last = { t: t![row]!, duration: stall![row]!, session: of, receiver, row, more: 0 };
      found.push(last);
      if (quality![row]! > 0) last = undefined; // it went on
    }
  }
  return found.sort((one, other) => one.t - other.t);
}

/** Stalls as marks: what the first lines of `faircast why --picture` say of each (python/faircast/causes/picture.py). */
export function stallMarks(playback: Table | undefined): Mark[] {
  if (playback === undefined) return [];
  const column = (name: string) => numbers(playback, name);
  const [segment, missing, enough, sent] = ["segment", "missing_pkts", "enough_pkts", "sent_s"].map(column);
  return stallsOf(playback).map(({ t, duration, session, receiver, row, more }): Mark => {
    const sentences = [
      `the picture of ${receiver} stopped for ${said("time", duration)}`,
      due(segment![row]!, missing![row]!, enough![row]!, more),
    ];
    if (missing![row]! > 0) {
      const at = sent![row]!;
      const isSent = Number.isFinite(at);
      sentences.push(
        isSent ? `The source had sent these by ${moment(at)}` : `The source had not sent them by ${moment(t)}`,
      );
    }
    return { t, kind: "stalls", about: [session, receiver], text: sentences.join(". ") };
  });
}

function due(segment: number, missing: number, enough: number, more: number): string {
  const was = `Segment ${digits(segment)} was due then`;
  const after = more === 0 ? "" : `. ${more} more after it ${more > 1 ? "were" : "was"} not there in time`;
  if (!(enough > 0)) return `${was}, of which the source had sent nothing${after}`;
  if (!(missing > 0)) return `${was} and was there, but what follows it was not, as the buffer asks${after}`;
  const packets = enough === 1 ? "packet that is" : "packets that are";
  return `${was}, and ${digits(missing)} of the ${digits(enough)} ${packets} enough had not come${after}`;
}

/** What a viewer had ahead when each segment was shown, or skipped. */
export function bufferOf(playback: Table | undefined, receiver: string): Series {
  const { t, v } = series(playback, "receiver", receiver, "buffer_s");
  const quality = series(playback, "receiver", receiver, "quality").v;
  const stall = series(playback, "receiver", receiver, "stall_s").v;
  return { t: t.map((due, row) => (quality[row]! > 0 ? due + stall[row]! : due)), v };
}

/** What so many percent of the viewers do not exceed, by the nearest rank. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(Math.ceil((sorted.length * percent) / 100), 1) - 1] ?? NaN;
}

/** The state of a viewer in words. */
export function sayState(state: number | string): string {
  if (state === SKIPPED) return "stands still, skipped";
  if (state === WAITS) return "stands still, waits";
  return `quality ${state}`;
}
