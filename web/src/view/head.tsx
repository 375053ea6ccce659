/** Top and end of every page: what was run, what came out, warnings; and all that repeats it. */

import type { Document, Head as Told } from "../model/document.ts";
import { NumberTable } from "./picture.tsx";

export function Top({ head }: { head: Told }) {
  return (
    <header>
      <h1>{head.title}</h1>
      {head.description && <p>{head.description}</p>}
      <div class="lead">
        <section aria-labelledby="ran">
          <h2 id="ran">What was run</h2>
          {head.ran.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
        <section aria-labelledby="came">
          <h2 id="came">What came out</h2>
          <ul class="plain">
            {head.came.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      </div>
      {head.warnings.length > 0 && (
        <section class="warnings" aria-labelledby="warnings">
          <h2 id="warnings">Warnings</h2>
          <ul class="plain">
            {head.warnings.map(({ kind, subject, message, seeds }) => (
              <li key={`${kind} ${subject}`}>
                {message}
                {seeds.length > 1 && <span class="quiet"> (in {seeds.length} seeds)</span>}
              </li>
            ))}
          </ul>
        </section>
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
    <section aria-labelledby="results">
      <h2 id="results">Numbers</h2>
      {head.results.map(({ title, columns, rows }) => (
        <NumberTable key={title} label={title} caption={title} columns={columns} rows={rows} />
      ))}
    </section>
  );
}

export function End({ document: { head } }: { document: Document }) {
  return (
    <section aria-labelledby="again">
      <h2 id="again">To repeat it</h2>
      {head.commands.map(({ does, command }) => (
        <div key={command}>
          <p>This {does}:</p>
          <pre tabIndex={0}>
            <code>{command}</code>
          </pre>
        </div>
      ))}
      <dl class="facts">
        <dt>Seeds</dt>
        <dd>{head.seeds}</dd>
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
          <summary>The scenario, with all its defaults</summary>
          <pre class="long" tabIndex={0}>
            <code>{head.scenario}</code>
          </pre>
        </details>
      )}
    </section>
  );
}
