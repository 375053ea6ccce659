/** A constellation on a globe: satellites, stations, to which of them they are turned, links in use, ways. */

import { geoGraticule10, geoOrthographic, geoPath, geoRotation } from "d3-geo";
import { useMemo, useRef, useState } from "preact/hooks";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import world from "world-atlas/land-110m.json";
import { COLOURS, useOf } from "../model/colours.ts";
import type { Drawing } from "../model/document.ts";
import { graphml } from "../model/export.ts";
import { digits, moment, said } from "../model/format.ts";
import { linksNow, satelliteOf, waysNow } from "../model/now.ts";
import { positionAt, type Position, type Sky } from "../model/sky.ts";
import type { Store } from "../model/store.ts";
import type { Table } from "../model/table.ts";
import { download, svgText, useStore, useWidth } from "./hooks.ts";
import { UseKey } from "./network.tsx";
import { Picture } from "./picture.tsx";

/** Natural Earth, 1:110 million. */
const LAND = feature(
  world as unknown as Topology,
  (world as unknown as Topology).objects["land"] as GeometryCollection,
);
const GRATICULE = geoGraticule10();
const EARTH_M = 6_371_000;
/** So far by an arrow key, degrees. */
const TURN = 15;

interface Props {
  store: Store;
  drawing: Drawing;
  sky: Sky;
  tables: Map<string, Table>;
}

interface Seen {
  x: number;
  y: number;
  /** Whether the earth does not hide it. */
  isSeen: boolean;
}

