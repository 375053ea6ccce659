import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findings } from "./axe.ts";
import { launch } from "./chromium.ts";
import { complaintsOf, fileOf } from "./pages.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

const MODULE = readFileSync(new URL("../../../python/faircast/web/notebook.js", import.meta.url), "utf8");

/** A page as notebooks are: titles, styles of its own for every element, ids that the viewer has, too. */
const PAGE = `<!doctype html><html lang="en"><head><title>notebook</title><style>
  body { margin: 0; font: 13px/1.2 serif; color: rgb(0, 0, 0); background: rgb(255, 255, 255); }
  body.dark { color: rgba(255, 255, 255, 0.87); background: rgb(17, 17, 17); }
  h2, button, table, .quiet, .frame { color: rgb(255, 0, 0) !important; letter-spacing: 9px; text-transform: uppercase; }
  main > div { letter-spacing: 9px; text-transform: uppercase; line-height: 3; }
  main > h2, main > .quiet { color: inherit !important; }
</style></head><body><main><h1>A notebook</h1><h2 id="network">A section</h2><p class="quiet" id="moment">Words</p>
<div id="one"></div><div id="two"></div></main>
<script>window.__name = (one) => one; // with which tsx marks functions that a test sends here</script></body></html>`;

/** What a page of a report holds, as a widget has it: the document, and its chunks still as base64. */
function held(name: string): { document: string; chunks: Record<string, string> } {
  const html = readFileSync(fileOf(name), "utf8");
  const found: Record<string, string> = {};
  for (const [, id, text] of html.matchAll(/<script type="application\/[\w-]+" id="([^"]+)">([^]*?)<\/script>/g)) {
    found[id!] = text!;
  }
  const { document, ...chunks } = found;
  return { document: document!, chunks };
}

interface Widget {
  render: (of: object) => () => void;
}

declare global {
  interface Window {
    widget: Widget;
    shown: Record<string, { dispose: () => void }>;
    held: string[];
  }
}

async function notebook(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 1400 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page, (url) => url === "about:blank");
  await page.setContent(PAGE);
  return { page, complaints };
}

/** Shows a result as anywidget does: the module from a blob, a model with `get`, an element of the page. */
async function show(page: Page, id: string, name: string, change = (text: string) => text): Promise<void> {
  const { document: text, chunks } = held(name);
  await page.evaluate(
    async ({ module, id, text, chunks }) => {
      const address = () => URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
      window.widget ??= ((await import(address())) as { default: Widget }).default;
      const views = Object.entries(chunks).map(([name, base64]) => {
        // Bytes come in the midst of others, as in a message.
        const bytes = Uint8Array.from(`???${atob(base64)}?`, (letter) => letter.charCodeAt(0));
        return [name, new DataView(bytes.buffer, 3, bytes.length - 4)];
      });
      const traits: Record<string, unknown> = { document: text, chunks: Object.fromEntries(views) };
      const model = { get: (trait: string) => traits[trait], on: () => {}, off: () => {} };
      window.shown ??= {};
      window.shown[id] = { dispose: window.widget.render({ model, el: document.getElementById(id)! }) };
    },
    { module: MODULE, id, text: change(text), chunks },
  );
}

const ready = (page: Page, id: string) => page.waitForSelector(`#${id} [data-ready]`, { state: "attached" });
const dispose = (page: Page, id: string) => page.evaluate((one) => window.shown[one]!.dispose(), id);

async function goTo(page: Page, id: string, time: number): Promise<void> {
  await page.locator(`#${id} input#moment`).evaluate((element, value) => {
    (element as HTMLInputElement).value = String(value);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, time);
}

const style = (page: Page, selector: string, property: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

/** How many points of the first canvas of an output have this colour. */
const pixels = (page: Page, id: string, colour: number[]) =>
  page
    .locator(`#${id} canvas`)
    .first()
    .evaluate((element, rgb) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (rgb.every((value, place) => Math.abs(data[at + place]! - value) < 10) && data[at + 3]! > 200) found++;
      }
      return found;
    }, colour);

