/** Web traffic: how long each transfer took, by when it arrived, and what part took longer than a time. */

import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { lookOf } from "../model/colours.ts";
import { digits, moment, said } from "../model/format.ts";
import type { Store } from "../model/store.ts";
import { subjects, type Table } from "../model/table.ts";
import { classesOf, logTicks, timesOf, underWay, type SizeClass, type Times } from "../model/transfers.ts";
import { svgText, useStore, useWidth } from "./hooks.ts";
import { Picture } from "./picture.tsx";
import { Needle, TimeAxis, goTo, scaleOf, timeOf, type Scale } from "./strips.tsx";

const HEIGHT = 260;
/** Room above, for what was not finished. */
const TOP = 22;
const AXIS = 34;
/** Shapes of classes around a point, and how far they reach. */
const SHAPES = [
  "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0",
  "m-2 -2h4v4h-4z",
  "m0 -3l3 5h-6z",
  "m0 -3.2l3.2 3.2l-3.2 3.2l-3.2 -3.2z",
  "m-3 -1h2v-2h2v2h2v2h-2v2h-2v-2h-2z",
];
const shapeOf = (number: number) => SHAPES[(number - 1) % SHAPES.length]!;
const colourOf = (number: number) => (number === 0 ? "--ink" : lookOf(number - 1).colour);

interface Props {
  store: Store;
  tables: Map<string, Table>;
  warmup: number;
  /** What is said of the seed. */
  ofSeed: string;
}

/** The entry that is seen alone; null for all of them. */
function useFlow(store: Store, transfers: Table | undefined): string | null {
  const alone = useStore(store, (state) => state.alone);
  const flows = useMemo(() => subjects(transfers, "flow"), [transfers]);
  return alone !== null && flows.includes(alone) ? alone : null;
}

