/** A picture of series as SVG, for papers and slides: what the canvas on the page shows, in vectors. */

import { xml } from "./export.ts";
import { digits } from "./format.ts";

export interface DrawnLine {
  label: string;
  colour: string;
  dash: number[];
  width: number;
  t: ArrayLike<number>;
  v: ArrayLike<number>;
  band?: { low: ArrayLike<number>; high: ArrayLike<number> };
}

export interface DrawnSeries {
  title: string;
  unit: string;
  from: number;
  to: number;
  /** Values from here on are at the bottom and the top. */
  low: number;
  high: number;
  lines: DrawnLine[];
  /** Levels that are drawn across. */
  levels: { value: number; label: string; colour: string }[];
  warmup: number;
  /** Whether a value holds for the time since the one before. */
  isStepped?: boolean;
}

const SIZE = { width: 720, height: 300, left: 64, right: 12, top: 28, bottom: 40 };

/** The whole SVG file. */
export function seriesSvg(of: DrawnSeries): string {
  const { width, left, right, top } = SIZE;
  const legendRows = Math.ceil(of.lines.length / 3);
  const height = SIZE.height + legendRows * 16;
  const bottom = SIZE.bottom + legendRows * 16;
  const x = (t: number) => left + ((t - of.from) / (of.to - of.from)) * (width - left - right);
  const y = (v: number) => height - bottom - ((v - of.low) / (of.high - of.low || 1)) * (height - bottom - top);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${xml(of.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<clipPath id="inside"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - bottom - top}"/></clipPath>`,
    `<text x="${left}" y="16" font-weight="bold">${xml(of.title)}</text>`,
  ];
  if (of.warmup > of.from) {
    const end = x(Math.min(of.warmup, of.to));
    parts.push(`<rect x="${left}" y="${top}" width="${end - left}" height="${height - bottom - top}" fill="#f0f0f0"/>`);
  }
  for (const value of ticks(of.low, of.high, 5)) {
    parts.push(`<path d="M${left} ${fixed(y(value))}H${width - right}" stroke="#ddd" stroke-width="0.6"/>`);
    parts.push(`<text x="${left - 6}" y="${fixed(y(value) + 4)}" text-anchor="end">${digits(value)}</text>`);
  }
  for (const time of ticks(of.from, of.to, 8)) {
    parts.push(`<text x="${fixed(x(time))}" y="${height - bottom + 15}" text-anchor="middle">${digits(time)}</text>`);
  }
  parts.push(`<text x="${(left + width) / 2}" y="${height - bottom + 31}" text-anchor="middle">time (s)</text>`);
  const middle = (top + height - bottom) / 2;
  parts.push(`<text transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle">${xml(of.unit)}</text>`);
  parts.push(`<g clip-path="url(#inside)" fill="none">`);
  for (const { value, colour } of of.levels) {
    parts.push(`<path d="M${left} ${fixed(y(value))}H${width - right}" stroke="${colour}" stroke-dasharray="2 3"/>`);
  }
  for (const line of of.lines) {
    if (line.band !== undefined) {
      const up = pathOf(line.t, line.band.high, x, y);
      const down = pathOf([...Array.from(line.t)].reverse(), [...Array.from(line.band.low)].reverse(), x, y);
      parts.push(`<path d="${up}${down.replaceAll("M", "L")}Z" fill="${line.colour}" fill-opacity="0.18"/>`);
    }
    const dash = line.dash.length > 0 ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
    const path = pathOf(line.t, line.v, x, y, of.isStepped);
    parts.push(`<path d="${path}" stroke="${line.colour}" stroke-width="${line.width}"${dash}/>`);
  }
  parts.push("</g>");
  of.lines.forEach((line, place) => {
    const lx = left + (place % 3) * ((width - left - right) / 3);
    const ly = height - legendRows * 16 + Math.floor(place / 3) * 16;
    const dash = line.dash.length > 0 ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
    parts.push(`<path d="M${lx} ${ly}h24" stroke="${line.colour}" stroke-width="2"${dash}/>`);
    parts.push(`<text x="${lx + 30}" y="${ly + 4}">${xml(line.label)}</text>`);
  });
  return [...parts, "</svg>", ""].join("\n");
}

function fixed(value: number): string {
  return value.toFixed(2);
}

/** A line through points; it breaks where a value is not defined. */
export function pathOf(
  t: ArrayLike<number>,
  v: ArrayLike<number>,
  x: (t: number) => number,
  y: (v: number) => number,
  isStepped = false,
): string {
  let path = "";
  let isDown = false;
  for (let place = 0; place < t.length; place++) {
    const value = v[place]!;
    if (!Number.isFinite(value)) {
      isDown = false;
      continue;
    }
    if (isDown && isStepped) path += `V${fixed(y(value))}H${fixed(x(t[place]!))}`;
    else path += `${isDown ? "L" : "M"}${fixed(x(t[place]!))} ${fixed(y(value))}`;
    isDown = true;
  }
  return path;
}

/** Round numbers within a range, some `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= rough)!;
  const found: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9) || 0; at * step <= high + step * 1e-9; at++) found.push(at * step);
  return found;
}
