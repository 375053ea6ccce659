/**
 * A number over time, of all who have it: of one scenario or two side by side on one axis, of one seed or several. Of
 * several the line is the first seed's, and the band reaches from the lowest to the highest of all.
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { type Series, type Table, seriesBy } from "../model/table.ts";
import { COLOURS, lookOf } from "../model/colours.ts";
import type { Outcome } from "./store.ts";

/** A number that can be shown: a column of a table, and the columns by which it is told apart. */
export interface Shown {
  table: string;
  by: string[];
  column: string;
  title: string;
  /** Who is shown, if not everybody. */
  only?: string[];
}

/** What comes first of what there may be. */
const USUAL: Shown[] = [
  { table: "flows", by: ["flow"], column: "rate_bps", title: "Rates of flows and sessions" },
  { table: "receivers", by: ["receiver"], column: "rate_bps", title: "Rates of receivers" },
  { table: "receivers", by: ["receiver"], column: "level", title: "Layers of receivers" },
  { table: "queues", by: ["link"], column: "queue_pkts", title: "Queues" },
  { table: "queues", by: ["link"], column: "sojourn_s", title: "Waiting times at queues" },
  { table: "links", by: ["link"], column: "utilisation", title: "Use of links" },
  { table: "flows", by: ["flow"], column: "cwnd_pkts", title: "Congestion windows" },
  { table: "flows", by: ["flow"], column: "srtt_s", title: "Round-trip times" },
  { table: "paths", by: ["from", "to"], column: "delay_s", title: "Delays of paths" },
];

/** Columns that say who. */
const SUBJECTS: Record<string, string[]> = {
  flows: ["flow"],
  receivers: ["receiver"],
  layers: ["session", "group"],
  queues: ["link"],
  links: ["link"],
  dilation: ["session", "link"],
};

/** All numbers over time that these tables have, the usual ones first. */
export function shownOf(tables: Map<string, Table>): Shown[] {
  const has = ({ table, column }: Shown) => {
    const found = tables.get(table)?.columns.get(column);
    return found?.kind === "numbers" && found.values.some((value) => !Number.isNaN(value));
  };
  const usual = USUAL.filter(has);
  const others: Shown[] = [];
  for (const [table, by] of Object.entries(SUBJECTS)) {
    for (const column of tables.get(table)?.columns.keys() ?? []) {
      const shown = { table, by, column, title: `${table}: ${column}` };
      const isNew = !usual.some((one) => one.table === table && one.column === column);
      if (column !== "t_s" && !by.includes(column) && isNew && has(shown)) others.push(shown);
    }
  }
  return [...usual, ...others];
}

/** Lines of one scenario at most: more cannot be told apart, and are left out with a word. */
const MOST_LINES = 14;

export interface Line {
  label: string;
  colour: string;
  dash: number[];
  t: Float64Array;
  v: Float64Array;
  low?: Float64Array;
  high?: Float64Array;
}

/** The series of everybody, by name. */
function namedIn(table: Table | undefined, { by, column }: Shown): Map<string, Series> {
  const between = by[0] === "from" ? " to " : " ";
  return new Map(seriesBy(table, by, column).map(({ names, ...own }): [string, Series] => [names.join(between), own]));
}

/** The lines of scenarios. */
export function lines(outcomes: Outcome[], shown: Shown): { lines: Line[]; left: number } {
  const found: Line[] = [];
  const names = new Map<string, number>();
  let left = 0;
  outcomes.forEach((outcome, side) => {
    const seeds = outcome.runs.map((run) => namedIn(run.tables.get(shown.table), shown));
    for (const [name, own] of seeds[0] ?? []) {
      if (shown.only !== undefined && !shown.only.includes(name)) continue;
      if (!own.v.some((value) => !Number.isNaN(value))) continue;
      if (!names.has(name)) names.set(name, names.size);
      const number = names.get(name) as number;
      if (number >= MOST_LINES) {
        left++;
        continue;
      }
      const sideName = outcomes.length > 1 ? ` (${side === 0 ? "A" : "B"})` : "";
      // Lines that lie on each other are seen through the gaps of the upper ones; of two scenarios B has the gaps.
      const dash =
        outcomes.length === 1 ? lookOf(number).dash : side === 1 ? [6, 4] : number >= COLOURS.length ? [2, 3] : [];
      const line: Line = {
        label: `${name}${sideName}`,
        colour: COLOURS[number % COLOURS.length] as string,
        dash,
        t: own.t,
        v: own.v,
      };
      if (seeds.length > 1) {
        const all = seeds.map((seed) => seed.get(name)?.v ?? new Float64Array(0));
        const ends = (choose: (...values: number[]) => number) =>
          own.v.map((_, at) => choose(...all.map((one) => one[at] ?? NaN).filter((value) => !Number.isNaN(value))));
        line.low = ends(Math.min).map((value) => (Number.isFinite(value) ? value : NaN));
        line.high = ends(Math.max).map((value) => (Number.isFinite(value) ? value : NaN));
      }
      found.push(line);
    }
  });
  return { lines: found, left };
}