/** A point for each transfer. */
export function Transfers({ store, tables, warmup, ofSeed }: Props) {
  const transfers = tables.get("transfers");
  const flow = useFlow(store, transfers);
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const [from, to] = [useStore(store, (state) => state.from), useStore(store, (state) => state.to)];
  const at = useStore(store, (state) => state.hover ?? state.time);
  const scale = useMemo(() => scaleOf(Math.max(width, 200), from, to), [width, from, to]);
  const classes = useMemo(() => classesOf(transfers, flow), [transfers, flow]);
  const up = useMemo(() => upwards(classes.map(({ took }) => took)), [classes]);
  const drawn = useMemo(() => classes.map((one) => pointsOf(one, scale, from, to, up.y)), [classes, scale, from, to]);
  const now = classes.map((one) => [labelOf(one), String(underWay(one, at))]);
  const all = classes.reduce((sum, { took }) => sum + took.length, 0);
  const open = classes.reduce((sum, { took }) => sum + took.filter(Number.isNaN).length, 0);
  const late = classes.reduce((sum, { arrived }) => sum + arrived.filter((t) => t > (warmup || -1)).length, 0);
  const counted = timesOf(tables, warmup)
    .filter((line) => line.number === 0 && (flow === null || line.flow === flow))
    .reduce((sum, { transfers }) => sum + transfers, 0);
  const held = late < counted ? `${all} transfers that the page holds, the shortest and the longest of each class` : "";
  const unfinished = open === 0 ? "" : ` On top stand ${open} that the end of the run found unfinished.`;
  return (
    <Picture
      title="How long transfers took"
      note={
        `A point for each of ${held || `${all} transfers`}, at the moment of its arrival.${unfinished} ` +
        `What would lie on another one of its class is drawn once.${ofSeed}`
      }
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({
        columns: ["class", "arrived_s", "took_s"],
        rows: classes.flatMap(({ number, arrived, took }) => Array.from(arrived, (t, row) => [number, t, took[row]!])),
      })}
      table={{
        title: "Under way at this moment",
        numbers: {
          columns: [held === "" ? "transfers" : "of those in the page", `at ${moment(at, store.step)}`],
          rows: now,
        },
      }}
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${scale.width} ${HEIGHT + AXIS}`}
          role="img"
          aria-label={`How long transfers took, from ${said("time", up.low)} to ${said("time", up.high)}; under way: ${now.map((row) => row.join(" ")).join("; ")}`}
          onClick={(event) => goTo(event, store, scale)}
          onMouseMove={(event) => store.set({ hover: timeOf(event, scale) })}
          onMouseLeave={() => store.set({ hover: null })}
        >
          <Frame left={scale.left} right={scale.x(to)} ticks={up.ticks} y={up.y} label="time taken" time />
          {warmup > from && (
            <rect
              x={scale.left}
              y={TOP}
              width={scale.x(Math.min(warmup, to)) - scale.left}
              height={HEIGHT - TOP}
              fill="var(--shade)"
            />
          )}
          {open > 0 && (
            <text x={scale.left - 6} y={13} font-size="11" text-anchor="end">
              unfinished
            </text>
          )}
          {classes.map(({ number }, place) => (
            <path key={number} class={`class-${number}`} d={drawn[place]} fill={`var(${colourOf(number)})`} />
          ))}
          <TimeAxis scale={scale} from={from} to={to} y={HEIGHT} />
          <Needle store={store} scale={scale} height={HEIGHT} />
        </svg>
      </div>
      <ul class="key" aria-label="Classes of size">
        {classes.map((one) => (
          <li key={one.number}>
            <svg viewBox="0 0 26 12" aria-hidden="true">
              <path d={`M13 6${shapeOf(one.number)}`} fill={`var(${colourOf(one.number)})`} />
            </svg>
            {labelOf(one)}
          </li>
        ))}
      </ul>
    </Picture>
  );
}

function labelOf({ number, sizes }: SizeClass): string {
  return `class ${number}, ${sizes}`;
}

/** The axis of times, logarithmic: from the shortest to the longest. */
function upwards(took: Float64Array[]) {
  let [low, high] = [Infinity, 0];
  for (const value of took.flatMap((of) => Array.from(of))) {
    if (value > 0) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (!(high > 0)) [low, high] = [0.1, 1];
  const [bottom, top] = [low / 1.15, high * 1.15];
  const y = (value: number) =>
    HEIGHT - ((Math.log(value) - Math.log(bottom)) / (Math.log(top) - Math.log(bottom))) * (HEIGHT - TOP);
  return { low, high, y, ticks: logTicks(bottom, top) };
}

/** The points of a class, each place once; what was not finished stands on top. */
function pointsOf(
  { number, arrived, took }: SizeClass,
  scale: Scale,
  from: number,
  to: number,
  y: (s: number) => number,
) {
  const shape = shapeOf(number);
  const places = new Set<string>();
  arrived.forEach((t, row) => {
    if (t < from || t > to) return;
    const value = took[row]!;
    const high = Number.isNaN(value) ? 9 : value > 0 ? y(value) : HEIGHT;
    places.add(`M${Math.round(scale.x(t))} ${Math.round(high)}`);
  });
  return [...places].map((place) => place + shape).join("");
}

interface FrameProps {
  left: number;
  right: number;
  ticks: number[];
  y: (value: number) => number;
  label: string;
  /** Whether values are times. */
  time?: boolean;
  children?: ComponentChildren;
}

/** Lines across at marks of the upward axis, with what they are. */
function Frame({ left, right, ticks, y, label, time }: FrameProps) {
  return (
    <g>
      {ticks.map((value) => (
        <g key={value}>
          <path d={`M${left} ${y(value).toFixed(1)}H${right}`} stroke="var(--line)" fill="none" />
          <text x={left - 6} y={y(value) + 4} font-size="11" text-anchor="end">
            {time ? said("time", value) : said("part", value)}
          </text>
        </g>
      ))}
      <text transform={`translate(12 ${(TOP + HEIGHT) / 2}) rotate(-90)`} font-size="11" text-anchor="middle">
        {label}
      </text>
    </g>
  );
}

/** Lines are drawn so far down. */
const LEAST_PART = 1e-6;

/** What part of the transfers took longer than a time: a line for each entry, of a single one for each class, too. */
export function TransferTimes({ store, tables, warmup, ofSeed }: Props) {
  const transfers = tables.get("transfers");
  const flow = useFlow(store, transfers);
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const all = useMemo(() => timesOf(tables, warmup), [tables, warmup]);
  const flows = [...new Set(all.map((one) => one.flow))];
  const one = flow ?? (flows.length === 1 ? flows[0]! : null);
  const shown = all.filter((line) => (one === null ? line.number === 0 : line.flow === one));
  const lookFor = (line: Times, place: number) =>
    one === null ? lookOf(place) : { colour: colourOf(line.number), dash: lookOf(line.number).dash };
  const wide = Math.max(width, 200);
  const left = scaleOf(wide, 0, 1).left;
  const right = wide - 14;
  const ends = endsOf(shown);
  const x = (value: number) => left + (Math.log(value / ends.low) / Math.log(ends.high / ends.low)) * (right - left);
  const y = (part: number) => TOP + (Math.log(part) / Math.log(ends.least)) * (HEIGHT - TOP);
  const rows = shown.map((line) => [
    nameOf(line, one),
    String(line.transfers),
    ...[0.5, 0.95, 0.99].map((part) => exceededBy(line, 1 - part)),
    String(Math.round((line.longer.at(-1) ?? 1) * line.transfers)),
  ]);
  return (
    <Picture
      title="What part of the transfers took longer"
      note={
        "Of those that arrived after the warm-up. Where a line ends with an arrow, the rest had not been " +
        `finished when the run ended.${ofSeed}`
      }
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({
        columns: ["flow", "class", "took_s", "longer"],
        rows: shown.flatMap((of) => Array.from(of.took, (value, row) => [of.flow, of.number, value, of.longer[row]!])),
      })}
      table={{
        title: "Percentiles",
        numbers: { columns: ["line", "transfers", "50 %", "95 %", "99 %", "unfinished"], rows },
      }}
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${wide} ${HEIGHT + AXIS}`}
          role="img"
          aria-label={`What part of the transfers took longer: ${rows.map(([name, , half, most]) => `${name}, half more than ${half}, 5 % more than ${most}`).join("; ")}`}
        >
          <Frame left={left} right={right} ticks={logTicks(ends.least, 1)} y={y} label="part that took longer" />
          {logTicks(ends.low, ends.high).map((value) => (
            <text key={value} x={x(value)} y={HEIGHT + 14} font-size="11" text-anchor="middle">
              {digits(value)}
            </text>
          ))}
          <text x={(left + right) / 2} y={HEIGHT + 29} font-size="11" text-anchor="middle">
            time from arrival to the last acknowledgement (s)
          </text>
          {shown.map((line, place) => {
            const look = lookFor(line, place);
            return (
              <path
                key={nameOf(line, null)}
                d={stepsOf(line, x, y)}
                fill="none"
                stroke={`var(${look.colour})`}
                stroke-width={line.number === 0 ? 2 : 1.5}
                stroke-dasharray={look.dash.join(" ")}
              />
            );
          })}
          {shown.map((line, place) => {
            const end = line.longer.at(-1) ?? 0;
            return end > LEAST_PART && line.took.length > 0 ? (
              <path
                key={nameOf(line, null)}
                d={`M${x(line.took.at(-1)!).toFixed(1)} ${y(end).toFixed(1)}m0 -4l7 4l-7 4z`}
                fill={`var(${lookFor(line, place).colour})`}
              />
            ) : null;
          })}
        </svg>
      </div>
      <ul class="key" aria-label="Lines">
        {shown.map((line, place) => {
          const look = lookFor(line, place);
          return (
            <li key={nameOf(line, null)}>
              <svg viewBox="0 0 26 12" aria-hidden="true">
                <path
                  d="M0 6H26"
                  stroke={`var(${look.colour})`}
                  stroke-width="2"
                  stroke-dasharray={look.dash.join(" ")}
                />
              </svg>
              {nameOf(line, one)}
            </li>
          );
        })}
      </ul>
    </Picture>
  );
}

