/** Strips over time: layers as heat, who limits as a ribbon, what happened as marks. */

import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { COLOURS, LEVELS, levelColour } from "../model/colours.ts";
import { digits, moment } from "../model/format.ts";
import type { Mark } from "../model/marks.ts";
import { ticks } from "../model/series_svg.ts";
import type { Store } from "../model/store.ts";
import { stateAt, type Stretch } from "../model/strips.ts";
import { svgText, useStore, useWidth } from "./hooks.ts";
import { Picture } from "./picture.tsx";

export interface Row {
  name: string;
  stretches: Stretch[];
  /** A number about the whole row, drawn as a bar beside it. */
  whole?: number;
}

interface Props {
  store: Store;
  title: string;
  note: string;
  rows: Row[];
  /** The colour of a state. */
  colourOf: (state: number | string) => string;
  /** What the colours mean. */
  states: { colour: string; label: string }[];
  /** How a state is said. */
  sayState: (state: number | string) => string;
  /** How much of the height of its row a state has, if not all: nobody has to tell it by colour alone. */
  part?: (state: number | string) => number;
  /** What the bars beside the rows are; then all rows are drawn, the lower the more there are. */
  bars?: { title: string; say: (value: number) => string };
  more?: ComponentChildren;
}

/** So many rows have room. */
export const MOST_ROWS = 60;
/** Up to so many rows have their names beside them. */
const NAMED_ROWS = 40;
/** How high more of them are together, pixels. */
const DENSE = 640;
const ROW = 18;
/** Room for bars. */
const BARS = 96;
const AXIS = 34;

/** Room for names beside the rows: as in the other pictures, so that moments stand below each other. */
function leftOf(width: number): number {
  return width < 500 ? 78 : 130;
}

export interface Scale {
  width: number;
  left: number;
  right: number;
  x: (t: number) => number;
  t: (x: number) => number;
}

export function scaleOf(width: number, from: number, to: number, right = 14): Scale {
  const left = leftOf(width);
  const room = Math.max(50, width - left - right);
  return {
    width,
    left,
    right,
    x: (t) => left + ((t - from) / (to - from)) * room,
    t: (x) => from + ((x - left) / room) * (to - from),
  };
}

