/** The viewer of a run: one moment, chosen by the slider, in all pictures. */

import { useMemo } from "preact/hooks";
import { lookOf } from "../model/colours.ts";
import type { Document, RunParts, Traffic, Why } from "../model/document.ts";
import { marksOf } from "../model/marks.ts";
import { Store } from "../model/store.ts";
import { limitingOf, phasesOf, stretchesOf } from "../model/strips.ts";
import { viewersOf } from "../model/playback.ts";
import { carriersOf } from "../model/symbols.ts";
import { has, series, seriesBy, subjects, type Table } from "../model/table.ts";
import { Chart, type Level, type Line } from "./chart.tsx";
import { Controls } from "./controls.tsx";
import { Globe } from "./globe.tsx";
import { moment } from "../model/format.ts";
import { useStore } from "./hooks.ts";
import { linesOf } from "./lines.ts";
import { Network } from "./network.tsx";
import { Part } from "./part.tsx";
import { Buffers, Viewers } from "./playback.tsx";
import { Layers, Limiting, Marks, Phases, type Row } from "./strips.tsx";
import { Symbols } from "./symbols.tsx";
import { TransferTimes, Transfers } from "./transfers.tsx";

/** Up to so many, a network is drawn by levels, too: of a whole constellation nobody would find his way in that. */
const FEW_SATELLITES = 3;

/** The store of a run: all seeds as bands where there are bands. */
export function storeOf(run: RunParts): Store {
  return new Store(run.time.stop_s, run.time.interval_s, run.bands === undefined ? 0 : null);
}

export function RunView({ document: { run: parts }, store }: { document: Document; store: Store }) {
  const run = parts!;
  const chosen = useStore(store, (state) => state.run);
  // What differs from seed to seed and cannot be put together, such as events, is that of the first seed.
  const tables = run.runs[chosen ?? 0]!.tables;
  const bands = chosen === null ? run.bands : undefined;
  const marks = useMemo(() => marksOf(tables, run.changes), [tables, run]);
  const names = useMemo(() => namesOf(run, tables), [run, tables]);
  const seed = run.runs[chosen ?? 0]!.seed;
  const ofSeed = chosen === null ? ` Of seed ${seed}.` : "";
  const limiting = useMemo(() => limitingRows(run, tables), [run, tables]);
  const layers = useMemo(() => layerRows(tables), [tables]);
  const viewers = useMemo(() => viewersOf(tables.get("playback"), run.traffic, run.time.stop_s), [tables, run]);
  const warmup = run.time.warmup_s;
  const phases = useMemo(() => phasesOf(tables, run.time.stop_s), [tables, run]);
  // Beside a globe, since hand-offs are what happens there.
  const happened = <Marks store={store} marks={marks} note={`Every mark is a moment; a click goes there.${ofSeed}`} />;
  return (
    <>
      <Controls
        {...{ store, names, marks }}
        seeds={run.runs.map((one) => one.seed)}
        hasBands={run.bands !== undefined}
      />
      {run.drawing && (
        <Part id="network" title="The network at the moment">
          {chosen === null && <p class="quiet">What it shows is that of seed {seed}.</p>}
          <div class="pictures">
            {run.drawing.sky && <Globe store={store} drawing={run.drawing} sky={run.drawing.sky} tables={tables} />}
            {run.drawing.sky && happened}
            {(run.drawing.sky?.satellites.length ?? 0) <= FEW_SATELLITES && (
              <Network store={store} drawing={run.drawing} tables={tables} />
            )}
          </div>
        </Part>
      )}
      {viewers.length > 0 && (
        <Part id="viewers" title="What viewers saw">
          <div class="pictures">
            <Viewers {...{ store, viewers, ofSeed }} />
            <Buffers {...{ store, viewers, tables, ofSeed, warmup }} />
          </div>
        </Part>
      )}
      {tables.has("transfers") && (
        <Part id="transfers" title="Web traffic">
          <div class="pictures">
            <Transfers {...{ store, tables, warmup, ofSeed }} />
            <TransferTimes {...{ store, tables, warmup, ofSeed }} />
          </div>
        </Part>
      )}
      {carriersOf(tables.get("acm")).length > 0 && (
        <Part id="symbols" title="Coding and modulation">
          <div class="pictures">
            <Symbols {...{ store, tables, bands, warmup, ofSeed }} />
          </div>
        </Part>
      )}
      <Part id="over-time" title="Over time">
        {bands && <p class="quiet">Lines: {run.bandsAre}.</p>}
        <div class="pictures">
          <Series {...{ store, run, tables, bands }} />
          {layers.length > 0 && <Layers store={store} rows={layers} />}
          {phases.length > 0 && (
            <Phases
              store={store}
              rows={phases}
              note={`What the router agent makes of the length of its queue.${ofSeed}`}
            />
          )}
          {limiting.length > 0 && (
            <Limiting
              store={store}
              rows={limiting}
              title="Who limits each session"
              note={`The receiver that its source heeds: of TFMCC and OMCC the CLR, of pgmcc the acker.${ofSeed}`}
            />
          )}
          {!run.drawing?.sky && happened}
        </div>
      </Part>
      {run.why.length > 0 && <Reasons why={run.why} store={store} />}
    </>
  );
}

