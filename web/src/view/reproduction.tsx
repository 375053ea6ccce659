/** A reproduction: of each experiment what was published beside what was measured, the verdict and its reason. */

import type { Experiment } from "../model/document.ts";
import { Part } from "./part.tsx";
import { NumberTable } from "./picture.tsx";

const COLUMNS = ["criterion", "published", "measured", "verdict", "agrees when"];

export function ReproductionView({ experiments }: { experiments: Experiment[] }) {
  const overview = experiments.map(({ id, place, title, verdict }) => [
    id,
    `${place ? `${place}: ` : ""}${title}`,
    verdict,
  ]);
  return (
    <>
      {experiments.length > 1 && (
        <Part id="overview" title="At a glance">
          <NumberTable label="At a glance" columns={["experiment", "what", "verdict"]} rows={overview} words />
        </Part>
      )}
      {experiments.map((one) => (
        <One key={one.id} experiment={one} />
      ))}
    </>
  );
}

function One({ experiment: one }: { experiment: Experiment }) {
  const rows = one.criteria.map(({ name, published, measured, verdict, rule }) => [
    name,
    published,
    measured,
    verdict,
    rule,
  ]);
  const notes = one.criteria.filter(({ note }) => note !== "");
  return (
    <Part id={`of-${one.id}`} title={`${one.id}: ${one.title}`}>
      <p class="quiet">
        {one.paper}
        {one.place && `, ${one.place}`}
      </p>
      <p>
        Verdict: <span class="verdict">{one.verdict}</span>. {one.why}
      </p>
      {one.published && <p>Published: {one.published}</p>}
      {one.says && <p>Measured: {one.says}</p>}
      <div class="pictures">
        {one.figure && (
          <figure class="picture">
            <img
              src={one.figure}
              alt={`Figure of ${one.id}: ${one.says || one.title}`}
              style={{ maxWidth: "100%", background: "#ffffff" }}
            />
          </figure>
        )}
        <div>
          <NumberTable label={`Criteria of ${one.id}`} columns={COLUMNS} rows={rows} words />
          {notes.length > 0 && (
            <ul class="plain quiet">
              {notes.map(({ name, note }) => (
                <li key={name}>
                  {name}: {note}
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
      {one.numbers && (
        <>
          <NumberTable
            label={`Numbers of ${one.id}`}
            caption={one.numbers.title}
            columns={one.numbers.columns}
            rows={one.numbers.rows}
          />
          {one.note && <p class="quiet">{one.note}</p>}
        </>
      )}
      <p class="quiet">Seeds {one.seeds}. This repeats it:</p>
      <pre tabIndex={0}>
        <code>{one.command}</code>
      </pre>
    </Part>
  );
}
