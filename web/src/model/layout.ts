/** A network drawn by levels: sources first, then what is one link further, and so on to the receivers. */

import type { MapLink, NetworkMap } from "./document.ts";

export interface Place {
  node: string;
  /** How many links it is from where data begins. */
  level: number;
  /** Its place among those of its level, from 0 to 1. */
  across: number;
  /** Who begins or ends here: names of flows, sessions and receivers. */
  ends: string[];
  /** Nodes that are drawn as this one. */
  stands: number;
}

export interface Edge {
  /** The links from `a` to `b`, and those from `b` to `a`. */
  a: string;
  b: string;
  forth: MapLink[];
  back: MapLink[];
}

export interface Layout {
  places: Map<string, Place>;
  edges: Edge[];
  levels: number;
  /** The most places of a level. */
  widest: number;
}

/** So many leaves at one node are drawn one by one; more become one place. */
export const LEAVES = 12;
/** So often places are put beside the middle of their neighbours. */
const ROUNDS = 8;

/** The layout of a network. Equal maps give equal layouts. */
export function layoutOf(map: NetworkMap): Layout {
  const shown = folded(map);
  const edges = edgesOf(map.links, shown);
  const beside = neighbours(edges);
  const level = levelsOf(map, beside, shown);
  const ends = endsOf(map, shown);
  const byLevel: string[][] = [];
  for (const node of beside.keys()) (byLevel[level.get(node)!] ??= []).push(node);
  const across = ordered(byLevel, beside);
  const stands = new Map<string, number>();
  for (const node of shown.values()) stands.set(node, (stands.get(node) ?? 0) + 1);
  const places = new Map<string, Place>();
  for (const node of beside.keys()) {
    places.set(node, {
      node,
      level: level.get(node)!,
      across: across.get(node)!,
      ends: [...(ends.get(node) ?? [])],
      stands: stands.get(node) ?? 1,
    });
  }
  return { places, edges, levels: byLevel.length, widest: Math.max(1, ...byLevel.map((nodes) => nodes?.length ?? 0)) };
}

/** For every node the one that it is drawn as: of many leaves at one node the first stands for all. */
function folded({ links, flows }: NetworkMap): Map<string, string> {
  const beside = new Map<string, Set<string>>();
  for (const { from, to } of links) {
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      const known = beside.get(one);
      if (known === undefined) beside.set(one, new Set([other]));
      else known.add(other);
    }
  }
  const sources = new Set(flows.map((flow) => flow.source));
  const leaves = new Map<string, string[]>();
  for (const [node, others] of beside) {
    if (others.size !== 1 || sources.has(node)) continue;
    const [at] = others;
    const known = leaves.get(at!);
    if (known === undefined) leaves.set(at!, [node]);
    else known.push(node);
  }
  const shown = new Map([...beside.keys()].map((node): [string, string] => [node, node]));
  for (const nodes of leaves.values()) {
    if (nodes.length > LEAVES) for (const node of nodes) shown.set(node, nodes[0]!);
  }
  return shown;
}

function edgesOf(links: MapLink[], shown: Map<string, string>): Edge[] {
  const found = new Map<string, Edge>();
  for (const link of links) {
    const from = shown.get(link.from)!;
    const to = shown.get(link.to)!;
    const isForth = found.has(JSON.stringify([from, to])) || !found.has(JSON.stringify([to, from]));
    const key = JSON.stringify(isForth ? [from, to] : [to, from]);
    let edge = found.get(key);
    if (edge === undefined) found.set(key, (edge = { a: from, b: to, forth: [], back: [] }));
    (isForth ? edge.forth : edge.back).push(link);
  }
  return [...found.values()];
}

function neighbours(edges: Edge[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (one: string, other: string) => {
    const known = found.get(one);
    if (known === undefined) found.set(one, [other]);
    else known.push(other);
  };
  for (const { a, b } of edges) {
    add(a, b);
    add(b, a);
  }
  return found;
}

/** How far every node is from the sources of sessions, or of flows where there is no session. */
function levelsOf(map: NetworkMap, beside: Map<string, string[]>, shown: Map<string, string>): Map<string, number> {
  const level = new Map<string, number>();
  const begin = map.flows.map((flow) => shown.get(flow.source)).filter((node) => node !== undefined);
  let edge = begin.length > 0 ? [...new Set(begin)] : [...beside.keys()].slice(0, 1);
  const spread = (): void => {
    for (const node of edge) if (!level.has(node)) level.set(node, 0);
    while (edge.length > 0) {
      const next: string[] = [];
      for (const node of edge) {
        for (const other of beside.get(node) ?? []) {
          if (level.has(other)) continue;
          level.set(other, level.get(node)! + 1);
          next.push(other);
        }
      }
      edge = next;
    }
  };
  spread();
  for (const node of beside.keys()) {
    if (level.has(node)) continue; // a part of the network that no source is in
    edge = [node];
    spread();
  }
  return level;
}

function endsOf({ flows }: NetworkMap, shown: Map<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (node: string, name: string) => {
    const at = shown.get(node) ?? node;
    const known = found.get(at);
    if (known === undefined) found.set(at, new Set([name]));
    else known.add(name);
  };
  for (const flow of flows) {
    add(flow.source, flow.name);
    for (const receiver of flow.receivers) add(receiver.node, receiver.name);
  }
  return found;
}

/** Places within each level: beside the middle of the neighbours, so that few edges cross. */
function ordered(byLevel: string[][], beside: Map<string, string[]>): Map<string, number> {
  const across = new Map<string, number>();
  const spread = (nodes: string[]) => nodes.forEach((node, place) => across.set(node, (place + 0.5) / nodes.length));
  byLevel.forEach(spread);
  for (let round = 0; round < ROUNDS; round++) {
    const forth = round % 2 === 0 ? byLevel : [...byLevel].reverse();
    for (const nodes of forth) {
      const middle = new Map(
        nodes.map((node): [string, number] => {
          const others = beside.get(node)!;
          return [node, others.reduce((sum, other) => sum + across.get(other)!, 0) / others.length];
        }),
      );
      nodes.sort((one, other) => middle.get(one)! - middle.get(other)! || (one < other ? -1 : 1));
      spread(nodes);
    }
  }
  return across;
}
