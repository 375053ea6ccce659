/** Numbers for people: as many digits as tell something, in a unit that fits. */

export interface Unit {
  /** What values are divided by. */
  by: number;
  name: string;
}

/** What the values of a picture are. */
export type Quantity = "rate" | "time" | "packets" | "part" | "layers" | "number";

/** The unit for values up to `highest` (bit/s, seconds ..). */
export function unitOf(quantity: Quantity, highest: number): Unit {
  switch (quantity) {
    case "rate":
      if (highest >= 1e9) return { by: 1e9, name: "Gbit/s" };
      return highest >= 1e6 ? { by: 1e6, name: "Mbit/s" } : { by: 1e3, name: "kbit/s" };
    case "time":
      return highest >= 1 ? { by: 1, name: "s" } : { by: 1e-3, name: "ms" };
    case "packets":
      return { by: 1, name: "packets" };
    case "part":
      return { by: 0.01, name: "%" };
    case "layers":
      return { by: 1, name: "layers" };
    case "number":
      return { by: 1, name: "" };
  }
}

/** A number with four digits that count; a dash where there is none. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** A value with its unit. */
export function said(quantity: Quantity, value: number, unit = unitOf(quantity, Math.abs(value))): string {
  if (!Number.isFinite(value)) return "–";
  return unit.name === "" ? digits(value / unit.by) : `${digits(value / unit.by)} ${unit.name}`;
}

/** A moment, with as many digits as steps of `step` seconds need; one between two steps with milliseconds at least. */
export function moment(time: number, step = 0.001): string {
  const needed = (unit: number) => Math.min(6, Math.max(0, Math.ceil(-Math.log10(unit) - 1e-9)));
  const places = needed(step);
  const isBetween = Math.abs(Number(time.toFixed(places)) - time) > 1e-9;
  return `${time.toFixed(isBetween ? Math.max(places, 3) : places)} s`;
}