export function Strips({ store, title, note, rows, colourOf, states, sayState, part, bars, more }: Props) {
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const from = useStore(store, (state) => state.from);
  const to = useStore(store, (state) => state.to);
  const at = useStore(store, (state) => state.hover ?? state.time);
  const [pointed, setPointed] = useState<number | null>(null);
  const right = bars === undefined ? 14 : width < 500 ? BARS / 2 : BARS;
  const scale = useMemo(() => scaleOf(Math.max(width, 200), from, to, right), [width, from, to, right]);
  const shown = bars === undefined ? rows.slice(0, MOST_ROWS) : rows;
  const row = shown.length <= NAMED_ROWS || bars === undefined ? ROW : Math.max(2, Math.floor(DENSE / shown.length));
  const inner = row > 6 ? row - 2 : row;
  const drawn = useMemo(
    () => shown.map(({ stretches }) => pathsOf(stretches, scale, from, to, inner, part)),
    [rows, scale, from, to, inner],
  );
  const height = shown.length * row + AXIS;
  const now = shown.map(({ name, stretches }) => {
    const state = stateAt(stretches, at);
    return [name, state === undefined ? "–" : sayState(state)];
  });
  const longest = Math.max(...shown.map(({ whole }) => whole ?? 0));
  const cut = rows.length > shown.length ? ` ${shown.length} of ${rows.length} are drawn.` : "";
  const over = pointed === null ? undefined : now[pointed];
  return (
    <Picture
      title={title}
      note={note + cut}
      more={more}
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({
        columns: ["name", "from_s", "to_s", "state"],
        rows: rows.flatMap(({ name, stretches }) => stretches.map(({ from, to, state }) => [name, from, to, state])),
      })}
      table={{
        title: "Numbers at this moment",
        numbers: { columns: ["name", `at ${moment(at, store.step)}`], rows: now },
      }}
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${scale.width} ${height}`}
          role="img"
          aria-label={`${title}: ${saidOf(now)}`}
          onClick={(event) => goTo(event, store, scale)}
          onMouseMove={(event) => {
            store.set({ hover: timeOf(event, scale) });
            setPointed(rowAt(event, scale, row));
          }}
          onMouseLeave={() => {
            store.set({ hover: null });
            setPointed(null);
          }}
        >
          {shown.map(({ name, whole }, place) => (
            <g key={name}>
              <title>{name}</title>
              {row >= 12 && (
                <text x={scale.left - 6} y={place * row + 13} font-size="11" text-anchor="end">
                  {short(name, scale.left)}
                </text>
              )}
              <rect
                x={scale.left}
                y={place * row + (row - inner) / 2}
                width={scale.x(to) - scale.left}
                height={inner}
                fill="var(--shade)"
              />
              {[...drawn[place]!].map(([state, path]) => (
                <path
                  key={String(state)}
                  transform={`translate(0 ${place * row + (row - inner) / 2})`}
                  d={path}
                  fill={`var(${colourOf(state)})`}
                />
              ))}
              {bars !== undefined && whole !== undefined && whole > 0 && (
                <Bar
                  {...{ whole, longest, inner }}
                  x={scale.x(to) + 8}
                  y={place * row + (row - inner) / 2}
                  room={right - 14}
                  said={row >= 12 ? bars.say(whole) : ""}
                />
              )}
            </g>
          ))}
          {row < 12 && (
            <text
              transform={`translate(${scale.left - 8} ${(shown.length * row) / 2}) rotate(-90)`}
              font-size="11"
              text-anchor="middle"
            >
              {`${shown.length} rows, the most ${bars!.title} on top`}
            </text>
          )}
          {bars !== undefined && width >= 500 && (
            <text x={scale.width - 4} y={shown.length * row + 29} font-size="11" text-anchor="end">
              {bars.title}
            </text>
          )}
          <TimeAxis scale={scale} from={from} to={to} y={shown.length * row} />
          <Needle store={store} scale={scale} height={shown.length * row} />
        </svg>
      </div>
      {row < 12 && (
        <p class="quiet pointed" aria-hidden="true">
          {over === undefined ? "Point at a row to read its name." : `${over.join(": ")} at ${moment(at, store.step)}`}
        </p>
      )}
      <ul class="key" aria-label="Colours">
        {states.map(({ colour, label }) => (
          <li key={label}>
            <svg viewBox="0 0 26 12" aria-hidden="true">
              <rect width="26" height="12" fill={`var(${colour})`} stroke="var(--edge)" />
            </svg>
            {label}
          </li>
        ))}
      </ul>
    </Picture>
  );
}

/** One path for all stretches of a state: a browser draws few long paths faster than many short ones. */
function pathsOf(
  stretches: Stretch[],
  scale: Scale,
  from: number,
  to: number,
  row: number,
  part: (state: number | string) => number = () => 1,
): Map<number | string, string> {
  const found = new Map<number | string, string>();
  for (const { from: begin, to: end, state } of stretches) {
    if (end <= from || begin >= to) continue;
    const left = scale.x(Math.max(begin, from));
    const width = Math.max(0.5, scale.x(Math.min(end, to)) - left);
    const high = row > 6 ? Math.round(row * part(state)) : row;
    const path = `M${left.toFixed(1)} ${row - high}h${width.toFixed(1)}v${high}h-${width.toFixed(1)}Z`;
    found.set(state, (found.get(state) ?? "") + path);
  }
  return found;
}

function short(text: string, room: number): string {
  const letters = Math.floor((room - 8) / 6.1);
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

/** The states of all rows; of many how often there is which. */
function saidOf(now: string[][]): string {
  if (now.length <= NAMED_ROWS) return now.map((row) => row.join(" ")).join("; ");
  const counts = new Map<string, number>();
  for (const [, state] of now) counts.set(state!, (counts.get(state!) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} of ${now.length} ${state}`).join("; ");
}

interface BarProps {
  whole: number;
  longest: number;
  x: number;
  y: number;
  inner: number;
  room: number;
  said: string;
}

