/** Series over time on a canvas (uPlot): lines with bands, levels across, and the needle of the present moment. */

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Look } from "../model/colours.ts";
import { digits, moment, said, unitOf, type Quantity, type Unit } from "../model/format.ts";
import { seriesSvg, type DrawnLine } from "../model/series_svg.ts";
import type { Store } from "../model/store.ts";
import { during, haveOneTime, latest, placeOf, type Series } from "../model/table.ts";
import { colourOf, useStore, useTheme, useWidth } from "./hooks.ts";
import { Picture, type Numbers } from "./picture.tsx";

export interface Line extends Look {
  /** The subject that is seen alone when it is chosen. */
  name: string;
  label: string;
  width: number;
  series: Series;
  band?: { low: Series; high: Series };
  /** Whom it belongs to besides: the session of a receiver. */
  of?: string | undefined;
}

/** A level across the picture, such as an optimum. */
export interface Level {
  name: string;
  label: string;
  value: number;
  colour: string;
  of?: string | undefined;
}

interface Props {
  store: Store;
  title: string;
  note?: string;
  quantity: Quantity;
  lines: Line[];
  levels?: Level[];
  /** Whether values are those of the moment, and not of the interval that ends there. */
  isGauge?: boolean;
  /** Whether values hold for their interval, and nothing lies between two of them. */
  isStepped?: boolean;
  warmup: number;
}

/** So many lines are drawn; of more one is found by choosing it alone. */
export const MOST_LINES = 60;
const HEIGHT = 240;
/** One and the same, as a picture is drawn anew when it gets others. */
const NO_LEVELS: Level[] = [];

export function Chart(of: Props) {
  const { store, title, note, quantity, lines, levels = NO_LEVELS, isGauge = false, isStepped = false, warmup } = of;
  const alone = useStore(store, (state) => state.alone);
  const at = useStore(store, (state) => state.hover ?? state.time);
  const [body, width] = useWidth<HTMLDivElement>();
  const theme = useTheme();
  const shown = useMemo(() => chosen(lines, alone).slice(0, MOST_LINES), [lines, alone]);
  const across = useMemo(() => levelsOf(levels, shown), [levels, shown]);
  const high = useMemo(() => highest(shown, across, warmup), [shown, across, warmup]);
  const unit = unitOf(quantity, high);
  const plot = usePlot({ store, shown, across, high, unit, width, theme, warmup, isStepped });
  const value = isGauge ? latest : during;
  const hidden = lines.length - shown.length;
  const said_ = [note, hidden > 0 && alone === null ? `${shown.length} of ${lines.length} are drawn.` : ""];
  const now = shown.map((line) => [line.label, said(quantity, value(line.series, at), unit)]);
  return (
    <Picture
      title={title}
      note={said_.filter(Boolean).join(" ")}
      table={{
        title: "Numbers at this moment",
        numbers: { columns: ["name", `at ${moment(at, store.step)}`], rows: now },
      }}
      numbers={() => numbersOf(shown)}
      svg={() => svgOf(title, shown, across, unit, high, store, warmup, isStepped)}
    >
      <div class="chart" ref={body}>
        <div
          ref={plot}
          role="img"
          aria-label={`${title}, ${unit.name}: ${now.map((row) => row.join(" ")).join("; ")}`}
        />
      </div>
      <ul class="legend">
        {shown.map((line) => (
          <li key={line.name}>
            <button
              type="button"
              aria-pressed={alone === line.name}
              title={alone === line.name ? "show everybody again" : "show alone"}
              onClick={() => store.only(line.name)}
            >
              <svg viewBox="0 0 26 10" aria-hidden="true">
                <path
                  d="M0 5H26"
                  stroke={`var(${line.colour})`}
                  stroke-width={line.width + 1}
                  stroke-dasharray={line.dash.join(" ")}
                />
              </svg>
              {line.label}
              <span class="value">{said(quantity, value(line.series, at), unit)}</span>
            </button>
          </li>
        ))}
        {across.map((level) => (
          <li key={level.name} class="key">
            <svg viewBox="0 0 26 10" aria-hidden="true">
              <path d="M0 5H26" stroke={`var(${level.colour})`} stroke-width="1.5" stroke-dasharray="2 3" />
            </svg>
            {level.label} {said(quantity, level.value, unit)}
          </li>
        ))}
      </ul>
    </Picture>
  );
}

/** The lines of those who are seen. Where a subject has none here, the lines of all that belong to it. */
function chosen(lines: Line[], alone: string | null): Line[] {
  if (alone === null) return lines;
  const own = lines.filter((line) => line.name === alone || line.of === alone);
  return own.length > 0 ? own : lines;
}

