/** Adaptive coding and modulation: what each leg is granted over time, what symbols carry, and what came above it. */

import { useMemo } from "preact/hooks";
import { levelColour, lookOf } from "../model/colours.ts";
import { digits } from "../model/format.ts";
import { modcodOf } from "../model/modcods.ts";
import type { Store } from "../model/store.ts";
import { carriersOf, legsOf, sayBits, type Leg } from "../model/symbols.ts";
import { series, subjects, type Table } from "../model/table.ts";
import { Chart, type Line } from "./chart.tsx";
import { useStore } from "./hooks.ts";
import { linesOf } from "./lines.ts";
import { Strips } from "./strips.tsx";

interface Props {
  store: Store;
  tables: Map<string, Table>;
  warmup: number;
  ofSeed: string;
  bands: Map<string, Table> | undefined;
}

export function Symbols({ store, tables, bands, warmup, ofSeed }: Props) {
  const acm = tables.get("acm");
  const used = useMemo(() => usedLines(tables, bands), [tables, bands]);
  const { legs, bits, lost } = useMemo(() => {
    const carriers = carriersOf(acm);
    const own = legsOf(acm);
    return { legs: own, bits: bitLines(acm, carriers, own), lost: lostLines(acm, carriers) };
  }, [acm]);
  return (
    <>
      {legs.length > 0 && <Granted store={store} legs={legs} ofSeed={ofSeed} />}
      <Chart
        store={store}
        title="Bits in a symbol"
        note={`Strong: what the symbols of a link carried. Lines: what each leg is granted; broken: the most that it can receive.${ofSeed}`}
        quantity="number"
        lines={bits}
        warmup={warmup}
        isStepped
      />
      {lost.length > 0 && (
        <Chart
          store={store}
          title="Lost above what legs could receive"
          note={`Packets in each interval that were sent with less protection than the signal of the leg asked for.${ofSeed}`}
          quantity="packets"
          lines={lost}
          warmup={warmup}
          isStepped
        />
      )}
      {used.length > 0 && (
        <Chart
          store={store}
          title="Use of symbols"
          note="What part of its symbols a link sent; of a leg the part that was for it. What was for several counts for each."
          quantity="part"
          lines={used}
          warmup={warmup}
        />
      )}
    </>
  );
}

function Granted({ store, legs, ofSeed }: { store: Store; legs: ReturnType<typeof legsOf>; ofSeed: string }) {
  const alone = useStore(store, (state) => state.alone);
  const rows = useMemo(() => {
    const own = legs.filter(({ name }) => name === alone);
    return (own.length > 0 ? own : legs).map(({ name, stretches, undecoded }) => ({
      name,
      stretches,
      whole: undecoded,
    }));
  }, [legs, alone]);
  // Shades by rank among those that are there: robust is pale, efficient is strong; an outage is warm.
  const known = useMemo(() => {
    const all = legs.flatMap(({ stretches }) => stretches.map(({ state }) => Number(state)));
    return [...new Set(all)].filter((bits) => bits > 0).sort((one, other) => one - other);
  }, [legs]);
  const colour = (state: number | string) => {
    const place = known.indexOf(Number(state));
    return place < 0 ? "--c1" : levelColour(place + 1 + Math.max(0, 7 - known.length), Math.max(7, known.length));
  };
  const every = Math.ceil(known.length / 10);
  const hasOutage = legs.some(({ stretches }) => stretches.some(({ state }) => state === 0));
  return (
    <Strips
      store={store}
      title="Modulation and code of each leg"
      note={
        "What the loop grants each leg, at the end of each interval, in shades from the most robust to the most " +
        `efficient. Who lost most above what it could receive comes first.${ofSeed}`
      }
      rows={rows}
      colourOf={colour}
      states={[
        ...known
          .filter((_, place) => place % every === 0 || place === known.length - 1)
          .map((bits) => ({ colour: colour(bits), label: `${modcodOf(bits) ?? ""} (${digits(bits)})`.trim() })),
        ...(hasOutage ? [{ colour: "--c1", label: "outage" }] : []),
      ]}
      sayState={(state) => sayBits(Number(state))}
      bars={{ title: "packets lost", say: digits }}
    />
  );
}

/** Of links what was sent, strong; of each leg what is granted and, broken, what it can receive. */
function bitLines(acm: Table | undefined, carriers: string[], own: Leg[]): Line[] {
  const names = subjects(acm, "link");
  const line = (name: string, column: string, more: Partial<Line>): Line => ({
    name,
    label: name,
    width: 1.4,
    ...lookOf(names.indexOf(name)),
    dash: [],
    series: series(acm, "link", name, column),
    ...more,
  });
  // Those that lost most first, as above: of many legs the first are drawn.
  const legs = own.map(({ name }) => name);
  return [
    ...carriers.map((name) => line(name, "sent_bits_per_symbol", { label: `${name}, sent`, width: 2.6 })),
    ...legs.flatMap((name) => [
      line(name, "granted_bits_per_symbol", { label: `${name}, granted` }),
      line(name, "present_bits_per_symbol", {
        name: `${name}, receives`,
        label: `${name}, can receive`,
        dash: [4, 4],
        of: name,
      }),
    ]),
  ];
}

/** What part of its symbols each link and leg uses: strong of a link. */
function usedLines(tables: Map<string, Table>, bands: Map<string, Table> | undefined): Line[] {
  const acm = tables.get("acm");
  const names = subjects(acm, "link");
  const carriers = carriersOf(acm);
  const look = (name: string) => ({
    ...lookOf(names.indexOf(name), carriers.includes(name)),
    width: carriers.includes(name) ? 2.6 : 1.4,
  });
  const lines = linesOf({ tables, bands, table: "links", subject: "link", column: "utilisation", look });
  return lines.filter(({ name }) => names.includes(name));
}

function lostLines(acm: Table | undefined, carriers: string[]): Line[] {
  return subjects(acm, "link")
    .map((name, place): Line => {
      return { name, label: name, width: 1.4, ...lookOf(place), series: series(acm, "link", name, "undecoded_pkts") };
    })
    .filter(({ name, series: { v } }) => !carriers.includes(name) && v.some((value) => value > 0));
}