/** How much a row has of what rows are compared by; the number stands there if there is room. */
function Bar({ whole, longest, x, y, inner, room, said }: BarProps) {
  const bar = said === "" ? room : room * 0.45;
  const isNarrow = room < 60;
  return (
    <g>
      {!(isNarrow && said !== "") && (
        <rect x={x} y={y} width={Math.max(1, (whole / longest) * bar)} height={inner} fill="var(--quiet)" />
      )}
      {said !== "" && (
        <text x={isNarrow ? x : x + bar + 4} y={y + 12} font-size="11">
          {said}
        </text>
      )}
    </g>
  );
}

/** The row at which the mouse is; null below them. */
function rowAt(event: MouseEvent, scale: Scale, row: number): number | null {
  const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
  return Math.floor((((event.clientY - box.top) / box.width) * scale.width) / row);
}

/** The moment at which the mouse is; null beside the picture. */
export function timeOf(event: MouseEvent, scale: Scale): number | null {
  const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * scale.width;
  const time = scale.t(x);
  return x >= scale.left && x <= scale.width - scale.right + 14 ? time : null;
}

export function goTo(event: MouseEvent, store: Store, scale: Scale): void {
  const time = timeOf(event, scale);
  if (time !== null) store.goTo(time);
}

export function TimeAxis({ scale, from, to, y }: { scale: Scale; from: number; to: number; y: number }) {
  return (
    <g>
      {ticks(from, to, scale.width < 500 ? 4 : 8).map((t) => (
        <text key={t} x={scale.x(t)} y={y + 14} font-size="11" text-anchor="middle">
          {digits(t)}
        </text>
      ))}
      <text x={(scale.x(from) + scale.x(to)) / 2} y={y + 29} font-size="11" text-anchor="middle">
        time (s)
      </text>
    </g>
  );
}

export function Needle({ store, scale, height }: { store: Store; scale: Scale; height: number }) {
  const time = useStore(store, (state) => state.time);
  const { from, to } = store.state;
  if (time < from || time > to) return null;
  return <path d={`M${scale.x(time)} 0V${height}`} stroke="var(--now)" stroke-width="2" fill="none" />;
}

/** Layers that receivers hold, as heat. */
export function Layers({ store, rows }: { store: Store; rows: Row[] }) {
  const highest = Math.max(1, ...rows.flatMap(({ stretches }) => stretches.map(({ state }) => Number(state))));
  const steps = Array.from({ length: highest + 1 }, (_, level) => level);
  const few = steps.length <= LEVELS.length ? steps : steps.filter((level) => level % Math.ceil(highest / 7) === 0);
  return (
    <Strips
      store={store}
      title="Layers of each receiver"
      note="How many layers each receiver holds at the end of each interval."
      rows={rows}
      colourOf={(state) => levelColour(Number(state), highest)}
      states={few.map((level) => ({ colour: levelColour(level, highest), label: String(level) }))}
      sayState={(state) => `${digits(Number(state))} layers`}
    />
  );
}

/** Colours of phases: the fuller the queue, the warmer. */
const PHASES = ["--l1", "--c5", "--c0", "--c1"];

/** The phases in which router agents find their queues. */
export function Phases({ store, rows, note }: { store: Store; rows: Row[]; note: string }) {
  const colour = (state: number | string) => PHASES[Math.min(PHASES.length - 1, Math.max(0, Number(state)))]!;
  const states = [...new Set(rows.flatMap(({ stretches }) => stretches.map(({ state }) => Number(state))))].sort();
  return (
    <Strips
      store={store}
      title="Phases of queues"
      note={note}
      rows={rows}
      colourOf={colour}
      states={states.map((state) => ({ colour: colour(state), label: `phase ${state}` }))}
      sayState={(state) => `phase ${state}`}
    />
  );
}

/** Who limits each session, as a ribbon. */
export function Limiting({ store, rows, title, note }: { store: Store; rows: Row[]; title: string; note: string }) {
  const names = [...new Set(rows.flatMap(({ stretches }) => stretches.map(({ state }) => String(state))))].sort();
  const colour = (state: number | string) => COLOURS[names.indexOf(String(state)) % COLOURS.length]!;
  const few = names.slice(0, 14);
  return (
    <Strips
      store={store}
      title={title}
      note={names.length > COLOURS.length ? `${note} Colours come again after seven receivers.` : note}
      rows={rows}
      colourOf={colour}
      states={few.map((name) => ({ colour: colour(name), label: name }))}
      sayState={String}
    />
  );
}

