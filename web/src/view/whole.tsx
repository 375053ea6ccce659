/** All that is said and drawn of a document, from its title to how it is repeated. */

import type { Document } from "../model/document.ts";
import type { Store } from "../model/store.ts";
import { End, Results, Top } from "./head.tsx";
import { ReproductionView } from "./reproduction.tsx";
import { RunView } from "./run.tsx";
import { SweepView } from "./sweep.tsx";

/** `store` is that of the run, if it is one. */
export function Whole({ found, store }: { found: Document; store: Store | null }) {
  return (
    <>
      <Top head={found.head} />
      {store !== null && <RunView document={found} store={store} />}
      {found.sweep && <SweepView sweep={found.sweep} />}
      {found.reproduction && <ReproductionView experiments={found.reproduction} />}
      <Results head={found.head} />
      <End document={found} />
    </>
  );
}
