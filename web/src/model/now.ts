/** The state of the network at a moment, from the tables of a run. */

import type { Drawing, MapLink } from "./document.ts";
import type { LinkNow } from "./export.ts";
import { during, latest, numbers, rowAt, rowsBy, series, words, type Table } from "./table.ts";

export interface LinkState extends LinkNow {
  link: MapLink;
}

/** What did not leave a queue, and what left it and came nowhere: packets, by what became of them. */
const DROPS = [
  "dropped_overflow_pkts",
  "dropped_active_pkts",
  "dropped_down_pkts",
  "held_back_pkts",
  "discarded_pkts",
] as const;
const LOSSES = ["lost_pkts", "unreceived_pkts"] as const;

/** Of every link of the map what happens in the interval of a moment. */
export function linksNow(drawing: Drawing, links: Table | undefined, time: number): Map<string, LinkState> {
  const rows = links === undefined ? undefined : rowsBy(links, "link");
  const times = numbers(links, "t_s");
  const [utilisation, rate] = [numbers(links, "utilisation"), numbers(links, "rate_bps")];
  const [drops, losses] = [DROPS, LOSSES].map((names) => names.map((name) => numbers(links, name)));
  const sum = (of: Float64Array[], row: number) => of.reduce((all, values) => all + (values[row] || 0), 0);
  return new Map(
    drawing.map.links.map((link): [string, LinkState] => {
      const own = rows?.get(link.name);
      const row = own === undefined ? -1 : (own[rowAt(own, times, time)] ?? -1);
      return [
        link.name,
        {
          link,
          utilisation: utilisation[row] ?? NaN,
          rate_bps: rate[row] ?? NaN,
          dropped_pkts: sum(drops!, row),
          lost_pkts: sum(losses!, row),
          is_up: isUp(link, time),
        },
      ];
    }),
  );
}

function isUp(link: MapLink, time: number): boolean {
  let up = true;
  for (const [at, is] of link.ups) if (at <= time + 1e-9) up = is;
  return up;
}

/** The satellite to which a station is turned at a moment, from the table of hand-offs; undefined if it is not known. */
export function satelliteOf(handoffs: Table | undefined, station: string, time: number): string | undefined {
  const rows = handoffs === undefined ? undefined : rowsBy(handoffs, "station").get(station);
  if (handoffs === undefined || rows === undefined) return undefined;
  const place = rowAt(rows, numbers(handoffs, "t_s"), time + 2e-9);
  const column = words(handoffs, place === 0 ? "from" : "to");
  return column.words[column.codes[rows[Math.max(0, place - 1)]!]!];
}

/** The ways that were probed as they are at a moment: lists of nodes, with their delay. */
export function waysNow(
  paths: Table | undefined,
  time: number,
): { from: string; to: string; way: string[]; delay: number }[] {
  if (paths === undefined) return [];
  const [from, to, way] = ["from", "to", "way"].map((name) => words(paths, name));
  const t = numbers(paths, "t_s");
  const delay = numbers(paths, "delay_s");
  const found = new Map<string, { from: string; to: string; way: string[]; delay: number }>();
  for (let row = 0; row < paths.rows && t[row]! <= time + 1e-9; row++) {
    const [a, b] = [from!.words[from!.codes[row]!]!, to!.words[to!.codes[row]!]!];
    const text = way!.words[way!.codes[row]!]!;
    found.set(JSON.stringify([a, b]), { from: a, to: b, way: text ? text.split(" > ") : [], delay: delay[row]! });
  }
  return [...found.values()];
}

/** The links over which somebody's packets go: of a session its tree, of a receiver its branch; null for all. */
export function linksOf(drawing: Drawing, alone: string | null): Set<string> | null {
  if (alone === null) return null;
  const found = new Set<string>();
  for (const flow of drawing.map.flows) {
    for (const receiver of flow.receivers) {
      if (alone !== flow.name && alone !== receiver.name) continue;
      for (const link of receiver.there) found.add(link);
    }
  }
  if (found.size === 0 && drawing.map.links.some((link) => link.name === alone)) found.add(alone);
  return found.size > 0 ? found : null;
}

/** Whether a receiver is a member at a moment; undefined if nobody knows. */
export function isMember(receivers: Table | undefined, receiver: string, time: number): boolean | undefined {
  const rates = series(receivers, "receiver", receiver, "rate_bps");
  return rates.t.length === 0 ? undefined : !Number.isNaN(during(rates, time));
}

/** How many packets wait at a link, where that was probed. */
export function queueNow(queues: Table | undefined, link: string, time: number): number {
  return latest(series(queues, "link", link, "queue_pkts"), time);
}