interface SeriesProps {
  store: Store;
  run: RunParts;
  tables: Map<string, Table>;
  bands: Map<string, Table> | undefined;
}

/** All series that the run has something for. */
function Series({ store, run, tables, bands }: SeriesProps) {
  const charts = useMemo(() => {
    const of = (table: string, subject: string, column: string, look: (name: string, place: number) => Partial<Line>) =>
      linesOf({ tables, bands, table, subject, column, look });
    const ofSymbols = new Set(subjects(tables.get("acm"), "link")); // they have a picture of their own
    const flow = flowLook(run.traffic);
    const receiver = receiverLook(run.traffic);
    const optimum = (names: string[]): Level[] =>
      names
        .filter((name) => Object.hasOwn(run.optimum, name))
        .map((name) => ({ name, of: name, label: "optimum", value: run.optimum[name]!, colour: "--quiet" }));
    const flows = inOrder(of("flows", "flow", "rate_bps", flow), run.traffic);
    const receivers = of("receivers", "receiver", "rate_bps", receiver);
    const limits = (lines: Line[]) => lines.map((line) => line.name);
    const queue = (column: string, dash: number[], label: string) =>
      of("queues", "link", column, (name, place) => ({ ...lookOf(place), dash, label: `${name}${label}`, of: name }));
    return [
      {
        title: "Rates of flows and sessions",
        note: run.ratesAre ?? "What reached the receivers; of a session the mean over its members.",
        quantity: "rate",
        lines: flows,
        levels: optimum(limits(flows)),
      },
      {
        title: "Sending rates",
        note: "The rates at which sources that have one send.",
        quantity: "rate",
        lines: inOrder(of("flows", "flow", "sending_bps", flow), run.traffic).filter(isSending),
      },
      { title: "Rates of receivers", quantity: "rate", lines: receivers, levels: optimum(limits(receivers)) },
      {
        title: "Queues",
        note: "Packets that wait; broken lines: the average by which the discipline decides.",
        quantity: "packets",
        lines: [
          ...queue("queue_pkts", [], ""),
          ...queue("average_pkts", [6, 4], ", average").map((line) => ({ ...line, name: `${line.name}, average` })),
        ],
        isGauge: true,
      },
      { title: "How long packets wait in queues", quantity: "time", lines: queue("sojourn_s", [], ""), isGauge: true },
      {
        title: "Round-trip times of senders",
        note: "As they measure them, smoothed.",
        quantity: "time",
        lines: inOrder(of("flows", "flow", "srtt_s", flow), run.traffic),
      },
      {
        title: "Round-trip times of receivers",
        note: "As they measure them.",
        quantity: "time",
        lines: of("receivers", "receiver", "rtt_s", receiver),
      },
      {
        title: "Congestion windows",
        quantity: "packets",
        lines: inOrder(of("flows", "flow", "cwnd_pkts", flow), run.traffic),
      },
      {
        title: "Loss event rates",
        note: "As the receivers measure them.",
        quantity: "part",
        lines: of("receivers", "receiver", "loss_event_rate", receiver),
      },
      {
        title: "Loss rates",
        note: "As the receivers of pgmcc measure them.",
        quantity: "part",
        lines: of("receivers", "receiver", "loss_rate", receiver),
      },
      {
        title: "Loss that counts",
        note: "What the receivers of MLDA measure, without what they take for errors of links.",
        quantity: "part",
        lines: of("receivers", "receiver", "loss", receiver),
      },
      {
        title: "Use of links",
        quantity: "part",
        lines: of("links", "link", "utilisation", (_, place) => lookOf(place)).filter(
          (line) => isUsed(line) && !ofSymbols.has(line.name),
        ),
      },
      {
        title: "Delay of ways",
        note: "Propagation delays of all links of a way.",
        quantity: "time",
        lines: wayLines(tables),
        isGauge: true,
      },
      ...routerCharts(tables),
    ] as { title: string; note?: string; quantity: "rate"; lines: Line[]; levels?: Level[]; isGauge?: boolean }[];
  }, [run, tables, bands]);
  return (
    <>
      {charts
        .filter(({ lines }) => lines.length > 0)
        .map((chart) => (
          <Chart key={chart.title} store={store} warmup={run.time.warmup_s} {...chart} />
        ))}
    </>
  );
}

