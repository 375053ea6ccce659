/** What happened: events of flows and receivers, changes of the network, hand-offs, each with a sentence. */

import type { Change } from "./document.ts";
import { digits, said } from "./format.ts";
import { stallMarks } from "./playback.ts";
import { numbers, words, type Table } from "./table.ts";

export interface Mark {
  t: number;
  /** The row of marks to which it belongs. */
  kind: string;
  /** The flow, receiver, link or station that it is about. */
  about: string[];
  text: string;
}

/** Rows of marks, in their order, with the events that stand in them. */
export const KINDS: Record<string, string[]> = {
  "network changes": [],
  "hand-offs": [],
  stalls: [],
  "joins of receivers": ["member-joined"],
  "leaves of receivers": ["member-left"],
  "layers added": ["layer-added"],
  "layers dropped": ["layer-dropped"],
  "attempts begun": ["join-begun"],
  "attempts failed": ["join-failed", "join-abandoned"],
  "limiting receiver": ["limiting-receiver"],
  losses: ["loss-reduction", "loss-event"],
  marks: ["incipient-reduction", "moderate-reduction"],
  "time-outs": ["timeout"],
  "slow start ended": ["slow-start-ended"],
  outages: ["outage"],
  blocked: ["blocked"],
  released: ["released"],
  "excluded receivers": ["receiver-excluded"],
  finished: ["finished"],
};
const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, of]) => of.map((event): [string, string] => [event, kind])),
);

/** All marks of a seed, in the order of time. */
export function marksOf(tables: Map<string, Table>, changes: Change[]): Mark[] {
  const found: Mark[] = changes.map(({ t_s, text }) => ({ t: t_s, kind: "network changes", about: [], text }));
  found.push(...ofEvents(tables.get("events")), ...ofMembers(tables.get("receivers")));
  found.push(...ofRouters(tables.get("router_events")), ...ofHandoffs(tables.get("handoffs")));
  found.push(...stallMarks(tables.get("playback")));
  return found.sort((one, other) => one.t - other.t);
}

function reader(table: Table, name: string): (row: number) => string {
  const { codes, words: known } = words(table, name);
  return (row) => known[codes[row] ?? -1] ?? "";
}

function ofEvents(table: Table | undefined): Mark[] {
  if (table === undefined) return [];
  const [t, before, after, layer] = ["t_s", "before", "after", "layer"].map((name) => numbers(table, name));
  const [flow, receiver, event] = [reader(table, "flow"), reader(table, "receiver"), reader(table, "event")];
  const found: Mark[] = [];
  for (let row = 0; row < table.rows; row++) {
    const kind = KIND_OF.get(event(row));
    if (kind === undefined) continue;
    const who = receiver(row) || flow(row);
    const text = sentence(event(row), who, flow(row), before![row]!, after![row]!, layer![row]!);
    found.push({ t: t![row]!, kind, about: [flow(row), receiver(row)].filter((name) => name !== ""), text });
  }
  return found;
}

function sentence(event: string, who: string, flow: string, before: number, after: number, layer: number): string {
  switch (event) {
    case "loss-reduction":
      return `${who} reduced its window after a loss, from ${digits(before)} to ${digits(after)} packets`;
    case "incipient-reduction":
    case "moderate-reduction":
      return `${who} reduced its window after a mark, from ${digits(before)} to ${digits(after)} packets`;
    case "timeout":
      return `a time-out of ${who}`;
    case "loss-event":
      return `${who} found a loss event; its loss event rate became ${said("part", after)}`;
    case "limiting-receiver":
      return who === flow ? `nobody limits ${flow} any more` : `${who} limits ${flow} from now on`;
    case "layer-added":
      return `${who} added layer ${digits(layer)}: from ${digits(before)} to ${digits(after)} layers`;
    case "layer-dropped":
      return `${who} dropped layer ${digits(layer)}: from ${digits(before)} to ${digits(after)} layers`;
    case "join-begun":
      return `${who} began an attempt to join layer ${digits(layer)}`;
    case "join-failed":
      return `a loss ended the attempt of ${who} to join layer ${digits(layer)}`;
    case "join-abandoned":
      return `${who} gave up its attempt to join layer ${digits(layer)}`;
    case "slow-start-ended":
      return `the slow start of ${who} ended`;
    case "receiver-excluded":
      return `${flow} no longer heeds ${who}`;
    case "finished":
      return `${who} has finished`;
    default:
      return `${event} of ${who}`;
  }
}

/** Joins and leaves of receivers: a rate is defined in the intervals in which a receiver is a member. */
function ofMembers(table: Table | undefined): Mark[] {
  if (table === undefined) return [];
  const t = numbers(table, "t_s");
  const rate = numbers(table, "rate_bps");
  const [session, receiver] = [reader(table, "session"), reader(table, "receiver")];
  const wasThere = new Map<string, boolean>();
  const found: Mark[] = [];
  for (let row = 0; row < table.rows; row++) {
    const key = JSON.stringify([session(row), receiver(row)]);
    const isThere = !Number.isNaN(rate[row]!);
    const before = wasThere.get(key);
    wasThere.set(key, isThere);
    if (before === undefined || before === isThere) continue;
    const [kind, verb] = isThere ? ["joins of receivers", "joined"] : ["leaves of receivers", "left"];
    const about = [session(row), receiver(row)];
    found.push({
      t: t[row]!,
      kind,
      about,
      text: `${receiver(row)} ${verb} ${session(row)} in this interval or at its end`,
    });
  }
  return found;
}

function ofRouters(table: Table | undefined): Mark[] {
  if (table === undefined) return [];
  const t = numbers(table, "t_s");
  const [link, event, about] = [reader(table, "link"), reader(table, "event"), reader(table, "about")];
  const found: Mark[] = [];
  for (let row = 0; row < table.rows; row++) {
    const kind = KIND_OF.get(event(row));
    if (kind === undefined) continue;
    const session = about(row).split("/")[0]!;
    found.push({ t: t[row]!, kind, about: [link(row), session], text: `${link(row)} ${event(row)} ${about(row)}` });
  }
  return found;
}

function ofHandoffs(table: Table | undefined): Mark[] {
  if (table === undefined) return [];
  const t = numbers(table, "t_s");
  const [station, from, to] = [reader(table, "station"), reader(table, "from"), reader(table, "to")];
  return Array.from({ length: table.rows }, (_, row) => {
    const turned =
      to(row) === ""
        ? `lost ${from(row)}, and is left without a satellite`
        : `turned to ${to(row)}${from(row) === "" ? "" : ` from ${from(row)}`}`;
    return { t: t[row]!, kind: "hand-offs", about: [station(row)], text: `${station(row)} ${turned}` };
  });
}
