/** Light or dark: as the page around is, whatever the system has. */

export type Shade = "light" | "dark";

/** What the page is where an element stands, by the colour of its text: a notebook writes light on dark. */
export function themeAround(element: Element): Shade {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(element).color);
  if (parts === null) return "light";
  const [red, green, blue] = parts.slice(1).map(Number);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 127 ? "dark" : "light";
}

/**
 * Calls `renew` whenever the page around may have changed its colours, until what is returned is called.
 *
 * Notebooks do so by attributes of the body and by style sheets in the head, each in its own order; and by the system.
 */
export function watchTheme(renew: () => void): () => void {
  const observer = new MutationObserver(renew);
  for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
  observer.observe(document.head, { childList: true });
  document.head.addEventListener("load", renew, true);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", renew);
  return () => {
    observer.disconnect();
    document.head.removeEventListener("load", renew, true);
    system.removeEventListener("change", renew);
  };
}
