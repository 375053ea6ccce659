/**
 * Reading a document: JSON for what is small, and columns as gzip of little-endian bytes.
 *
 * A page has these bytes as base64 in it, since browsers let no page from the disk fetch a file beside it; a notebook
 * brings them as they are.
 */

import type { Document, Run, RunParts, Sweep, SweepMetric } from "./document.ts";
import type { Station } from "./sky.ts";
import type { Column, Table } from "./table.ts";

/** The version of the form that this viewer reads. */
export const FORM = 1;

/** Where a column lies in the bytes of its chunk. */
interface PlannedColumn {
  name: string;
  at: number;
  /** The words, if it is one of words. */
  words?: string[];
}

interface PlannedTable {
  rows: number;
  columns: PlannedColumn[];
}

type PlannedTables = Record<string, PlannedTable>;

interface PlannedRun extends Omit<RunParts, "runs" | "bands" | "drawing"> {
  runs: { seed: number; chunk: string; tables: PlannedTables }[];
  bands?: { chunk: string; tables: PlannedTables };
  drawing?: {
    map: NonNullable<RunParts["drawing"]>["map"];
    sky?: { chunk: string; satellites: string[]; stations: Station[]; times: number };
  };
}

interface PlannedSweep extends Omit<Sweep, "metrics" | "scenarios"> {
  chunk: string;
  scenarios?: string;
  metrics: { subject: string; metric: string; unit: string; at: number }[];
}

export interface Planned extends Omit<Document, "run" | "sweep"> {
  form: number;
  run?: PlannedRun;
  sweep?: PlannedSweep;
}

/** The packed bytes of a chunk by its name. */
export type Chunks = (name: string) => Uint8Array<ArrayBuffer>;

/** The document that a page holds. Throws an error with one sentence for the reader if it cannot be read. */
export async function documentOf(page: ParentNode): Promise<Document> {
  const text = page.querySelector("#document")?.textContent;
  if (!text) throw new Error("This page holds no result.");
  return unpacked(JSON.parse(text) as Planned, (name) => packed(page.querySelector(`#${name}`)?.textContent ?? ""));
}

/** A document with all its columns. */
export async function unpacked(planned: Planned, chunks: Chunks): Promise<Document> {
  if (planned.form !== FORM) throw new Error(`This page has form ${planned.form}; its viewer reads form ${FORM}.`);
  const { run, sweep, ...rest } = planned;
  const found: Document = rest;
  if (run !== undefined) found.run = await runOf(run, chunks);
  if (sweep !== undefined) found.sweep = await sweepOf(sweep, chunks);
  return found;
}

async function runOf({ runs, bands, drawing, ...rest }: PlannedRun, chunks: Chunks): Promise<RunParts> {
  const found: RunParts = {
    ...rest,
    runs: await Promise.all(
      runs.map(async ({ seed, chunk, tables }): Promise<Run> => ({
        seed,
        tables: tablesOf(tables, await bytesOf(chunks(chunk))),
      })),
    ),
  };
  if (bands !== undefined) found.bands = tablesOf(bands.tables, await bytesOf(chunks(bands.chunk)));
  if (drawing !== undefined) {
    found.drawing = { map: drawing.map };
    if (drawing.sky !== undefined) {
      const { chunk, satellites, stations, times } = drawing.sky;
      const bytes = await bytesOf(chunks(chunk));
      const length = times * satellites.length;
      const part = (place: number) => new Float32Array(bytes, times * 8 + place * length * 4, length);
      found.drawing.sky = {
        satellites,
        stations,
        times: new Float64Array(bytes, 0, times),
        latitude: part(0),
        longitude: part(1),
        altitude: part(2),
      };
    }
  }
  return found;
}

async function sweepOf({ chunk, metrics, scenarios, ...rest }: PlannedSweep, chunks: Chunks): Promise<Sweep> {
  const bytes = await bytesOf(chunks(chunk));
  const length = rest.points.length;
  const unpacked = metrics.map(({ at, ...named }): SweepMetric => {
    const part = (place: number) => new Float64Array(bytes, at + place * length * 8, length);
    return { ...named, mean: part(0), low: part(1), high: part(2), n: part(3), optimum: part(4) };
  });
  const texts = scenarios === undefined ? "[]" : new TextDecoder().decode(await bytesOf(chunks(scenarios)));
  return { ...rest, metrics: unpacked, scenarios: JSON.parse(texts) as string[] };
}

/** Tables of which the columns lie one behind the other in some bytes. */
export function tablesOf(planned: PlannedTables, bytes: ArrayBuffer): Map<string, Table> {
  const column = (rows: number, { at, words }: PlannedColumn): Column =>
    words === undefined
      ? { kind: "numbers", values: new Float64Array(bytes, at, rows) }
      : { kind: "words", codes: new Uint32Array(bytes, at, rows), words };
  return new Map(
    Object.entries(planned).map(([name, { rows, columns }]): [string, Table] => [
      name,
      { rows, columns: new Map(columns.map((one): [string, Column] => [one.name, column(rows, one)])) },
    ]),
  );
}

/** The bytes that base64 stands for. */
export function packed(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}

/** The bytes that gzip stands for. */
export async function bytesOf(packed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