export function Overlay({ outcomes, shown, height = 300 }: { outcomes: Outcome[]; shown: Shown; height?: number }) {
  const place = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState(0);
  const { lines: all, left } = useMemo(() => lines(outcomes, shown), [outcomes, shown]);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const hear = () => setTheme((count) => count + 1);
    dark.addEventListener("change", hear);
    return () => dark.removeEventListener("change", hear);
  }, []);
  useEffect(() => {
    const box = place.current;
    if (box === null || all.length === 0) return;
    const plot = draw(box, all, shown.column, height);
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, box.clientWidth), height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [all, shown, height, theme]);
  if (all.length === 0) return <p class="lab-quiet">Nobody has this number in this run.</p>;
  const seeds = outcomes[0]?.runs.length ?? 1;
  return (
    <figure class="lab-chart">
      <figcaption>
        {shown.title}
        {seeds > 1 ? `: seed ${outcomes[0]?.runs[0]?.seed}, and the range of all ${seeds} seeds` : ""}
        {left > 0 ? ` (${left} more are in the tables)` : ""}
      </figcaption>
      <div
        ref={place}
        role="img"
        aria-label={`${shown.title} over time: ${all.map((line) => line.label).join(", ")}`}
      />
      <ul class="lab-legend" aria-hidden="true">
        {all.map((line) => (
          <li key={line.label}>
            <svg width="24" height="8" aria-hidden="true">
              <line
                x1="0"
                y1="4"
                x2="24"
                y2="4"
                stroke={`var(${line.colour})`}
                stroke-width="2"
                stroke-dasharray={line.dash.join(" ")}
              />
            </svg>
            {line.label}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Draws lines, with their bands behind. */
function draw(box: HTMLElement, lines: Line[], column: string, height: number): uPlot {
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(name).trim() || "#000";
  const [scale, unit] = scaled(lines, column);
  const tables: uPlot.AlignedData[] = [];
  const all: uPlot.Series[] = [{ label: "time (s)" }];
  const bands: uPlot.Band[] = [];
  for (const line of lines) {
    const values = (some: Float64Array) => Array.from(some, (value) => (Number.isNaN(value) ? null : value / scale));
    const own = colour(line.colour);
    const columns = [Array.from(line.t), values(line.v)];
    all.push({ label: line.label, stroke: own, width: 2, dash: line.dash, points: { show: false }, spanGaps: false });
    if (line.low !== undefined && line.high !== undefined) {
      columns.push(values(line.high) as number[], values(line.low) as number[]);
      const edge = { stroke: "transparent", width: 0, points: { show: false } };
      all.push({ ...edge, label: `${line.label}, highest` }, { ...edge, label: `${line.label}, lowest` });
      bands.push({ series: [all.length - 2, all.length - 1], fill: `${own}33` });
    }
    tables.push(columns as unknown as uPlot.AlignedData);
  }
  const grid = { stroke: colour("--line"), width: 1 };
  const axis = { stroke: colour("--ink"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  return new uPlot(
    {
      width: Math.max(200, box.clientWidth),
      height,
      series: all,
      bands,
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => (low >= 0 ? [0, high * 1.05 || 1] : [low, high]) } },
      axes: [
        { ...axis, label: "time (s)", labelFont: axis.font, labelSize: 18 },
        { ...axis, label: unit, labelFont: axis.font, labelSize: 18, size: 56 },
      ],
      cursor: { drag: { x: true, y: false } },
    },
    uPlot.join(tables),
    box,
  );
}

/** By what numbers are divided, and what they are then. */
function scaled(lines: Line[], column: string): [number, string] {
  const most = Math.max(...lines.map((line) => line.v.reduce((top, value) => (value > top ? value : top), 0)));
  if (column.endsWith("_bps")) return most >= 2e6 ? [1e6, "Mbit/s"] : [1e3, "kbit/s"];
  if (column.endsWith("_s")) return most < 1 ? [1e-3, "ms"] : [1, "s"];
  if (column.endsWith("_pkts")) return [1, "packets"];
  return [1, column];
}