/** Levels of the lines that are shown; equal ones of several are one, with the names of all. */
function levelsOf(levels: Level[], shown: Line[]): Level[] {
  const names = new Set(shown.map((line) => line.name));
  const own = new Map<number, Level[]>();
  for (const level of levels) {
    if (level.of !== undefined && !names.has(level.of)) continue;
    const known = own.get(level.value);
    if (known === undefined) own.set(level.value, [level]);
    else known.push(level);
  }
  return [...own.values()].map((equal): Level => {
    const [first, ...more] = equal;
    if (first!.of === undefined) return first!;
    const others = more.length === 0 ? "" : ` and ${more.length === 1 ? more[0]!.of : `${more.length} more`}`;
    return { ...first!, label: `${first!.label} of ${first!.of}${others}` };
  });
}

/** The top of the picture. What a slow start does in the warm-up may be cut off, as in the plots on paper. */
function highest(lines: Line[], levels: Level[], warmup: number): number {
  let early = 0;
  let late = 0;
  for (const { series, band } of lines) {
    const values = band?.high ?? series;
    values.v.forEach((value, place) => {
      if (values.t[place]! <= warmup) early = Math.max(early, Number.isFinite(value) ? value : 0);
      else late = Math.max(late, Number.isFinite(value) ? value : 0);
    });
  }
  const top = early > 2 * late && late > 0 ? late : Math.max(early, late);
  return Math.max(top, ...levels.map((level) => level.value).filter((value) => value <= 3 * top)) * 1.06 || 1;
}

interface Plan {
  store: Store;
  shown: Line[];
  across: Level[];
  high: number;
  unit: Unit;
  width: number;
  theme: string;
  warmup: number;
  isStepped: boolean;
}

/** Keeps a canvas drawn; gives the reference of the element in which it is. */
function usePlot({ store, shown, across, high, unit, width, theme, warmup, isStepped }: Plan) {
  const home = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useLayoutEffect(() => {
    const element = home.current;
    if (element === null || width < 50) return;
    const made = new uPlot(
      options(element, store, shown, across, high, unit, width, warmup, isStepped),
      data(shown, unit),
      element,
    );
    const needle = document.createElement("div");
    needle.className = "needle";
    made.over.append(needle);
    const follow = () => {
      const { time, from, to } = store.state;
      if (made.scales.x!.min !== from || made.scales.x!.max !== to) made.setScale("x", { min: from, max: to });
      needle.hidden = time < from || time > to;
      needle.style.left = `calc(${((time - from) / (to - from)) * 100}% - 1px)`;
    };
    follow();
    const leave = store.subscribe(follow);
    plot.current = made;
    return () => {
      leave();
      made.destroy();
    };
  }, [store, shown, across, high, unit.by, width, theme, warmup, isStepped]);
  useEffect(() => () => void (plot.current = null), []);
  return home;
}

function options(
  home: Element,
  store: Store,
  lines: Line[],
  levels: Level[],
  high: number,
  unit: Unit,
  width: number,
  warmup: number,
  isStepped: boolean,
): uPlot.Options {
  const ink = colourOf(home, "--ink");
  const axis = { stroke: ink, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
  const grid = { stroke: colourOf(home, "--line"), width: 1 };
  const bands: uPlot.Band[] = [];
  const series: uPlot.Series[] = [{}];
  for (const line of lines) {
    const colour = colourOf(home, line.colour);
    const paths = isStepped ? { paths: uPlot.paths.stepped!({ align: -1 }) } : {};
    series.push({ stroke: colour, width: line.width, dash: line.dash, points: { show: false }, ...paths });
    if (line.band === undefined) continue;
    bands.push({ series: [series.length, series.length + 1], fill: `${colour}30` });
    series.push({ stroke: "transparent", points: { show: false } }, { stroke: "transparent", points: { show: false } });
  }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [store.state.from, store.state.to] },
      y: { range: () => [0, high / unit.by] },
    },
    axes: [
      { ...axis, grid: { show: false }, label: "time (s)", labelSize: 18, size: 34, values: (_, at) => at.map(digits) },
      { ...axis, grid, label: unit.name, labelSize: 18, size: 52, values: (_, at) => at.map(digits) },
    ],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
    series,
    bands,
    hooks: {
      drawClear: [(plot) => shade(plot, store, warmup)],
      draw: [(plot) => drawLevels(plot, levels, unit)],
      setCursor: [(plot) => read(plot, store)],
      setSelect: [(plot) => select(plot, store)],
      ready: [(plot) => listen(plot, store)],
    },
  };
}

