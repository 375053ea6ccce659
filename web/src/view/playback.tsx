/** What viewers saw: of each receiver that plays its session a strip of qualities and stalls. */

import { useMemo } from "preact/hooks";
import { levelColour, lookOf } from "../model/colours.ts";
import { said } from "../model/format.ts";
import { bufferOf, percentile, sayState, SKIPPED, WAITS, type Viewer } from "../model/playback.ts";
import type { Store } from "../model/store.ts";
import { has, subjects, type Table } from "../model/table.ts";
import { Chart, type Line } from "./chart.tsx";
import { useStore } from "./hooks.ts";
import { Strips } from "./strips.tsx";

interface BuffersProps {
  store: Store;
  viewers: Viewer[];
  tables: Map<string, Table>;
  ofSeed: string;
  warmup: number;
}

/** From so many viewers on it is said how they are distributed. */
const MANY = 8;

export function Viewers({ store, viewers, ofSeed }: { store: Store; viewers: Viewer[]; ofSeed: string }) {
  const alone = useStore(store, (state) => state.alone);
  const shown = useMemo(() => {
    const own = viewers.filter(({ name, session }) => alone === name || alone === session);
    return own.length > 0 ? own : viewers;
  }, [viewers, alone]);
  const rows = useMemo(
    () => shown.map(({ name, stretches, stalled }) => ({ name, stretches, whole: stalled })),
    [shown],
  );
  const states = viewers.flatMap(({ stretches }) => stretches.map(({ state }) => state));
  const highest = states.reduce<number>((most, state) => (typeof state === "number" ? Math.max(most, state) : most), 1);
  const colour = (state: number | string) =>
    state === WAITS ? "--c1" : state === SKIPPED ? "--c3" : levelColour(Number(state), highest);
  const steps = Array.from({ length: highest }, (_, level) => level + 1);
  const few = steps.filter((level) => level === highest || (level - 1) % Math.ceil(highest / 7) === 0);
  const has = (wanted: string) => states.includes(wanted);
  return (
    <Strips
      store={store}
      title="Pictures of viewers"
      note={
        "Which quality each receiver shows: layers, or which of the rates of adaptive media. Taller: the picture stands " +
        `still. Who stands still longest comes first.${spread(shown)}${ofSeed}`
      }
      rows={rows}
      colourOf={colour}
      part={(state) => (typeof state === "number" ? 0.62 : 1)}
      states={[
        ...few.map((level) => ({ colour: colour(level), label: `quality ${level}` })),
        ...(has(SKIPPED) ? [{ colour: colour(SKIPPED), label: "stands still, as a segment was skipped" }] : []),
        ...(has(WAITS) ? [{ colour: colour(WAITS), label: "stands still, waits for a segment" }] : []),
        { colour: "--shade", label: "no picture" },
      ]}
      sayState={sayState}
      bars={{ title: "stalled", say: (value) => said("time", value) }}
      more={<Choice store={store} viewers={viewers} />}
    />
  );
}

/** So many buffers can be told apart. */
const FEW = 7;

/** How much of the media each viewer has ahead. */
export function Buffers({ store, viewers, tables, ofSeed, warmup }: BuffersProps) {
  const alone = useStore(store, (state) => state.alone);
  const playback = tables.get("playback");
  const lines = useMemo(() => {
    const known = subjects(tables.get("receivers"), "receiver");
    const own = viewers.filter(({ name, session }) => alone === name || alone === session);
    const those = (own.length > 0 ? own : viewers).slice(0, FEW);
    return those
      .map(({ name, session }): Line => {
        return {
          name,
          label: name,
          width: 1.4,
          ...lookOf(known.indexOf(name)),
          of: session,
          series: bufferOf(playback, name),
        };
      })
      .filter(({ series }) => series.t.length > 0);
  }, [viewers, tables, alone]);
  if (!has(playback, "buffer_s")) return null;
  const few =
    viewers.length > FEW
      ? ` Of ${viewers.length} viewers those ${FEW} that stand still longest, or who is chosen.`
      : "";
  return (
    <Chart
      store={store}
      title="What is buffered"
      note={`Media that were there in a row when each segment was shown, itself included; 0 of one that was skipped.${few}${ofSeed}`}
      quantity="time"
      lines={lines}
      isGauge
      warmup={warmup}
    />
  );
}

/** How stalls are distributed over many viewers. */
function spread(viewers: Viewer[]): string {
  const dark = viewers.filter(({ appeared }) => appeared === undefined).length;
  const without = dark === 0 ? "" : ` ${dark} of ${viewers.length} have seen nothing.`;
  const seen = viewers.filter(({ appeared }) => appeared !== undefined);
  if (seen.length < MANY) return without;
  const stalled = seen.map((one) => one.stalled);
  const still = stalled.filter((value) => value > 0).length;
  const [half, most] = [50, 95].map((percent) => said("time", percentile(stalled, percent), { by: 1, name: "s" }));
  const longest = said("time", Math.max(...stalled), { by: 1, name: "s" });
  return (
    ` ${still} of ${seen.length} stood still at some time: half of all for at most ${half}, 95 % for at most ${most}, ` +
    `one for ${longest}.${without}`
  );
}

/** One viewer, in the order of their stalls. */
function Choice({ store, viewers }: { store: Store; viewers: Viewer[] }) {
  const alone = useStore(store, (state) => state.alone);
  const value = viewers.some(({ name }) => name === alone) ? alone! : "";
  return (
    <label class="choice">
      Viewer{" "}
      <select value={value} onChange={(event) => store.set({ alone: event.currentTarget.value || null })}>
        <option value="">all {viewers.length}</option>
        {viewers.map(({ name, stalled, appeared }) => (
          <option key={name} value={name}>
            {`${name}: ${appeared === undefined ? "no picture" : `stalled ${said("time", stalled, { by: 1, name: "s" })}`}`}
          </option>
        ))}
      </select>
    </label>
  );
}