/** Sessions before flows, as everywhere. */
function inOrder(lines: Line[], traffic: Traffic[]): Line[] {
  const place = new Map(traffic.map(({ name }, at): [string, number] => [name, at]));
  return lines.sort((one, other) => (place.get(one.name) ?? 0) - (place.get(other.name) ?? 0));
}

function flowLook(traffic: Traffic[]): (name: string) => Partial<Line> {
  const place = new Map(traffic.map(({ name }, at): [string, number] => [name, at]));
  return (name) => {
    const at = place.get(name) ?? traffic.length;
    const isSession = traffic[at]?.isSession ?? false;
    return { ...lookOf(at, isSession), width: isSession ? 2 : 1.4 };
  };
}

function receiverLook(traffic: Traffic[]): (name: string, place: number) => Partial<Line> {
  const session = new Map(
    traffic.flatMap(({ name, receivers }) => receivers.map((one): [string, string] => [one, name])),
  );
  return (name, place) => ({ ...lookOf(place), of: session.get(name) });
}

/** Links on which next to nothing ever goes tell nothing: acknowledgements, idle ones. */
function isUsed({ series: { v } }: Line): boolean {
  return v.some((value) => value >= 0.05);
}

/** Flows without a rate of their own have zero in this column. */
function isSending({ series: { v } }: Line): boolean {
  return v.some((value) => value > 0);
}

/** A line for each pair of nodes whose way was probed. */
function wayLines(tables: Map<string, Table>): Line[] {
  return seriesBy(tables.get("paths"), ["from", "to"], "delay_s").map(({ names: [from, to], ...own }, place): Line => {
    const label = `${from} to ${to}`;
    return { name: label, label, ...lookOf(place), width: 1.4, series: own };
  });
}

/** So many numbers of router agents have a picture. */
const MOST_GAUGES = 6;

/** What router agents tell, a picture for each number: their phases among them. */
function routerCharts(tables: Map<string, Table>) {
  const routers = tables.get("routers");
  const all = seriesBy(routers, ["gauge", "link", "about"], "value");
  return subjects(routers, "gauge")
    .filter((gauge) => !gauge.startsWith("phase")) // a strip shows them
    .slice(0, MOST_GAUGES)
    .map((gauge) => ({
      title: `Router agents: ${gauge}`,
      quantity: "number" as const,
      lines: all
        .filter(({ names }) => names[0] === gauge)
        .map(({ names: [, ...of], ...own }, place): Line => {
          const name = of.join(", ");
          return { name, label: name, ...lookOf(place), width: 1.4, series: own };
        }),
      isGauge: true,
    }));
}

function layerRows(tables: Map<string, Table>): Row[] {
  const receivers = tables.get("receivers");
  if (!has(receivers, "level")) return [];
  return subjects(receivers, "receiver")
    .map((name) => ({ name, stretches: stretchesOf(series(receivers, "receiver", name, "level")) }))
    .filter(({ stretches }) => stretches.some(({ state }) => state !== 0));
}

function limitingRows(run: RunParts, tables: Map<string, Table>): Row[] {
  const events = tables.get("events");
  return run.traffic
    .filter(({ isSession }) => isSession)
    .map(({ name }) => ({ name, stretches: limitingOf(events, name, run.time.stop_s) }))
    .filter(({ stretches }) => stretches.length > 0);
}

function namesOf(run: RunParts, tables: Map<string, Table>) {
  const busy = subjects(tables.get("links"), "link").filter((link) =>
    series(tables.get("links"), "link", link, "utilisation").v.some((value) => value > 0),
  );
  return [
    { label: "sessions", names: run.traffic.filter((one) => one.isSession).map((one) => one.name) },
    { label: "flows", names: run.traffic.filter((one) => !one.isSession).map((one) => one.name) },
    { label: "receivers", names: run.traffic.flatMap((one) => one.receivers) },
    { label: "links in use", names: busy },
  ].filter(({ names }) => names.length > 0);
}

/** Why rates fell: sentences, or the command that finds them. */
function Reasons({ why, store }: { why: Why[]; store: Store }) {
  return (
    <Part id="why" title="Why rates fell">
      <p class="quiet">The deepest fall of each flow and session after the warm-up.</p>
      {why.map(({ t_s, flow, headline, steps, command }) => (
        <div key={`${flow} ${t_s}`}>
          <p>
            <button type="button" onClick={() => store.goTo(t_s)}>
              {moment(t_s)}
              <span class="hidden">: go there</span>
            </button>{" "}
            {headline}
          </p>
          {steps.length > 0 ? (
            <ol class="plain">
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          ) : (
            <pre tabIndex={0}>
              <code>{command}</code>
            </pre>
          )}
        </div>
      ))}
    </Part>
  );
}
