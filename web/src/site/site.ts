/** What the pages of the site do: cards are filtered, networks run where one reads of them. No page needs it. */

import type { Told } from "../lab/embedded.tsx";

const LABORATORY = "lab/index.html";
/** Browsers refuse workers to pages from the disk. */
const isServed = location.protocol !== "file:";

for (const form of document.querySelectorAll<HTMLFormElement>("form.choices")) filter(form);
for (const place of document.querySelectorAll<HTMLElement>(".live-visit")) visit(place);
for (const place of document.querySelectorAll<HTMLElement>(".live-networks")) networks(place);

/** Shows the cards that have what is chosen. */
function filter(form: HTMLFormElement): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".card")];
  const choices = [...form.querySelectorAll("select")];
  const output = form.querySelector("output");
  const show = () => {
    for (const card of cards) {
      card.hidden = !choices.every((one) => one.value === "" || card.dataset[one.dataset["of"] ?? ""] === one.value);
    }
    const count = cards.filter((card) => !card.hidden).length;
    if (output !== null) output.textContent = `${count} of ${cards.length}`;
  };
  form.hidden = false;
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser that goes back keeps what was chosen
}

/** A live picture in the place of one that stands still. */
function visit(place: HTMLElement): void {
  if (!isServed) return;
  const made = frame(`visit-${place.dataset["visit"]}`, place.dataset["title"] ?? "A live picture");
  made.classList.add("whole");
  place.replaceChildren(made);
}

/** A list of networks becomes a choice of one that runs in the page. */
function networks(place: HTMLElement): void {
  if (!isServed) return;
  const links = [...place.querySelectorAll("a")];
  if (links.length === 0) return;
  const bar = document.createElement("form");
  bar.className = "live-bar";
  const choice = document.createElement("select");
  links.forEach((link, index) => choice.add(new Option(link.textContent ?? "", String(index))));
  const label = document.createElement("label");
  label.append("Network ", choice);
  const run = document.createElement("button");
  run.className = "md-button md-button--primary";
  run.textContent = "Run it here";
  const out = document.createElement("a");
  out.className = "md-button";
  out.textContent = "Open in the laboratory";
  bar.append(label, run, out);
  place.prepend(bar);
  const chosen = () => links[Number(choice.value)] ?? links[0]!;
  const turn = () => (out.href = chosen().href);
  choice.addEventListener("change", turn);
  turn();
  let shown: HTMLIFrameElement | null = null;
  bar.addEventListener("submit", (event) => {
    event.preventDefault();
    const fragment = new URL(chosen().href).hash.slice(1);
    const made = frame(fragment, `Simulated here: ${chosen().textContent}`);
    if (shown === null) bar.after(made);
    else shown.replaceWith(made);
    shown = made;
  });
}

/** The laboratory in a frame: what its address names, without what one writes with. */
function frame(fragment: string, title: string): HTMLIFrameElement {
  const made = document.createElement("iframe");
  made.className = "live";
  made.title = title;
  made.loading = "lazy";
  made.src = `${LABORATORY}?embed#${fragment}`;
  const paint = () => (made.style.colorScheme = document.body.dataset["mdColorScheme"] === "slate" ? "dark" : "light");
  paint();
  new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  addEventListener("message", (event: MessageEvent<Partial<Told> | null>) => {
    if (event.source !== made.contentWindow || event.data?.faircast !== "height") return;
    if (made.classList.contains("whole")) made.style.height = `${Number(event.data.px)}px`;
  });
  return made;
}
