/** What components share: the store, the width that they have, the colours of the page, downloads. */

import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../model/store.ts";

/** A part of the state, renewed when it changes. */
export function useStore<T>(store: Store, select: (state: Store["state"]) => T): T {
  const [value, setValue] = useState(() => select(store.state));
  const latest = useRef(select);
  latest.current = select;
  useLayoutEffect(() => {
    const renew = () => setValue(() => latest.current(store.state));
    renew();
    return store.subscribe(renew);
  }, [store]);
  return value;
}

/** The width of an element in pixels, as it changes. */
export function useWidth<E extends HTMLElement>(): [(element: E | null) => void, number] {
  const [width, setWidth] = useState(0);
  const [element, setElement] = useState<E | null>(null);
  useLayoutEffect(() => {
    if (element === null) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}

/** What the colours are where the viewer does not follow the system: in the page of somebody else. */
export const Theme = createContext("");

/** Changes whenever the colours do: between light and dark, and when the page is printed. */
export function useTheme(): string {
  const around = useContext(Theme);
  const read = () => `${matchMedia("(prefers-color-scheme: dark)").matches} ${matchMedia("print").matches}`;
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const queries = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));
    const renew = () => setTheme(read());
    for (const query of queries) query.addEventListener("change", renew);
    return () => {
      for (const query of queries) query.removeEventListener("change", renew);
    };
  }, []);
  return `${around} ${theme}`;
}

/** A colour of the style sheet as it is now where an element stands. */
export function colourOf(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim() || "#888888";
}

/** Hands a text to the reader as a file. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** An SVG of the page as a file of its own: with the colours that it has here, as it has no style sheet there. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const style = getComputedStyle(svg);
  const walk = (element: Element) => {
    for (const name of ["fill", "stroke"]) {
      const found = /^var\((--[\w-]+)\)$/.exec(element.getAttribute(name) ?? "");
      if (found !== null) element.setAttribute(name, style.getPropertyValue(found[1]!).trim());
    }
    if (element.tagName === "text" && !element.hasAttribute("fill")) {
      element.setAttribute("fill", style.getPropertyValue("--ink").trim());
    }
    for (const name of ["tabindex", "role", "aria-label", "class"]) element.removeAttribute(name);
    for (const child of element.children) walk(child);
  };
  walk(copy);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "sans-serif");
  copy.style.background = style.getPropertyValue("--paper").trim(); // not as text: the policy of the page forbids it
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}
