/** Strips over time: layers as heat, who limits as a ribbon, what happened as marks. */

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
}

/** So many rows have room. */
export const MOST_ROWS = 60;
const ROW = 18;
const AXIS = 34;

/** Room for names beside the rows: as in the other pictures, so that moments stand below each other. */
function leftOf(width: number): number {
  return width < 500 ? 78 : 130;
}

interface Scale {
  width: number;
  left: number;
  x: (t: number) => number;
  t: (x: number) => number;
}

function scaleOf(width: number, from: number, to: number): Scale {
  const left = leftOf(width);
  const room = Math.max(50, width - left - 14);
  return {
    width,
    left,
    x: (t) => left + ((t - from) / (to - from)) * room,
    t: (x) => from + ((x - left) / room) * (to - from),
  };
}

export function Strips({ store, title, note, rows, colourOf, states, sayState }: Props) {
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const from = useStore(store, (state) => state.from);
  const to = useStore(store, (state) => state.to);
  const at = useStore(store, (state) => state.hover ?? state.time);
  const scale = useMemo(() => scaleOf(Math.max(width, 200), from, to), [width, from, to]);
  const shown = rows.slice(0, MOST_ROWS);
  const drawn = useMemo(() => shown.map((row) => pathsOf(row.stretches, scale, from, to)), [rows, scale, from, to]);
  const height = shown.length * ROW + AXIS;
  const now = shown.map(({ name, stretches }) => {
    const state = stateAt(stretches, at);
    return [name, state === undefined ? "–" : sayState(state)];
  });
  const more = rows.length > shown.length ? ` ${shown.length} of ${rows.length} are drawn.` : "";
  return (
    <Picture
      title={title}
      note={note + more}
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
          aria-label={`${title}: ${now.map((row) => row.join(" ")).join("; ")}`}
          onClick={(event) => goTo(event, store, scale)}
          onMouseMove={(event) => store.set({ hover: timeOf(event, scale) })}
          onMouseLeave={() => store.set({ hover: null })}
        >
          {shown.map((row, place) => (
            <g key={row.name}>
              <title>{row.name}</title>
              <text x={scale.left - 6} y={place * ROW + 13} font-size="11" text-anchor="end">
                {short(row.name, scale.left)}
              </text>
              <rect
                x={scale.left}
                y={place * ROW + 1}
                width={scale.x(to) - scale.left}
                height={ROW - 2}
                fill="var(--shade)"
              />
              {[...drawn[place]!].map(([state, path]) => (
                <path
                  key={String(state)}
                  transform={`translate(0 ${place * ROW + 1})`}
                  d={path}
                  fill={`var(${colourOf(state)})`}
                />
              ))}
            </g>
          ))}
          <TimeAxis scale={scale} from={from} to={to} y={shown.length * ROW} />
          <Needle store={store} scale={scale} height={shown.length * ROW} />
        </svg>
      </div>
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
function pathsOf(stretches: Stretch[], scale: Scale, from: number, to: number): Map<number | string, string> {
  const found = new Map<number | string, string>();
  for (const { from: begin, to: end, state } of stretches) {
    if (end <= from || begin >= to) continue;
    const left = scale.x(Math.max(begin, from));
    const width = Math.max(0.5, scale.x(Math.min(end, to)) - left);
    const path = `M${left.toFixed(1)} 0h${width.toFixed(1)}v${ROW - 2}h-${width.toFixed(1)}Z`;
    found.set(state, (found.get(state) ?? "") + path);
  }
  return found;
}

function short(text: string, room: number): string {
  const letters = Math.floor((room - 8) / 6.1);
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

/** The moment at which the mouse is; null beside the picture. */
function timeOf(event: MouseEvent, scale: Scale): number | null {
  const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * scale.width;
  return x >= scale.left ? scale.t(x) : null;
}

function goTo(event: MouseEvent, store: Store, scale: Scale): void {
  const time = timeOf(event, scale);
  if (time !== null) store.goTo(time);
}

function TimeAxis({ scale, from, to, y }: { scale: Scale; from: number; to: number; y: number }) {
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

function Needle({ store, scale, height }: { store: Store; scale: Scale; height: number }) {
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
