/** The network drawn by levels, links by their use in the interval of the moment. */

import { useMemo, useRef } from "preact/hooks";
import { USE, useOf } from "../model/colours.ts";
import type { Drawing, MapLink } from "../model/document.ts";
import { graphml } from "../model/export.ts";
import { digits, moment, said } from "../model/format.ts";
import { layoutOf, type Layout, type Place } from "../model/layout.ts";
import { isMember, linksNow, linksOf, queueNow, type LinkState } from "../model/now.ts";
import type { Store } from "../model/store.ts";
import type { Table } from "../model/table.ts";
import { download, svgText, useStore, useWidth } from "./hooks.ts";
import { Picture } from "./picture.tsx";

interface Props {
  store: Store;
  drawing: Drawing;
  tables: Map<string, Table>;
}

const LABELLED = 60;
/** On screens that are narrower levels go downwards. */
const NARROW = 640;

interface Frame {
  width: number;
  height: number;
  at: (place: Place) => { x: number; y: number };
  isAcross: boolean;
}

export function Network({ store, drawing, tables }: Props) {
  const time = useStore(store, (state) => state.time);
  const alone = useStore(store, (state) => state.alone);
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const layout = useMemo(() => layoutOf(drawing.map), [drawing]);
  const own = useMemo(() => linksOf(drawing, alone), [drawing, alone]);
  const frame = useMemo(() => frameOf(layout, Math.max(width, 300)), [layout, width]);
  const links = tables.get("links");
  const now = linksNow(drawing, links, time);
  const receivers = tables.get("receivers");
  const isThere = (name: string) => isMember(receivers, name, time) !== false;
  const busy = [...now.values()]
    .filter(({ utilisation, dropped_pkts, lost_pkts, is_up }) => utilisation > 0 || dropped_pkts || lost_pkts || !is_up)
    .sort((one, other) => other.utilisation - one.utilisation);
  const rows = busy.slice(0, 200).map((state) => rowOf(state, queueNow(tables.get("queues"), state.link.name, time)));
  const note =
    links === undefined
      ? "Links were not probed in this run (probes.links), so their use is not known."
      : "Links by their use in the interval of the moment. Diamonds: packets dropped at a queue. Crosses: lost on the way.";
  const isOfBeginning = own !== null && drawing.map.links.some(({ ups }) => ups.length > 0);
  return (
    <Picture
      title="The network"
      isWide
      note={isOfBeginning ? `${note} Whoever is seen alone has the links of the beginning.` : note}
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({ columns: COLUMNS, rows: [...now.values()].map((state) => rowOf(state, NaN)) })}
      table={{ title: `Links in use at ${moment(time, store.step)}`, numbers: { columns: COLUMNS, rows } }}
      more={
        <button
          type="button"
          onClick={() => {
            const text = graphml(drawing.map, time, (link) => now.get(link)!);
            download(`network-${time}.graphml`, text, "application/xml");
          }}
        >
          GraphML<span class="hidden"> of the network at this moment</span>
        </button>
      }
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${frame.width} ${frame.height}`}
          role="group"
          aria-label={`The network at ${moment(time, store.step)}: ${busy.length} links in use`}
          data-time={time}
        >
          {layout.edges.map((edge) => {
            const [a, b] = [layout.places.get(edge.a)!, layout.places.get(edge.b)!];
            if (edge.a === edge.b) return null;
            return (
              <g key={`${edge.a} ${edge.b}`}>
                <Direction
                  {...{ store, frame, own, now }}
                  from={a}
                  to={b}
                  links={edge.forth}
                  isPair={edge.back.length > 0}
                />
                <Direction
                  {...{ store, frame, own, now }}
                  from={b}
                  to={a}
                  links={edge.back}
                  isPair={edge.forth.length > 0}
                />
              </g>
            );
          })}
          {[...layout.places.values()].map((place) => (
            <Node key={place.node} {...{ store, frame, place, layout, isThere, alone }} />
          ))}
        </svg>
      </div>
      <UseKey />
    </Picture>
  );
}

const COLUMNS = ["link", "use", "rate", "dropped (packets)", "lost (packets)", "waiting (packets)", "state"];

function rowOf({ link, utilisation, rate_bps, dropped_pkts, lost_pkts, is_up }: LinkState, queue: number) {
  const state = is_up ? "up" : "down";
  return [link.name, said("part", utilisation), said("rate", rate_bps), dropped_pkts, lost_pkts, queue, state];
}

function frameOf(layout: Layout, width: number): Frame {
  const isAcross = width >= NARROW;
  const rim = isAcross ? { x: 70, y: 34 } : { x: 60, y: 40 };
  const many = isAcross ? layout.widest : layout.levels;
  const height = isAcross
    ? Math.min(900, Math.max(200, 2 * rim.y + many * (layout.widest > 12 ? 24 : 58)))
    : Math.max(240, 2 * rim.y + many * 82);
  const level = (place: Place) => (layout.levels > 1 ? place.level / (layout.levels - 1) : 0.5);
  return {
    width,
    height,
    isAcross,
    at: (place) =>
      isAcross
        ? { x: rim.x + level(place) * (width - 2 * rim.x), y: rim.y + place.across * (height - 2 * rim.y) }
        : { x: rim.x / 2 + place.across * (width - rim.x), y: rim.y + level(place) * (height - 2 * rim.y) },
  };
}

interface DirectionProps {
  store: Store;
  frame: Frame;
  own: Set<string> | null;
  now: Map<string, LinkState>;
  from: Place;
  to: Place;
  links: MapLink[];
  isPair: boolean;
}

/** All links of one direction between two places, drawn as one: the busiest says how. */
function Direction({ store, frame, own, now, from, to, links, isPair }: DirectionProps) {
  if (links.length === 0) return null;
  const states = links.map((link) => now.get(link.name)!);
  const most = states.reduce((one, other) => ((other.utilisation || 0) > (one.utilisation || 0) ? other : one));
  const dropped = states.reduce((sum, state) => sum + state.dropped_pkts, 0);
  const lost = states.reduce((sum, state) => sum + state.lost_pkts, 0);
  const [a, b] = [frame.at(from), frame.at(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const aside = isPair ? 4 : 0;
  const point = (along: number, out = 0) => ({
    x: a.x + ux * length * along - uy * (aside + out),
    y: a.y + uy * length * along + ux * (aside + out),
  });
  const [start, end] = [point(10 / length), point(1 - 10 / length)];
  const { colour, width } = useOf(most.utilisation);
  const isDown = states.every((state) => !state.is_up);
  const isQuiet = own !== null && !links.some((link) => own.has(link.name));
  const name = links.length === 1 ? links[0]!.name : `${links.length} links`;
  const use = Number.isNaN(most.utilisation) ? "" : `, used to ${said("part", most.utilisation)}`;
  const told = [
    `${name}: ${from.node} to ${to.node}${use}`,
    `${said("rate", most.link.rate_bps)}, queue ${most.link.queue.kind}`,
    dropped ? `${digits(dropped)} packets dropped` : "",
    lost ? `${digits(lost)} packets lost` : "",
    isDown ? "down" : "",
  ].filter(Boolean);
  const drop = point(0.22, 9);
  const loss = point(0.78, 9);
  return (
    <g
      opacity={isQuiet ? 0.2 : 1}
      onClick={() => store.only(links[0]!.name)}
      data-link={name}
      data-use={most.utilisation}
    >
      <title>{told.join("\n")}</title>
      <path d={`M${start.x} ${start.y}L${end.x} ${end.y}`} stroke="transparent" stroke-width="12" fill="none" />
      <path
        d={`M${start.x} ${start.y}L${end.x} ${end.y}`}
        stroke={`var(${isDown ? "--bad" : colour})`}
        stroke-width={width}
        stroke-dasharray={isDown ? "3 5" : undefined}
        fill="none"
      />
      <path d={arrow(point(0.55), ux, uy)} fill={`var(${isDown ? "--bad" : colour})`} />
      {dropped > 0 && (
        <g>
          <path d={`M${drop.x} ${drop.y - 6}l6 6l-6 6l-6 -6Z`} fill="var(--c1)" stroke="var(--paper)" />
          <text x={drop.x + 9} y={drop.y + 4} font-size="11">
            {digits(dropped)}
          </text>
        </g>
      )}
      {lost > 0 && (
        <g>
          <path
            d={`M${loss.x - 5} ${loss.y - 5}l10 10m0 -10l-10 10`}
            stroke="var(--bad)"
            stroke-width="2.5"
            fill="none"
          />
          <text x={loss.x + 9} y={loss.y + 4} font-size="11">
            {digits(lost)}
          </text>
        </g>
      )}
    </g>
  );
}

function arrow({ x, y }: { x: number; y: number }, ux: number, uy: number): string {
  const [px, py] = [-uy, ux];
  return `M${x + ux * 6} ${y + uy * 6}L${x + px * 4} ${y + py * 4}L${x - px * 4} ${y - py * 4}Z`;
}

interface NodeProps {
  store: Store;
  frame: Frame;
  place: Place;
  layout: Layout;
  isThere: (receiver: string) => boolean;
  alone: string | null;
}

function Node({ store, frame, place, layout, isThere, alone }: NodeProps) {
  const { x, y } = frame.at(place);
  const isEnd = place.ends.length > 0;
  const isMemberHere = isEnd && place.ends.some(isThere);
  const isAlone = alone !== null && place.ends.includes(alone);
  const few = layout.places.size <= LABELLED;
  const many = frame.isAcross ? layout.levels : layout.widest;
  const letters = Math.max(3, Math.floor((frame.width / Math.max(many, 1) - 6) / 6.2));
  const name = place.stands > 1 ? `${place.stands} × ${place.node}` : place.node; // as it is written there
  const told = `${name}${isEnd ? `: ${place.ends.slice(0, 8).join(", ")}${place.ends.length > 8 ? " .." : ""}` : ""}`;
  const choose = () => isEnd && store.only(place.ends[0]!);
  return (
    <g
      onClick={choose}
      {...(isEnd && {
        tabindex: 0,
        role: "button",
        "aria-pressed": isAlone,
        "aria-label": `${told}; see alone`,
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          choose();
        },
      })}
    >
      <title>{told}</title>
      <circle
        cx={x}
        cy={y}
        r={isEnd ? 8 : 5}
        fill={isMemberHere ? "var(--accent)" : isEnd ? "var(--paper)" : "var(--edge)"}
        stroke={isAlone ? "var(--ink)" : isEnd ? "var(--accent)" : "var(--edge)"}
        stroke-width={isAlone ? 3 : 2}
      />
      {(few || isEnd) && layout.widest <= 40 && (
        <text
          x={x}
          y={y - 13}
          font-size="12"
          text-anchor="middle"
          stroke="var(--paper)"
          stroke-width="3"
          paint-order="stroke"
        >
          {short(name, letters)}
        </text>
      )}
    </g>
  );
}

function short(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;
}

/** What colours and widths of links mean. */
export function UseKey() {
  return (
    <ul class="key" aria-label="Use of links">
      {USE.map(({ colour, label }, step) => (
        <li key={label}>
          <svg viewBox="0 0 26 12" aria-hidden="true">
            <path d="M0 6H26" stroke={`var(${colour})`} stroke-width={1 + step} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