test("two outputs in one page have a moment each", async () => {
  const { page, complaints } = await notebook();
  await show(page, "one", "layers");
  await show(page, "two", "layers");
  await Promise.all([ready(page, "one"), ready(page, "two")]);
  await goTo(page, "one", 60);
  await goTo(page, "two", 30);
  assert.equal(await page.locator("#one output").textContent(), "60 s");
  assert.equal(await page.locator("#two output").textContent(), "30 s");
  assert.equal(await page.locator("#one svg[data-time]").getAttribute("data-time"), "60");
  assert.equal(await page.locator("#two svg[data-time]").getAttribute("data-time"), "30");
  await page.locator("#two").getByLabel("Show").selectOption("film");
  assert.equal(await page.locator("#one").getByLabel("Show").inputValue(), "");
  // A click on a label goes to what it names in the same output.
  await page.locator("#two").getByText("From", { exact: true }).click();
  const focused = () => page.evaluate(() => document.activeElement?.parentElement?.id);
  assert.equal(await focused(), "two");
  await page.locator("#one input#moment").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#one output").textContent(), "61 s");
  assert.equal(await page.locator("#two output").textContent(), "30 s");
  assert.deepEqual(complaints, []);
});

test("an output and the page around it leave each other's looks alone", async () => {
  const { page, complaints } = await notebook();
  const around = async () => [
    await style(page, "main > h2", "margin-top"),
    await style(page, "main > p", "font-size"),
    await style(page, "body", "background-color"),
    await page.evaluate(() => document.head.childElementCount + document.adoptedStyleSheets.length),
  ];
  const before = await around();
  await show(page, "one", "layers");
  await ready(page, "one");
  assert.deepEqual(await around(), before);
  assert.equal(await style(page, "#one h2", "color"), "rgb(27, 31, 36)");
  assert.equal(await style(page, "#one h2", "letter-spacing"), "normal");
  assert.equal(await style(page, "#one button", "text-transform"), "none");
  assert.match(await style(page, "#one .frame", "font-family"), /^system-ui/);
  assert.equal(await page.locator("#one > [data-lm-suppress-shortcuts]").count(), 1);
  assert.deepEqual(complaints, []);
});

test("an output is light or dark as the page around, and changes with it", async () => {
  const { page, complaints } = await notebook({ colorScheme: "dark" });
  await show(page, "one", "layers");
  await ready(page, "one");
  const paper = () => style(page, "#one .frame", "background-color");
  const [light, dark] = [
    [0, 114, 178],
    [59, 156, 217],
  ];
  assert.equal(await paper(), "rgb(255, 255, 255)");
  assert.ok((await pixels(page, "one", light!)) > 100);
  await page.evaluate(() => document.body.classList.add("dark"));
  await page.waitForTimeout(100);
  assert.equal(await paper(), "rgb(20, 23, 27)");
  assert.equal(await style(page, "#one select", "color-scheme"), "dark");
  assert.ok((await pixels(page, "one", dark!)) > 100);
  assert.equal(await pixels(page, "one", light!), 0);
  await page.evaluate(() => document.body.classList.remove("dark"));
  await page.waitForTimeout(100);
  assert.equal(await paper(), "rgb(255, 255, 255)");
  assert.ok((await pixels(page, "one", light!)) > 100);
  assert.deepEqual(complaints, []);
});

for (const name of ["layers", "sky", "sweep", "reproduction"]) {
  for (const shade of ["light", "dark"] as const) {
    test(`axe finds nothing where the output ${name} stands beside another, ${shade}`, async () => {
      const { page, complaints } = await notebook();
      if (shade === "dark") await page.evaluate(() => document.body.classList.add("dark"));
      await show(page, "one", name);
      await show(page, "two", "layers");
      await Promise.all([ready(page, "one"), ready(page, "two")]);
      assert.deepEqual(await findings(page), []);
      assert.deepEqual(complaints, []);
    });
  }
}

