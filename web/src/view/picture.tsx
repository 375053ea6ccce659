/** The frame of every picture: title, what it shows, its files, and a table beside it. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { csv } from "../model/export.ts";
import { digits } from "../model/format.ts";
import { download } from "./hooks.ts";
import { Heading, Region } from "./part.tsx";

export interface Numbers {
  columns: string[];
  rows: (string | number)[][];
}

interface Props {
  title: string;
  /** One sentence: what is shown, and how. */
  note?: string;
  isWide?: boolean;
  children: ComponentChildren;
  /** What the table beside the picture shows. */
  table?: { title: string; numbers: Numbers };
  /** Makes the SVG file. */
  svg?: () => string | null;
  /** Makes all numbers of the picture. */
  numbers?: () => Numbers;
  more?: ComponentChildren;
}

export function Picture({ title, note, isWide, children, table, svg, numbers, more }: Props) {
  const id = useId();
  const save = (type: "svg" | "csv") => {
    if (type === "svg") {
      const text = svg?.();
      if (text) download(`${title}.svg`, text, "image/svg+xml");
    } else if (numbers !== undefined) {
      const { columns, rows } = numbers();
      download(`${title}.csv`, csv(columns, rows), "text/csv");
    }
  };
  return (
    <figure class={isWide ? "picture wide" : "picture"} aria-labelledby={id}>
      <figcaption>
        <Heading level={3} id={id}>
          {title}
        </Heading>
        <span class="tools">
          {svg && (
            <button type="button" onClick={() => save("svg")}>
              SVG<span class="hidden"> of {title}</span>
            </button>
          )}
          {numbers && (
            <button type="button" onClick={() => save("csv")}>
              CSV<span class="hidden"> of {title}</span>
            </button>
          )}
          {more}
        </span>
      </figcaption>
      {note && <p class="quiet">{note}</p>}
      <div class="body">{children}</div>
      {table && (
        <details>
          <summary>
            {table.title}
            <span class="hidden">: {title}</span>
          </summary>
          <NumberTable {...table.numbers} label={`${title}: ${table.title}`} />
        </details>
      )}
    </figure>
  );
}

/** A table of texts and numbers; the first column names the rows. */
export function NumberTable({
  columns,
  rows,
  label,
  caption,
  words,
}: Numbers & { label: string; caption?: string; words?: boolean }) {
  return (
    <Region class="scroll" tabIndex={0} aria-label={label}>
      <table class={words ? "numbers words" : "numbers"}>
        {caption && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((value, column) => {
                const text = typeof value === "number" ? digits(value) : value;
                return column === 0 ? (
                  <th scope="row" key={column}>
                    {text}
                  </th>
                ) : (
                  <td key={column}>{text}</td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Region>
  );
}