function nameOf({ flow, number }: Times, one: string | null): string {
  if (one === null) return number === 0 ? flow : `${flow}, class ${number}`;
  return number === 0 ? "all classes" : `class ${number}`;
}

function endsOf(lines: Times[]): { low: number; high: number; least: number } {
  let [low, high, least] = [Infinity, 0, 1];
  for (const { took, longer } of lines) {
    if (took.length === 0) continue;
    low = Math.min(low, took[0]!);
    high = Math.max(high, took.at(-1)!);
    for (const part of longer) if (part > LEAST_PART) least = Math.min(least, part);
  }
  return high > low
    ? { low: low / 1.1, high: high * 1.1, least: Math.min(least, 0.5) }
    : { low: 0.1, high: 10, least: 0.1 };
}

/** What this part exceeds, in words: at least so much where it is among what was not finished. */
function exceededBy({ took, longer }: Times, part: number): string {
  const place = longer.findIndex((more) => more <= part + 1e-12);
  if (place >= 0) return said("time", took[place]!);
  return took.length > 0 ? `≥ ${said("time", took.at(-1)!)}` : "–";
}

function stepsOf({ took, longer }: Times, x: (s: number) => number, y: (part: number) => number): string {
  let path = "";
  let before = NaN;
  took.forEach((value, place) => {
    if (longer[place]! <= LEAST_PART) return;
    const [across, down] = [x(value), y(longer[place]!)];
    // Steps that nobody could tell apart are one.
    if (path !== "" && Math.abs(across - before) < 0.3 && place < took.length - 2) return;
    path += path === "" ? `M${across.toFixed(1)} ${down.toFixed(1)}` : `H${across.toFixed(1)}V${down.toFixed(1)}`;
    before = across;
  });
  return path;
}
