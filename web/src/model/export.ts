/** What leaves the page: CSV of numbers, GraphML of the network at a moment, SVG of pictures. */

import type { NetworkMap } from "./document.ts";

/** A table of texts and numbers as CSV. Numbers keep all their digits; what is not defined stays empty. */
export function csv(columns: string[], rows: (string | number)[][]): string {
  const cell = (value: string | number): string => {
    if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
    return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A text in XML. */
export function xml(text: string): string {
  // What XML 1.0 has no place for, such as most control characters, is left out.
  const legal = text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "");
  return legal.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** What GraphML says of a link at a moment. */
export interface LinkNow {
  utilisation: number;
  rate_bps: number;
  dropped_pkts: number;
  lost_pkts: number;
  is_up: boolean;
}

/** A network at a moment as GraphML (graphml.graphdrawing.org), links as directed edges. */
export function graphml(
  map: NetworkMap,
  time: number,
  now: (link: string) => LinkNow,
  positions: Map<string, { latitude: number; longitude: number }> = new Map(),
): string {
  const nodes = [...new Set(map.links.flatMap(({ from, to }) => [from, to]))];
  const keys = [
    ...["latitude_deg", "longitude_deg"].map((name) => ["node", name, "double"]),
    ...["name", "carrier"].map((name) => ["edge", name, "string"]),
    ...["capacity_bps", "rate_bps", "utilisation", "dropped_pkts", "lost_pkts"].map((name) => ["edge", name, "double"]),
    ["edge", "is_up", "boolean"],
    ["graph", "t_s", "double"],
  ];
  const data = (key: string, value: string | number | boolean | null): string =>
    value === null || Number.isNaN(value) ? "" : `<data key="${key}">${xml(String(value))}</data>`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'];
  for (const [of, name, type] of keys) {
    lines.push(`  <key id="${name}" for="${of}" attr.name="${name}" attr.type="${type}"/>`);
  }
  lines.push('  <graph id="network" edgedefault="directed">', `    ${data("t_s", time)}`);
  for (const node of nodes) {
    const at = positions.get(node);
    const where = at === undefined ? "" : data("latitude_deg", at.latitude) + data("longitude_deg", at.longitude);
    lines.push(`    <node id="${xml(node)}">${where}</node>`);
  }
  for (const link of map.links) {
    const { rate_bps, utilisation, dropped_pkts, lost_pkts, is_up } = now(link.name);
    const told = [
      data("name", link.name),
      data("carrier", link.carrier),
      data("capacity_bps", link.rate_bps),
      data("rate_bps", rate_bps),
      data("utilisation", utilisation),
      data("dropped_pkts", dropped_pkts),
      data("lost_pkts", lost_pkts),
      data("is_up", is_up),
    ];
    lines.push(`    <edge source="${xml(link.from)}" target="${xml(link.to)}">${told.join("")}</edge>`);
  }
  return [...lines, "  </graph>", "</graphml>", ""].join("\n");
}