export function Globe({ store, drawing, sky, tables }: Props) {
  const time = useStore(store, (state) => state.time);
  const [body, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const [turned, setTurned] = useState<[number, number]>(() => facing(sky));
  const size = Math.max(280, Math.min(width, 760));
  const highest = useMemo(() => Math.max(0, ...sky.altitude.filter((height) => height < 3e6)), [sky]);
  const radius = size / 2 / (1 + Math.min(highest, 3e6) / EARTH_M) - 6;
  const view = useMemo(() => viewOf(turned, size, radius), [turned, size, radius]);
  const places = useMemo(() => {
    const found = new Map<string, Position>();
    sky.stations.forEach(({ name, latitude, longitude }) => found.set(name, { latitude, longitude, altitude: 0 }));
    sky.satellites.forEach((name, satellite) => found.set(name, positionAt(sky, satellite, time)));
    return found;
  }, [sky, time]);
  const seen = useMemo(
    () => new Map([...places].map(([name, position]): [string, Seen] => [name, view.see(position)])),
    [places, view],
  );
  const now = linksNow(drawing, tables.get("links"), time);
  const stations = useMemo(() => new Set(sky.stations.map(({ name }) => name)), [sky]);
  const first = useMemo(() => firstSatellites(drawing, sky), [drawing, sky]);
  const turnedTo = sky.stations.map(({ name }) => ({
    name,
    to: satelliteOf(tables.get("handoffs"), name, time) ?? first.get(name),
  }));
  const lately = turnedTo.filter(
    ({ name, to }) => to !== (satelliteOf(tables.get("handoffs"), name, Math.max(0, time - lapse(store))) ?? to),
  );
  const ways = waysNow(tables.get("paths"), time);
  const inUse = [...now.values()].filter(({ utilisation }) => utilisation > 0);
  const between = [...now.values()]
    .filter(({ link, is_up }) => is_up && !stations.has(link.from) && !stations.has(link.to) && link.from < link.to)
    .map(({ link }) => lineOf([seen.get(link.from), seen.get(link.to)]))
    .join("");
  const idle = sky.satellites.filter((name) => seen.get(name)!.isSeen);
  const rows = [
    ...turnedTo.map(({ name, to }) => [name, to === undefined ? "–" : to === "" ? "no satellite" : to]),
    ...ways.map(({ from, to, way, delay }) => [
      `way from ${from} to ${to}`,
      way.length > 0 ? `${way.join(" > ")}, ${said("time", delay)}` : "none",
    ]),
  ];
  return (
    <Picture
      title="The constellation"
      note="Drag the globe, or turn it with the arrow keys. Squares: stations, each with the satellite that it is turned to."
      svg={() => svg.current && svgText(svg.current)}
      numbers={() => ({
        columns: ["node", "latitude_deg", "longitude_deg", "altitude_m"],
        rows: [...places].map(([name, at]) => [name, at.latitude, at.longitude, at.altitude]),
      })}
      table={{
        title: `Stations and ways at ${moment(time, store.step)}`,
        numbers: { columns: ["name", `at ${moment(time, store.step)}`], rows },
      }}
      more={
        <button
          type="button"
          onClick={() => {
            const text = graphml(drawing.map, time, (link) => now.get(link)!, places);
            download(`network-${time}.graphml`, text, "application/xml");
          }}
        >
          GraphML<span class="hidden"> of the constellation at this moment</span>
        </button>
      }
    >
      <div ref={body}>
        <svg
          ref={svg}
          viewBox={`0 0 ${size} ${size}`}
          style={{ maxWidth: `${size}px`, touchAction: "pan-y", cursor: "grab" }}
          tabindex={0}
          role="application"
          aria-roledescription="globe"
          aria-label={`The constellation at ${moment(time, store.step)}: ${rows.map((row) => row.join(" ")).join("; ")}`}
          data-time={time}
          onKeyDown={(event) => {
            const turn = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] }[
              event.key
            ];
            if (turn === undefined) return;
            event.preventDefault();
            setTurned(([lambda, phi]) => within(lambda + turn[0]!, phi + turn[1]!));
          }}
          onPointerDown={(event) => drag(event, turned, radius, setTurned)}
        >
          <circle cx={size / 2} cy={size / 2} r={radius} fill="var(--sea)" stroke="var(--edge)" />
          <path d={view.graticule} fill="none" stroke="var(--line)" stroke-width="0.6" />
          <path d={view.land} fill="var(--land)" stroke="var(--edge)" stroke-width="0.5" />
          <path
            d={idle.map((name) => dot(seen.get(name)!)).join("")}
            fill="var(--edge)"
            stroke="none"
            data-satellites={idle.length}
          />
          <path d={between} fill="none" stroke="var(--edge)" stroke-width="0.6" opacity="0.6" />
          {inUse.map(({ link, utilisation }) => {
            const [a, b] = endsOf(link.from, link.to);
            if (a === undefined || b === undefined || !a.isSeen || !b.isSeen) return null;
            const { colour, width } = useOf(utilisation);
            return (
              <path key={link.name} d={`M${a.x} ${a.y}L${b.x} ${b.y}`} stroke={`var(${colour})`} stroke-width={width}>
                <title>{`${link.name}, used to ${said("part", utilisation)}`}</title>
              </path>
            );
          })}
          {ways.map(({ from, to, way }, place) => (
            <path
              key={`${from} ${to}`}
              d={lineOf(way.map((node) => seen.get(node)))}
              fill="none"
              stroke={`var(${COLOURS[place % COLOURS.length]})`}
              stroke-width={place === 0 ? 3.5 : 2}
              stroke-dasharray={place === 0 ? undefined : "5 4"}
              data-way={way.join(" ")}
            >
              <title>{`from ${from} to ${to}: ${way.join(" > ")}`}</title>
            </path>
          ))}
          {turnedTo.map(({ name, to }) => {
            const [a, b] = [seen.get(name)!, to === undefined ? undefined : seen.get(to)];
            const isNew = lately.some((one) => one.name === name);
            return (
              <g key={name}>
                {b !== undefined && a.isSeen && b.isSeen && (
                  <path
                    d={`M${a.x} ${a.y}L${b.x} ${b.y}`}
                    stroke={isNew ? "var(--bad)" : "var(--ink)"}
                    stroke-width={isNew ? 2.5 : 1.2}
                  />
                )}
                {b !== undefined && b.isSeen && (
                  <circle
                    cx={b.x}
                    cy={b.y}
                    r="5"
                    fill="var(--paper)"
                    stroke={isNew ? "var(--bad)" : "var(--ink)"}
                    stroke-width="2"
                  >
                    <title>{`${to}, of ${name}`}</title>
                  </circle>
                )}
                {a.isSeen && (
                  <>
                    <rect x={a.x - 5} y={a.y - 5} width="10" height="10" fill="var(--accent)" stroke="var(--paper)">
                      <title>{name}</title>
                    </rect>
                    <text
                      x={a.x + 9}
                      y={a.y + 14}
                      font-size="12"
                      stroke="var(--paper)"
                      stroke-width="3"
                      paint-order="stroke"
                    >
                      {name}
                    </text>
                  </>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      {tables.has("links") && <UseKey />}
      <p class="quiet" aria-live="polite">
        {lately.length > 0
          ? lately.map(({ name, to }) => `${name} has turned to ${to || "no satellite"}.`).join(" ")
          : `${digits(inUse.length)} links in use.`}
      </p>
    </Picture>
  );

  /**
   * The ends of a link as they are seen. The map has the network of the beginning, so a link between a station and a
   * satellite leads to the one to which the station is turned, or to none.
   */
  function endsOf(from: string, to: string): [Seen | undefined, Seen | undefined] {
    const turned = (station: string, other: string) => turnedTo.find(({ name }) => name === station)?.to ?? other;
    if (stations.has(from)) return [seen.get(from), seen.get(turned(from, to))];
    if (stations.has(to)) return [seen.get(turned(to, from)), seen.get(to)];
    return [seen.get(from), seen.get(to)];
  }
}

/** The satellites of stations that never turn: those to which a link of theirs leads. */
function firstSatellites({ map }: Drawing, sky: Sky): Map<string, string> {
  const satellites = new Set(sky.satellites);
  return new Map(map.links.filter(({ to }) => satellites.has(to)).map(({ from, to }) => [from, to]));
}

/** A hand-off counts as new so long, seconds: long enough to be seen when it is played fast. */
function lapse(store: Store): number {
  return Math.max(store.step, store.stop / 200);
}

/** The globe turned so that the stations are in front. */
function facing(sky: Sky): [number, number] {
  const radians = Math.PI / 180;
  let [x, y, z] = [0, 0, 0];
  for (const { latitude, longitude } of sky.stations) {
    x += Math.cos(latitude * radians) * Math.cos(longitude * radians);
    y += Math.cos(latitude * radians) * Math.sin(longitude * radians);
    z += Math.sin(latitude * radians);
  }
  if (Math.hypot(x, y, z) < 1e-6) return [0, -15];
  return within(-Math.atan2(y, x) / radians, -Math.atan2(z, Math.hypot(x, y)) / radians);
}

function within(lambda: number, phi: number): [number, number] {
  return [((((lambda + 180) % 360) + 360) % 360) - 180, Math.min(90, Math.max(-90, phi))];
}

function viewOf(turned: [number, number], size: number, radius: number) {
  const projection = geoOrthographic()
    .rotate(turned)
    .translate([size / 2, size / 2])
    .scale(radius);
  const path = geoPath(projection).digits(1);
  const rotation = geoRotation(turned);
  const radians = Math.PI / 180;
  return {
    land: path(LAND) ?? "",
    graticule: path(GRATICULE) ?? "",
    see({ latitude, longitude, altitude }: Position): Seen {
      if (!Number.isFinite(latitude)) return { x: 0, y: 0, isSeen: false };
      const [lambda, phi] = rotation([longitude, latitude]);
      // What is very high, as a geostationary satellite, is drawn nearer: else it would be far outside.
      const far = radius * (1 + Math.min(altitude, 3e6) / EARTH_M);
      const x = far * Math.cos(phi * radians) * Math.sin(lambda * radians);
      const y = far * Math.sin(phi * radians);
      const towards = Math.cos(phi * radians) * Math.cos(lambda * radians);
      return { x: size / 2 + x, y: size / 2 - y, isSeen: towards > 0 || Math.hypot(x, y) > radius };
    },
  };
}

function dot({ x, y }: Seen): string {
  return `M${(x - 2).toFixed(1)} ${y.toFixed(1)}a2 2 0 1 0 4 0a2 2 0 1 0 -4 0Z`;
}

/** A line through points; it breaks where one of them is behind the earth. */
function lineOf(points: (Seen | undefined)[]): string {
  let path = "";
  let isDown = false;
  for (const point of points) {
    if (point === undefined || !point.isSeen) isDown = false;
    else {
      path += `${isDown ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
      isDown = true;
    }
  }
  return path;
}

function drag(
  event: PointerEvent,
  [lambda, phi]: [number, number],
  radius: number,
  turn: (to: [number, number]) => void,
): void {
  const element = event.currentTarget as SVGSVGElement;
  const degrees = 90 / radius;
  const move = (moved: PointerEvent) =>
    turn(within(lambda + (moved.clientX - event.clientX) * degrees, phi - (moved.clientY - event.clientY) * degrees));
  const end = () => {
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", end);
    element.removeEventListener("pointercancel", end);
  };
  element.setPointerCapture(event.pointerId);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}
