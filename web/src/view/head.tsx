/** Top and end of every page: what was run, what came out, warnings; and all that repeats it. */

import type { Document, Head as Told } from "../model/document.ts";
import { Heading, Part } from "./part.tsx";
import { NumberTable } from "./picture.tsx";

export function Top({ head }: { head: Told }) {
  return (
    <header>
      <Heading level={1}>{head.title}</Heading>
      {head.description && <p>{head.description}</p>}
      <div class="lead">
        <Part id="ran" title="What was run">
          {head.ran.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Part>
        <Part id="came" title="What came out">
          <ul class="plain">
            {head.came.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Part>
      </div>
      {head.warnings.length > 0 && (
        <Part id="warnings" title="Warnings" class="warnings">
          <ul class="plain">
            {head.warnings.map(({ kind, subject, message, seeds }) => (
              <li key={`${kind} ${subject}`}>
                {message}
                {seeds.length > 1 && <span class="quiet"> (in {seeds.length} seeds)</span>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {head.notes.map((note) => (
        <p class="quiet" key={note}>
          {note}
        </p>
      ))}
    </header>
  );
}

export function Results({ head }: { head: Told }) {
  if (head.results.length === 0) return null;
  return (
    <Part id="results" title="Numbers">
      {head.results.map(({ title, columns, rows }) => (
        <NumberTable key={title} label={title} caption={title} columns={columns} rows={rows} />
      ))}
    </Part>
  );
}

export function End({ document: { head } }: { document: Document }) {
  return (
    <Part id="again" title={head.seeds ? "To repeat it" : "To go on"}>
      {head.commands.map(({ does, command }) => (
        <div key={command}>
          <p>This {does}:</p>
          <pre tabIndex={0}>
            <code>{command}</code>
          </pre>
        </div>
      ))}
      <dl class="facts">
        {head.seeds && (
          <>
            <dt>Seeds</dt>
            <dd>{head.seeds}</dd>
          </>
        )}
        <dt>Version of faircast</dt>
        <dd>{head.version}</dd>
        {head.hash && (
          <>
            <dt>Hash of the scenario</dt>
            <dd>
              <code>{head.hash}</code>
            </dd>
          </>
        )}
      </dl>
      {head.scenario && (
        <details>
          <summary>{head.seeds ? "The scenario, with all its defaults" : "What is known of it"}</summary>
          <pre class="long" tabIndex={0}>
            <code>{head.scenario}</code>
          </pre>
        </details>
      )}
    </Part>
  );
}
