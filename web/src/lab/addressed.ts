/** What the fragment of an address asks for. */

import examples from "faircast:examples";
import { fromFragment, type Shared } from "./share.ts";

export type Addressed =
  | { what: "nothing" }
  | { what: "visit"; number: number }
  | { what: "scenarios"; shared: Shared }
  | { what: "mistake"; says: string };

/** `visit-1` to `visit-5`, `example-NAME`, or scenarios in the form of `share.ts`. */
export async function addressed(fragment: string): Promise<Addressed> {
  if (fragment === "") return { what: "nothing" };
  const visit = /^visit-([1-5])$/.exec(fragment);
  if (visit !== null) return { what: "visit", number: Number(visit[1]) - 1 };
  const example = examples.find((one) => `example-${one.name}` === fragment);
  if (example !== undefined) {
    return { what: "scenarios", shared: { texts: [example.text], seeds: "1", knobs: [] } };
  }
  try {
    return { what: "scenarios", shared: await fromFragment(fragment) };
  } catch (error) {
    return { what: "mistake", says: (error as Error).message };
  }
}
