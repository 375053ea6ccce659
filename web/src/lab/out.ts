/** What leaves the page: files to be saved, and the command that makes the same results outside. */

import type { Table } from "./protocol.ts";

/** A table as CSV. Numbers are as short as they can be without another value; what does not apply is empty. */
export function csv(table: Table): string {
  const names = [...table.columns.keys()];
  const lines = [names.map(cell).join(",")];
  const columns = [...table.columns.values()];
  for (let row = 0; row < table.rows; row++) {
    lines.push(
      columns
        .map((column) => {
          if (column.kind === "words") return cell(column.words[column.codes[row] as number] ?? "");
          const value = column.values[row] as number;
          return Number.isNaN(value) ? "" : String(value);
        })
        .join(","),
    );
  }
  return `${lines.join("\n")}\n`;
}

function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Hands a file to the one who looks at the page. */
export function save(name: string, content: string, kind: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: kind }));
  link.download = name;
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The name of a scenario as that of a file, which no shell takes for an option and no folder hides. */
export function fileName(scenario: Record<string, unknown> | undefined): string {
  const name = String(scenario?.["name"] ?? "scenario")
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[.-]+/, "");
  return name || "scenario";
}

/** The shell command that makes the same tables outside, from the scenario saved under that name. */
export function command(file: string, seeds: number[]): string {
  const first = seeds[0] ?? 1;
  const isRow = seeds.every((seed, index) => seed === first + index);
  if (seeds.length === 1) return `faircast run ${file} --seed ${first}`;
  if (isRow) return `faircast run ${file} --seed ${first} --reps ${seeds.length}`;
  return seeds.map((seed) => `faircast run ${file} --seed ${seed} --out results/seed-${seed}`).join("\n");
}

/** Bytes in the unit that fits them. */
export function shownBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e3).toFixed(0)} KB`;
}