function shade(plot: uPlot, store: Store, warmup: number): void {
  const { left, top, width, height } = plot.bbox;
  const end = plot.valToPos(Math.min(warmup, store.state.to), "x", true);
  if (warmup <= store.state.from || end <= left) return;
  plot.ctx.fillStyle = colourOf(plot.root, "--shade");
  plot.ctx.fillRect(left, top, Math.min(end - left, width), height);
}

function drawLevels(plot: uPlot, levels: Level[], unit: Unit): void {
  const { left, width } = plot.bbox;
  plot.ctx.save();
  plot.ctx.lineWidth = 1.5 * devicePixelRatio;
  plot.ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const level of levels) {
    const y = plot.valToPos(level.value / unit.by, "y", true);
    plot.ctx.strokeStyle = colourOf(plot.root, level.colour);
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, y);
    plot.ctx.lineTo(left + width, y);
    plot.ctx.stroke();
  }
  plot.ctx.restore();
}

/** Hovering reads values there. */
function read(plot: uPlot, store: Store): void {
  const left = plot.cursor.left ?? -1;
  const hover = left < 0 ? null : plot.posToVal(left, "x");
  if (hover !== store.state.hover) store.set({ hover });
}

/** A stretch that was brushed is shown alone. */
function select(plot: uPlot, store: Store): void {
  const { left, width } = plot.select;
  if (width < 4) return;
  store.zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function listen(plot: uPlot, store: Store): void {
  let down = 0;
  plot.over.addEventListener("mousedown", (event) => (down = event.clientX));
  plot.over.addEventListener("mouseup", (event) => {
    if (Math.abs(event.clientX - down) < 4) store.goTo(plot.posToVal(event.offsetX, "x"));
  });
  plot.over.addEventListener("dblclick", () => store.zoom(0, store.stop));
}

/** The columns for uPlot: values that are not defined are gaps, moments that a line has not are not. */
function data(lines: Line[], unit: Unit): uPlot.AlignedData {
  const columns = lines.flatMap(({ series, band }) => (band ? [series, band.high, band.low] : [series]));
  if (columns.length === 0) return [[0]];
  const scaled = (v: Float64Array) => Array.from(v, (value) => (Number.isFinite(value) ? value / unit.by : null));
  const first = columns[0]!.t;
  if (haveOneTime(columns)) return [Array.from(first), ...columns.map(({ v }) => scaled(v))];
  const tables = columns.map(({ t, v }): uPlot.AlignedData => [Array.from(t), scaled(v)]);
  return uPlot.join(
    tables.map((table): uPlot.AlignedData => (table[0].length > 0 ? table : [[0], [null]])),
    tables.map(() => [1, 1]),
  );
}

function numbersOf(lines: Line[]): Numbers {
  const rows: (string | number)[][] = [];
  const hasBands = lines.some((line) => line.band !== undefined);
  for (const { label, series, band } of lines) {
    series.t.forEach((t, place) => {
      const ends = band ? [band.low.v[place] ?? NaN, band.high.v[place] ?? NaN] : hasBands ? [NaN, NaN] : [];
      rows.push([label, t, series.v[place]!, ...ends]);
    });
  }
  return { columns: ["name", "t_s", "value", ...(hasBands ? ["low", "high"] : [])], rows };
}

function svgOf(
  title: string,
  shown: Line[],
  across: Level[],
  unit: Unit,
  high: number,
  store: Store,
  warmup: number,
  isStepped: boolean,
): string {
  const { from, to } = store.state;
  const lines = shown.map(({ label, colour, dash, width, series, band }): DrawnLine => {
    const first = Math.max(0, placeOf(series.t, from) - 1);
    const last = placeOf(series.t, to) + 2;
    const part = (values: Float64Array) => values.slice(first, last).map((value) => value / unit.by);
    const drawn = { label, colour: paper(colour), dash, width, t: series.t.slice(first, last), v: part(series.v) };
    return band ? { ...drawn, band: { low: part(band.low.v), high: part(band.high.v) } } : drawn;
  });
  const levels = across.map(({ label, value, colour }) => ({ label, value: value / unit.by, colour: paper(colour) }));
  return seriesSvg({
    title,
    unit: unit.name,
    from,
    to,
    low: 0,
    high: high / unit.by,
    lines,
    levels,
    warmup,
    isStepped,
  });
}

/** Colours on paper, whatever those of the page are. */
const PAPER: Record<string, string> = {
  "--c0": "#0072B2",
  "--c1": "#D55E00",
  "--c2": "#009E73",
  "--c3": "#CC79A7",
  "--c4": "#E69F00",
  "--c5": "#56B4E9",
  "--c6": "#000000",
};

function paper(colour: string): string {
  return PAPER[colour] ?? "#666666";
}