test("an output is no wider than its cell, and as high as it may be", async () => {
  const { page } = await notebook();
  await show(page, "one", "layers");
  await ready(page, "one");
  for (const width of [390, 700, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(150);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `it is ${wide} pixels wide on ${width}`);
    const box = (await page.locator("#one").boundingBox())!;
    assert.ok(box.height <= 0.88 * 900 + 2, `it is ${box.height} pixels high`);
  }
  // What may be chosen stays in sight at the very top.
  await page.locator("#one .frame").evaluate((frame) => (frame.scrollTop = 900));
  const [frame, controls] = [
    (await page.locator("#one .frame").boundingBox())!,
    (await page.locator("#one .controls").boundingBox())!,
  ];
  assert.ok(Math.abs(controls.y - frame.y) < 3, `they are ${controls.y - frame.y} pixels below the top`);
});

test("nothing is left of an output that is taken away, not even while it plays", async () => {
  const { page, complaints } = await notebook();
  // What is there once: uPlot listens to the ratio of pixels as it is loaded.
  await show(page, "two", "layers");
  await ready(page, "two");
  await dispose(page, "two");
  // From now on all that lives on outside an output is noted: listeners of the page, observers.
  await page.evaluate(() => {
    window.held = [];
    const targets = new Map<unknown, Set<string>>();
    const add = EventTarget.prototype.addEventListener;
    const remove = EventTarget.prototype.removeEventListener;
    const lives = (target: EventTarget) =>
      target === window || target === document || target === document.head || target instanceof MediaQueryList;
    const numbers = new Map<unknown, number>();
    const key = (type: string, listener: unknown) => {
      if (!numbers.has(listener)) numbers.set(listener, numbers.size);
      return `${type} ${numbers.get(listener)}`;
    };
    const count = () => (window.held = [...targets.values()].flatMap((one) => [...one]));
    EventTarget.prototype.addEventListener = function (this: EventTarget, type: string, listener, options) {
      if (lives(this)) targets.set(this, (targets.get(this) ?? new Set()).add(key(type, listener)));
      count();
      return add.call(this, type, listener, options);
    };
    EventTarget.prototype.removeEventListener = function (this: EventTarget, type: string, listener, options) {
      targets.get(this)?.delete(key(type, listener));
      count();
      return remove.call(this, type, listener, options);
    };
    for (const kind of ["ResizeObserver", "MutationObserver"] as const) {
      const observe = window[kind].prototype.observe;
      const disconnect = window[kind].prototype.disconnect;
      window[kind].prototype.observe = function (this: object, ...of: unknown[]) {
        targets.set(this, new Set([kind]));
        count();
        return (observe as (...of: unknown[]) => void).apply(this, of);
      } as never;
      window[kind].prototype.disconnect = function (this: object) {
        targets.delete(this);
        count();
        return disconnect.call(this as never);
      };
    }
  });
  await show(page, "one", "layers");
  await ready(page, "one");
  await page
    .locator("#one")
    .getByRole("button", { name: "Play" })
    .evaluate((button) => (button as HTMLElement).click());
  await page.waitForTimeout(200);
  assert.notEqual(await page.locator("#one output").textContent(), "0 s");
  assert.ok((await page.evaluate(() => window.held.length)) > 10);
  await dispose(page, "one");
  await page.waitForTimeout(200);
  assert.deepEqual(await page.evaluate(() => window.held), []);
  assert.equal(await page.locator("#one").innerHTML(), "");
  const frames = await page.evaluate(async () => {
    let asked = 0;
    const ask = window.requestAnimationFrame;
    window.requestAnimationFrame = (then) => (asked++, ask(then));
    await new Promise((resolve) => setTimeout(resolve, 200));
    return asked;
  });
  assert.equal(frames, 0);
  // One that goes before it has read its data draws nothing later.
  await show(page, "two", "layers");
  await dispose(page, "two");
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#two").innerHTML(), "");
  assert.deepEqual(await page.evaluate(() => window.held), []);
  assert.deepEqual(complaints, []);
});

test("an output of another form says so", async () => {
  const { page, complaints } = await notebook();
  await show(page, "one", "layers", (text) => text.replace('"form":1', '"form":99'));
  await page.getByText("This result cannot be shown: ").waitFor();
  assert.match(await page.locator("#one .frame").innerText(), /form 99; its viewer reads form 1/);
  assert.deepEqual(complaints, []);
});
