/** The time slider and what else is chosen for all pictures: play, seed, stretch of time, whom to see alone. */

import { useEffect } from "preact/hooks";
import { moment } from "../model/format.ts";
import type { Mark } from "../model/marks.ts";
import type { Store } from "../model/store.ts";
import { useStore } from "./hooks.ts";
import { Region } from "./part.tsx";

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

interface Props {
  store: Store;
  seeds: number[];
  hasBands: boolean;
  names: { label: string; names: string[] }[];
  marks: Mark[];
}

export function Controls({ store, seeds, hasBands, names, marks }: Props) {
  const { time, from, to, run, alone, isPlaying, speed } = useStore(store, (state) => state);
  usePlaying(store, isPlaying, speed);
  const jump = (direction: 1 | -1) => {
    const found = direction > 0 ? marks.find(({ t }) => t > time + 1e-9) : marks.findLast(({ t }) => t < time - 1e-9);
    if (found !== undefined) store.goTo(found.t);
  };
  const number = (event: Event) => Number((event.currentTarget as HTMLInputElement).value);
  return (
    <Region class="controls" aria-label="Moment and choice">
      <button
        type="button"
        aria-pressed={isPlaying}
        onClick={() => {
          if (!isPlaying && time >= store.stop) store.goTo(0);
          store.set({ isPlaying: !isPlaying });
        }}
      >
        {isPlaying ? "Pause" : "Play"}
      </button>
      <label>
        <span class="hidden">Speed</span>
        <select value={speed} onChange={(event) => store.set({ speed: Number(event.currentTarget.value) })}>
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              {one} ×
            </option>
          ))}
        </select>
      </label>
      <label class="slider">
        <span class="hidden">Moment</span>
        <input
          type="range"
          id="moment"
          min={0}
          max={store.stop}
          step={store.step}
          value={time}
          aria-valuetext={moment(time, store.step)}
          onInput={(event) => store.goTo(number(event))}
        />
      </label>
      <output for="moment">{moment(time, store.step)}</output>
      <button type="button" disabled={marks.length === 0} onClick={() => jump(-1)} title="to the mark before">
        ◀ mark
      </button>
      <button type="button" disabled={marks.length === 0} onClick={() => jump(1)} title="to the next mark">
        mark ▶
      </button>
      {(seeds.length > 1 || hasBands) && (
        <label>
          Seed
          <select
            value={run ?? "all"}
            onChange={(event) => {
              const { value } = event.currentTarget;
              store.set({ run: value === "all" ? null : Number(value) });
            }}
          >
            {hasBands && <option value="all">all, as bands</option>}
            {seeds.map((seed, place) => (
              <option key={seed} value={place}>
                {seed}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Show
        <select value={alone ?? ""} onChange={(event) => store.set({ alone: event.currentTarget.value || null })}>
          <option value="">everybody</option>
          {names.map(({ label, names: of }) => (
            <optgroup key={label} label={label}>
              {of.slice(0, 500).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <span class="zoom">
        <label>
          From
          <input
            type="number"
            min={0}
            max={store.stop}
            step="any"
            value={Number(from.toFixed(3))}
            onChange={(event) => store.zoom(number(event), to)}
          />
        </label>
        <label>
          to
          <input
            type="number"
            min={0}
            max={store.stop}
            step="any"
            value={Number(to.toFixed(3))}
            onChange={(event) => store.zoom(from, number(event))}
          />
          s
        </label>
      </span>
      <button type="button" disabled={from === 0 && to === store.stop} onClick={() => store.zoom(0, store.stop)}>
        Whole run
      </button>
    </Region>
  );
}

/** Moves the moment while it plays. Whoever wants less motion gets a jump a second. */
function usePlaying(store: Store, isPlaying: boolean, speed: number): void {
  useEffect(() => {
    if (!isPlaying) return;
    const forward = (seconds: number) => {
      const time = Math.min(store.stop, store.state.time + seconds * speed);
      store.set({ time, isPlaying: time < store.stop });
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      const timer = setInterval(() => forward(1), 1000);
      return () => clearInterval(timer);
    }
    let last = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      forward(Math.max(0, now - last) / 1000);
      last = now;
      frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [store, isPlaying, speed]);
}
