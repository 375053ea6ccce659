/** The state of the laboratory in components. */

import { useEffect, useState } from "preact/hooks";
import type { State, Store } from "./store.ts";

/** The state, and again whenever it changes. */
export function useStore(store: Store): State {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    setState(store.state);
    return store.watch(() => setState(store.state));
  }, [store]);
  return state;
}