/** What happened, as rows of marks. */
export function Marks({ store, marks, note }: { store: Store; marks: Mark[]; note: string }) {
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const from = useStore(store, (state) => state.from);
  const to = useStore(store, (state) => state.to);
  const alone = useStore(store, (state) => state.alone);
  const [pointed, setPointed] = useState<Mark | null>(null);
  const scale = useMemo(() => scaleOf(Math.max(width, 200), from, to), [width, from, to]);
  const shown = useMemo(
    () => marks.filter(({ about }) => alone === null || about.length === 0 || about.includes(alone)),
    [marks, alone],
  );
  const kinds = useMemo(() => [...new Set(marks.map(({ kind }) => kind))], [marks]);
  const ofKind = (kind: string) => shown.filter((mark) => mark.kind === kind && mark.t >= from && mark.t <= to);
  const path = (kind: string) => {
    // Marks that would lie on each other are drawn once.
    const places = new Set(ofKind(kind).map(({ t }) => Math.round(scale.x(t) * 2) / 2));
    return [...places].map((x) => `M${x} 3v${ROW - 6}`).join("");
  };
  const height = kinds.length * ROW + AXIS;
  return (
    <Picture
      title="What happened"
      note={note}
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({ columns: ["t_s", "kind", "what"], rows: marks.map(({ t, kind, text }) => [t, kind, text]) })}
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${scale.width} ${height}`}
          role="img"
          aria-label={`What happened: ${kinds.map((kind) => `${kind} ${ofKind(kind).length}`).join(", ")}`}
          onClick={(event) => {
            const mark = nearest(event, scale, kinds, shown);
            if (mark !== null) store.goTo(mark.t);
            else goTo(event, store, scale);
          }}
          onMouseMove={(event) => setPointed(nearest(event, scale, kinds, shown))}
          onMouseLeave={() => setPointed(null)}
        >
          {kinds.map((kind, place) => (
            <g key={kind}>
              <text x={scale.left - 6} y={place * ROW + 13} font-size="11" text-anchor="end">
                {short(kind, scale.left)}
              </text>
              <path
                transform={`translate(0 ${place * ROW})`}
                d={path(kind)}
                stroke={`var(${COLOURS[place % COLOURS.length]})`}
                stroke-width="1.5"
                fill="none"
              />
            </g>
          ))}
          <TimeAxis scale={scale} from={from} to={to} y={kinds.length * ROW} />
          <Needle store={store} scale={scale} height={kinds.length * ROW} />
        </svg>
      </div>
      <MarkList store={store} marks={shown} pointed={pointed} />
    </Picture>
  );
}

const LISTED = 8;

/** The mark that is pointed at, otherwise the last ones up to the moment, as sentences. */
function MarkList({ store, marks, pointed }: { store: Store; marks: Mark[]; pointed: Mark | null }) {
  const time = useStore(store, (state) => state.time);
  const last = marks.findLastIndex(({ t }) => t <= time + 1e-9);
  const shown = marks.slice(Math.max(0, last + 1 - LISTED), last + 1).reverse();
  if (pointed !== null) {
    return (
      <p class="quiet">
        {moment(pointed.t)}: {pointed.text}
      </p>
    );
  }
  return (
    <ol class="happened quiet" aria-label="The last things that happened">
      {shown.length === 0 && <li>Nothing has happened yet.</li>}
      {shown.map(({ t, text }, place) => (
        <li key={place}>
          {moment(t)}: {text}
        </li>
      ))}
    </ol>
  );
}

/** How far beside a mark one may point, pixels. */
const NEAR = 8;

/** The mark that is meant; null if none is near. */
function nearest(event: MouseEvent, scale: Scale, kinds: string[], marks: Mark[]): Mark | null {
  const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * scale.width;
  const kind = kinds[Math.floor((((event.clientY - box.top) / box.width) * scale.width) / ROW)];
  let found: Mark | null = null;
  let least = NEAR;
  for (const mark of marks) {
    const far = Math.abs(scale.x(mark.t) - x);
    if (mark.kind === kind && far < least) [found, least] = [mark, far];
  }
  return found;
}
