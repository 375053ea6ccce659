/** A sweep: a metric over what was varied, as lines with intervals or as a heat map; a point opens by a click. */

import { useMemo, useRef, useState } from "preact/hooks";
import { LEVELS, lookOf } from "../model/colours.ts";
import type { Sweep, SweepMetric, SweepPath } from "../model/document.ts";
import { digits, unitOf, type Quantity, type Unit } from "../model/format.ts";
import { ticks } from "../model/series_svg.ts";
import { panelsOf, type Panel } from "../model/sweep.ts";
import { download, svgText, useWidth } from "./hooks.ts";
import { Part, Region } from "./part.tsx";
import { NumberTable, Picture } from "./picture.tsx";

/** The unit in which a metric is shown. */
function shownIn(metric: SweepMetric): Unit {
  const kinds: Record<string, Quantity> = { "bit/s": "rate", s: "time", packets: "packets" };
  const kind = kinds[metric.unit];
  const most = (values: Float64Array) => values.reduce((top, value) => (value > top ? value : top), 0);
  const highest = Math.max(most(metric.mean), most(metric.high));
  return kind === undefined ? { by: 1, name: metric.unit === "1" ? "" : metric.unit } : unitOf(kind, highest);
}

export function SweepView({ sweep }: { sweep: Sweep }) {
  const names = sweep.metrics.map(({ subject, metric }) => `${subject}/${metric}`);
  const [metric, setMetric] = useState(sweep.usual[0] ?? 0);
  const [x, setX] = useState(() => widest(sweep));
  const [isHeat, setHeat] = useState(false);
  const [point, setPoint] = useState<number | null>(null);
  const others = sweep.paths
    .map((_, path) => path)
    .filter((path) => path !== x && sweep.paths[path]!.values.length > 1);
  const [wanted, setWanted] = useState<number | null>(null);
  const apart = wanted !== null && others.includes(wanted) ? wanted : (others[0] ?? null);
  const panels = useMemo(() => panelsOf(sweep, x, apart), [sweep, x, apart]);
  const of = sweep.metrics[metric]!;
  const unit = shownIn(of);
  const rows = sweep.points.map(({ values }, place) => [
    ...values,
    of.mean[place]! / unit.by,
    of.low[place]! / unit.by,
    of.high[place]! / unit.by,
    of.n[place]!,
    of.optimum[place]! / unit.by,
  ]);
  const columns = [...sweep.paths.map(({ path }) => path), "mean", "low", "high", "seeds", "optimum"];
  const name = `${names[metric]!}${unit.name ? ` (${unit.name})` : ""}`;
  return (
    <>
      <Region class="controls" aria-label="What is shown">
        <label>
          Metric
          <select value={metric} onChange={(event) => setMetric(Number(event.currentTarget.value))}>
            <optgroup label="usual">
              {sweep.usual.map((at) => (
                <option key={at} value={at}>
                  {names[at]}
                </option>
              ))}
            </optgroup>
            <optgroup label="all">
              {names.map((one, at) =>
                sweep.usual.includes(at) ? null : (
                  <option key={one} value={at}>
                    {one}
                  </option>
                ),
              )}
            </optgroup>
          </select>
        </label>
        <PathChoice
          label="Along"
          paths={sweep.paths}
          choices={sweep.paths.map((_, at) => at)}
          value={x}
          choose={setX}
        />
        {others.length > 0 && (
          <PathChoice label="Apart by" paths={sweep.paths} choices={others} value={apart!} choose={setWanted} />
        )}
        {others.length > 0 && (
          <button type="button" aria-pressed={isHeat} onClick={() => setHeat(!isHeat)}>
            Heat map
          </button>
        )}
      </Region>
      <Part id="sweep" title={name}>
        <p class="quiet">
          {isHeat ? "Means over the seeds" : "Means over the seeds with their 95 % intervals, where there are several"};
          small crosses: the optimum. Choose a point to see all that was measured there.
        </p>
        <div class="pictures">
          {panels.map((panel) => (
            <PanelPicture
              key={panel.title}
              {...{ sweep, panel, x, apart, unit, isHeat, point }}
              metric={of}
              title={panel.title ? `${name}, ${panel.title}` : name}
              numbers={{ columns, rows: panel.points.map((place) => rows[place]!) }}
              choose={setPoint}
            />
          ))}
        </div>
      </Part>
      {point !== null && <PointView sweep={sweep} point={point} />}
      <Part id="points" title="All points">
        <label>
          Point{" "}
          <select
            value={point ?? ""}
            onChange={(event) => setPoint(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
          >
            <option value="">none</option>
            {sweep.points.map((_, place) => (
              <option key={place} value={place}>
                {nameOf(sweep, place)}
              </option>
            ))}
          </select>
        </label>
        <NumberTable label={`${name} at all points`} columns={columns} rows={rows} />
      </Part>
    </>
  );
}

function PathChoice(props: {
  label: string;
  paths: SweepPath[];
  choices: number[];
  value: number;
  choose: (path: number) => void;
}) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.choose(Number(event.currentTarget.value))}>
        {props.choices.map((at) => (
          <option key={at} value={at}>
            {props.paths[at]!.path}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The path with most values that are numbers, or with most. */
function widest({ paths }: Sweep): number {
  const order = paths
    .map((_, at) => at)
    .sort((one, other) => {
      const [a, b] = [paths[one]!, paths[other]!];
      const rank = (path: SweepPath) => (path.isNumber && path.values.length > 1 ? 1 : 0);
      return rank(b) - rank(a) || b.values.length - a.values.length || one - other;
    });
  return order[0] ?? 0;
}

function nameOf(sweep: Sweep, point: number): string {
  return sweep.paths.map(({ path }, at) => `${path} = ${sweep.points[point]!.values[at]}`).join(", ");
}

interface PanelProps {
  sweep: Sweep;
  panel: Panel;
  x: number;
  apart: number | null;
  metric: SweepMetric;
  unit: Unit;
  title: string;
  isHeat: boolean;
  point: number | null;
  numbers: { columns: string[]; rows: (string | number)[][] };
  choose: (point: number) => void;
}

const FRAME = { left: 62, right: 14, top: 10, bottom: 42 };

function PanelPicture({ sweep, panel, x, apart, metric, unit, title, isHeat, point, numbers, choose }: PanelProps) {
  const [body, measured] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const width = Math.max(260, measured);
  const inner = { ...FRAME, width, height: 280 };
  const shared = { sweep, panel, x, apart, metric, unit, point, choose, inner };
  const looks = panel.series.map((_, place) => lookOf(place));
  return (
    <Picture title={title} svg={() => svg.current && svgText(svg.current)} numbers={() => numbers}>
      <div ref={body}>
        <svg ref={svg} viewBox={`0 0 ${width} ${inner.height}`} role="group" aria-label={title}>
          {isHeat && apart !== null ? <Heat {...shared} apart={apart} /> : <Lines {...shared} />}
        </svg>
      </div>
      {apart !== null && isHeat && <HeatKey metric={metric} unit={unit} />}
      {apart !== null && !isHeat && (
        <ul class="key" aria-label={sweep.paths[apart]!.path}>
          <li>{sweep.paths[apart]!.path}:</li>
          {panel.series.map(({ name }, place) => (
            <li key={name}>
              <svg viewBox="0 0 26 12" aria-hidden="true">
                <path
                  d="M0 6H26"
                  stroke={`var(${looks[place]!.colour})`}
                  stroke-width="2"
                  stroke-dasharray={looks[place]!.dash.join(" ")}
                />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </Picture>
  );
}

interface Drawn {
  sweep: Sweep;
  panel: Panel;
  x: number;
  apart: number | null;
  metric: SweepMetric;
  unit: Unit;
  point: number | null;
  choose: (point: number) => void;
  inner: { left: number; right: number; top: number; bottom: number; width: number; height: number };
}

function saidOf({ sweep, metric, unit }: Drawn, place: number): string {
  const value = digits(metric.mean[place]! / unit.by);
  const [low, high] = [metric.low[place]!, metric.high[place]!].map((end) => digits(end / unit.by));
  const interval = Number.isFinite(metric.low[place]!) ? `interval ${low} to ${high}` : "no interval";
  const seeds = metric.n[place]!;
  return `${nameOf(sweep, place)}: ${value} ${unit.name}, ${interval}, ${seeds} seed${seeds === 1 ? "" : "s"}`;
}

/** What makes a mark something that can be chosen. */
function chosenBy(drawn: Drawn, place: number) {
  return {
    tabindex: 0,
    role: "button" as const,
    "aria-pressed": drawn.point === place,
    "aria-label": saidOf(drawn, place),
    style: { cursor: "pointer" },
    onClick: () => drawn.choose(place),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      drawn.choose(place);
    },
  };
}

function Lines(drawn: Drawn) {
  const { sweep, panel, x, metric, unit, point, inner } = drawn;
  const path = sweep.paths[x]!;
  const at = axisOf(path, inner);
  const values = [...metric.high, ...metric.optimum].filter(Number.isFinite).map((value) => value / unit.by);
  const lowest = [...metric.low, ...metric.mean].filter(Number.isFinite).map((value) => value / unit.by);
  const high = Math.max(0, ...values, ...lowest) * 1.05 || 1;
  const low = Math.min(0, ...lowest);
  const bottom = inner.height - inner.bottom;
  const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - inner.top);
  return (
    <>
      {ticks(low, high, 5).map((value) => (
        <g key={value}>
          <path d={`M${inner.left} ${y(value)}H${inner.width - inner.right}`} stroke="var(--line)" />
          <text x={inner.left - 6} y={y(value) + 4} font-size="11" text-anchor="end">
            {digits(value)}
          </text>
        </g>
      ))}
      <XAxis path={path} at={at} inner={inner} />
      <text transform={`translate(13 ${(inner.top + bottom) / 2}) rotate(-90)`} font-size="11" text-anchor="middle">
        {unit.name}
      </text>
      {panel.series.map((series, place) => {
        const look = lookOf(place);
        const points = series.points.filter((one) => Number.isFinite(metric.mean[one]!));
        const spot = (one: number) => at(sweep.points[one]!.places[x]!);
        const line = points.map((one, n) => `${n ? "L" : "M"}${spot(one)} ${y(metric.mean[one]! / unit.by)}`).join("");
        return (
          <g key={series.name}>
            {path.isNumber && (
              <path
                d={line}
                fill="none"
                stroke={`var(${look.colour})`}
                stroke-width="1.5"
                stroke-dasharray={look.dash.join(" ")}
              />
            )}
            {points.map((one) => {
              const [px, py] = [spot(one), y(metric.mean[one]! / unit.by)];
              const best = metric.optimum[one]! / unit.by;
              return (
                <g key={one} {...chosenBy(drawn, one)}>
                  <title>{saidOf(drawn, one)}</title>
                  {Number.isFinite(metric.low[one]!) && (
                    <path
                      d={`M${px} ${y(metric.low[one]! / unit.by)}V${y(metric.high[one]! / unit.by)}`}
                      stroke={`var(${look.colour})`}
                      stroke-width="1.5"
                    />
                  )}
                  {Number.isFinite(best) && best <= high && (
                    <path d={`M${px - 4} ${y(best) - 4}l8 8m0 -8l-8 8`} stroke="var(--quiet)" stroke-width="1.2" />
                  )}
                  <circle
                    cx={px}
                    cy={py}
                    r={point === one ? 7 : 4.5}
                    fill={`var(${look.colour})`}
                    stroke={point === one ? "var(--ink)" : "var(--paper)"}
                    stroke-width={point === one ? 2.5 : 1}
                  />
                </g>
              );
            })}
          </g>
        );
      })}
    </>
  );
}

/** Where values of a path stand: on a logarithmic axis where the largest is fifty times the smallest. */
function axisOf(path: SweepPath, inner: Drawn["inner"]): (place: number) => number {
  const [low, high] = [Math.min(...path.places), Math.max(...path.places)];
  const isLogarithmic = path.isNumber && low > 0 && high >= 50 * low;
  const scale = (place: number) => (isLogarithmic ? Math.log(place) : place);
  const span = scale(high) - scale(low);
  const room = inner.width - inner.left - inner.right - 30;
  return (place) => inner.left + 15 + (span > 0 ? (scale(place) - scale(low)) / span : 0.5) * room;
}

function XAxis({ path, at, inner }: { path: SweepPath; at: (place: number) => number; inner: Drawn["inner"] }) {
  const bottom = inner.height - inner.bottom;
  let last = -Infinity;
  return (
    <>
      <path d={`M${inner.left} ${bottom}H${inner.width - inner.right}`} stroke="var(--edge)" />
      {path.values.map((value, place) => {
        const x = at(path.places[place]!);
        const text = path.isNumber ? digits(path.places[place]!) : value.length > 14 ? `${value.slice(0, 13)}…` : value;
        const isRoom = x - last > text.length * 6.2 + 8;
        if (isRoom) last = x;
        return isRoom ? (
          <text key={value} x={x} y={bottom + 15} font-size="11" text-anchor="middle">
            {text}
          </text>
        ) : null;
      })}
      <text x={(inner.left + inner.width) / 2} y={inner.height - 8} font-size="11" text-anchor="middle">
        {path.path}
        {path.unit && ` (${path.unit})`}
      </text>
    </>
  );
}

function Heat(drawn: Drawn & { apart: number }) {
  const { sweep, panel, x, apart, metric, unit, point, inner } = drawn;
  const [across, down] = [sweep.paths[x]!, sweep.paths[apart]!];
  const bottom = inner.height - inner.bottom;
  const cell = {
    width: (inner.width - inner.left - inner.right) / across.values.length,
    height: (bottom - inner.top) / Math.max(1, panel.series.length),
  };
  const values = [...metric.mean].filter(Number.isFinite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = (value: number) => Math.round(((value - low) / (high - low || 1)) * (LEVELS.length - 1));
  return (
    <>
      {panel.series.map((series, row) => (
        <g key={series.name}>
          <text x={inner.left - 6} y={inner.top + (row + 0.5) * cell.height + 4} font-size="11" text-anchor="end">
            {series.name.length > 9 ? `${series.name.slice(0, 8)}…` : series.name}
          </text>
          {series.points.map((one) => {
            const column = across.places.indexOf(sweep.points[one]!.places[x]!);
            const at = step(metric.mean[one]!);
            const [left, top] = [inner.left + column * cell.width, inner.top + row * cell.height];
            return (
              <g key={one} {...chosenBy(drawn, one)}>
                <title>{saidOf(drawn, one)}</title>
                <rect
                  x={left + 1}
                  y={top + 1}
                  width={Math.max(1, cell.width - 2)}
                  height={Math.max(1, cell.height - 2)}
                  fill={Number.isFinite(metric.mean[one]!) ? `var(${LEVELS[at]})` : "none"}
                  stroke={point === one ? "var(--ink)" : "none"}
                  stroke-width="2.5"
                />
                {cell.width > 44 && cell.height > 15 && (
                  <text
                    x={left + cell.width / 2}
                    y={top + cell.height / 2 + 4}
                    font-size="11"
                    text-anchor="middle"
                    fill={at === 4 ? "var(--on-l4)" : at > 4 ? "var(--paper)" : "var(--ink)"}
                  >
                    {digits(metric.mean[one]! / unit.by)}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      ))}
      {across.values.map((value, column) => (
        <text
          key={value}
          x={inner.left + (column + 0.5) * cell.width}
          y={bottom + 15}
          font-size="11"
          text-anchor="middle"
        >
          {column % Math.ceil(50 / cell.width) === 0 ? (across.isNumber ? digits(across.places[column]!) : value) : ""}
        </text>
      ))}
      <text x={(inner.left + inner.width) / 2} y={inner.height - 8} font-size="11" text-anchor="middle">
        {across.path}
        {across.unit && ` (${across.unit})`}; downwards {down.path}
      </text>
    </>
  );
}

/** What the colours of a heat map mean: the lowest and the highest mean of all points. */
function HeatKey({ metric, unit }: { metric: SweepMetric; unit: Unit }) {
  const values = [...metric.mean].filter(Number.isFinite);
  const ends = [Math.min(...values), Math.max(...values)].map((value) => `${digits(value / unit.by)} ${unit.name}`);
  return (
    <ul class="key" aria-label="Colours">
      {[LEVELS[0]!, LEVELS.at(-1)!].map((colour, end) => (
        <li key={colour}>
          <svg viewBox="0 0 26 12" aria-hidden="true">
            <rect width="26" height="12" fill={`var(${colour})`} stroke="var(--edge)" />
          </svg>
          {end === 0 ? "lowest" : "highest"}: {ends[end]}
        </li>
      ))}
    </ul>
  );
}

function PointView({ sweep, point }: { sweep: Sweep; point: number }) {
  const { seeds, hash, command, options } = sweep.points[point]!;
  const scenario = sweep.scenarios[point];
  const file = `${sweep.name}-${hash}.toml`;
  const rows = sweep.metrics
    .filter(({ n }) => n[point]! > 0)
    .map((one) => [
      `${one.subject}/${one.metric}`,
      one.mean[point]!,
      one.low[point]!,
      one.high[point]!,
      one.n[point]!,
      one.optimum[point]!,
      one.unit,
    ]);
  return (
    <Part id="point" title={nameOf(sweep, point)} isTarget>
      <p>
        Seeds {seeds}; hash <code>{hash}</code>. From the file of the scenario this repeats the point:
      </p>
      <pre tabIndex={0}>
        <code>{command}</code>
      </pre>
      {scenario !== undefined && (
        <>
          <p>
            Or{" "}
            <button type="button" onClick={() => download(file, scenario, "application/toml")}>
              save the scenario of this point
            </button>{" "}
            and run it:
          </p>
          <pre tabIndex={0}>
            <code>
              faircast run {file} {options}
            </code>
          </pre>
        </>
      )}
      <details open={rows.length <= 40}>
        <summary>{rows.length} measurements</summary>
        <NumberTable
          label={`Measurements of ${nameOf(sweep, point)}`}
          columns={["metric", "mean", "low", "high", "seeds", "optimum", "unit"]}
          rows={rows}
        />
      </details>
    </Part>
  );
}
