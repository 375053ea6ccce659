/** Where the laboratory begins. */

import "../view/language.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { Core } from "./core.ts";
import { Embedded } from "./embedded.tsx";
import "./lab.css";
import { Store } from "./store.ts";

const place = document.getElementById("lab");
if (place !== null) {
  const store = new Store(new Core("worker.js"));
  const isEmbedded = new URLSearchParams(location.search).has("embed");
  render(isEmbedded ? <Embedded store={store} /> : <App store={store} />, place);
}
