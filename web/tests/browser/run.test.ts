import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Document } from "../../src/model/document.ts";
import { launch } from "./chromium.ts";
import { goTo, open } from "./pages.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

interface Columns {
  columns: Map<string, { values: Float64Array; codes: Uint32Array; words: string[] }>;
}

/** What the model of the page has of links in the interval that ends at a moment, seed 1. */
function usesAt(page: Page, time: number): Promise<Record<string, number>> {
  return page.evaluate((at) => {
    const { document } = (window as unknown as { faircast: { document: Document } }).faircast;
    const { columns } = document.run!.runs[0]!.tables.get("links")! as unknown as Columns;
    const { codes, words } = columns.get("link")!;
    const found: Record<string, number> = {};
    columns.get("t_s")!.values.forEach((t, row) => {
      if (t === at) found[words[codes[row]!]!] = columns.get("utilisation")!.values[row]!;
    });
    return found;
  }, time);
}

/** How many points of the canvas of a picture have about this colour. */
function pixels(page: Page, title: string, colour: [number, number, number]): Promise<number> {
  const figure = page.locator("figure", { has: page.getByRole("heading", { name: title, exact: true }) });
  return figure.locator("canvas").evaluate((element, [r, g, b]) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
      const far = Math.abs(data[at]! - r!) + Math.abs(data[at + 1]! - g!) + Math.abs(data[at + 2]! - b!);
      if (far < 30 && data[at + 3]! > 200) found++;
    }
    return found;
  }, colour);
}

test("the slider says its moment, and all pictures show it", async () => {
  const { page, complaints } = await open(browser, "layers");
  await goTo(page, 60);
  assert.equal(await page.locator("output").textContent(), "60 s");
  assert.equal(await page.locator("#moment").getAttribute("aria-valuetext"), "60 s");
  assert.equal(await page.locator("svg[data-time]").getAttribute("data-time"), "60");
  const needles = page.locator(".needle");
  assert.ok((await needles.count()) >= 6);
  for (const needle of await needles.all()) {
    const places = await needle.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const over = element.parentElement!.getBoundingClientRect();
      return (box.left + 1 - over.left) / over.width;
    });
    assert.ok(Math.abs(places - 0.5) < 0.01, `a needle is at ${places} of its picture, not in the middle`);
  }
  const uses = await usesAt(page, 60);
  for (const name of ["fast", "slow", "source-hub"]) {
    const drawn = Number(await page.locator(`[data-link="${name}"]`).getAttribute("data-use"));
    assert.equal(drawn, uses[name]);
  }
  assert.ok(uses["slow"]! >= 0.9 && uses["slow"]! < 0.99);
  assert.equal(await page.locator('[data-link="slow"] path[stroke="var(--use3)"]').count(), 1);
  assert.equal(await page.locator('[data-link="source-hub"] path[stroke="var(--use1)"]').count(), 1);
  assert.deepEqual(complaints, []);
});

test("a flow is drawn on the canvas, and not when another one is seen alone", async () => {
  const { page, complaints } = await open(browser, "layers");
  const title = "Rates of flows and sessions";
  const [film, slow] = [
    [0, 114, 178],
    [198, 106, 157],
  ] as [[number, number, number], [number, number, number]];
  assert.ok((await pixels(page, title, film)) > 200);
  assert.ok((await pixels(page, title, slow)) > 50);
  await page
    .getByRole("button", { name: /^slow-tcp-0/ })
    .first()
    .click();
  await page.waitForTimeout(100);
  assert.equal(await pixels(page, title, film), 0);
  assert.ok((await pixels(page, title, slow)) > 50);
  assert.equal(await page.getByLabel("Show").inputValue(), "slow-tcp-0");
  // The tree of the flow stays, and what is not of it steps back.
  const opacity = (link: string) => page.locator(`[data-link="${link}"]`).getAttribute("opacity");
  assert.equal(await opacity("slow"), "1");
  assert.equal(await opacity("fast"), "0.2");
  await page.getByLabel("Show").selectOption("");
  await page.waitForTimeout(100);
  assert.ok((await pixels(page, title, film)) > 200);
  assert.deepEqual(complaints, []);
});

test("one seed has no bands, and shows its own events", async () => {
  const { page } = await open(browser, "layers");
  assert.equal(await page.getByText("Lines: mean over 2 seeds").count(), 1);
  const before = await page.getByRole("img", { name: /^What happened/ }).getAttribute("aria-label");
  await page.getByLabel("Seed").selectOption({ label: "2" });
  await page.waitForTimeout(100);
  assert.equal(await page.getByText("Lines: mean over 2 seeds").count(), 0);
  assert.notEqual(await page.getByRole("img", { name: /^What happened/ }).getAttribute("aria-label"), before);
});

test("a brush shows a stretch of time in all pictures, and the whole run comes back", async () => {
  const { page, complaints } = await open(browser, "layers");
  const over = page.locator(".u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = (await over.boundingBox())!;
  await page.mouse.move(box.x + box.width / 4, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const from = Number(await page.getByLabel("From").inputValue());
  const to = Number(await page.getByLabel(/^to/).inputValue());
  assert.ok(Math.abs(from - 30) < 2 && Math.abs(to - 60) < 2, `it shows ${from} to ${to} s`);
  await page.getByRole("button", { name: "Whole run" }).click();
  assert.equal(await page.getByLabel("From").inputValue(), "0");
  await over.click({ position: { x: box.width / 3, y: 60 } });
  const time = Number(await page.locator("#moment").inputValue());
  assert.ok(Math.abs(time - 40) <= 1, `a click went to ${time} s`);
  assert.deepEqual(complaints, []);
});

test("hovering reads the values there, and the moment stays", async () => {
  const { page, complaints } = await open(browser, "layers");
  await goTo(page, 60);
  const film = page.getByRole("button", { name: /^film / }).first();
  const at60 = await film.textContent();
  const over = page.locator(".u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = (await over.boundingBox())!;
  await page.mouse.move(box.x + box.width / 12, box.y + 40); // at 10 s
  await page.waitForTimeout(100);
  const at10 = await film.textContent();
  assert.notEqual(at10, at60);
  assert.equal(await page.locator("output").textContent(), "60 s");
  await page.mouse.move(box.x + box.width / 2, box.y - 400);
  await page.waitForTimeout(100);
  assert.equal(await film.textContent(), at60);
  assert.deepEqual(complaints, []);
});

test("an outage is drawn where it is, and its mark says what it is", async () => {
  const { page, complaints } = await open(browser, "outage");
  await goTo(page, 182);
  const link = page.locator('[data-link="bottleneck"]');
  assert.match((await link.locator("title").textContent())!, /\ndown$/);
  assert.equal(await link.locator("path[stroke-dasharray]").count(), 1);
  await goTo(page, 186);
  assert.equal(await link.locator("path[stroke-dasharray]").count(), 0);
  await page.getByRole("button", { name: "◀ mark" }).click();
  await goTo(page, 180.5);
  assert.ok(await page.getByText("180.000 s: links.bottleneck: down").count());
  assert.deepEqual(complaints, []);
});

test("whoever points at a mark reads what it is", async () => {
  const { page, complaints } = await open(browser, "outage");
  const strip = page.getByRole("img", { name: /^What happened/ });
  await strip.scrollIntoViewIfNeeded();
  const box = (await strip.boundingBox())!;
  const label = strip.locator("text", { hasText: "network changes" });
  const row = (await label.boundingBox())!;
  // The picture begins beside its names and goes over 400 s; the link goes down at 180 s.
  const left = 130;
  const x = box.x + left + (180 / 400) * (box.width - left - 14);
  await page.mouse.move(x, row.y + row.height / 2);
  assert.equal(await page.getByText("180.000 s: links.bottleneck: down", { exact: true }).count(), 1);
  await page.mouse.click(x, row.y + row.height / 2);
  assert.equal(await page.locator("#moment").inputValue(), "180");
  assert.deepEqual(complaints, []);
});

test("it plays as fast as it is told, and stops at the end", async () => {
  const { page, complaints } = await open(browser, "layers");
  await page.getByLabel("Speed").selectOption("1000");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => document.querySelector("output")!.textContent === "120 s");
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("who wants less motion gets jumps", async () => {
  const { page } = await open(browser, "layers", { reducedMotion: "reduce" });
  await page.getByLabel("Speed").selectOption("10");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => document.querySelector("output")!.textContent !== "0 s");
  assert.equal(await page.locator("output").textContent(), "10 s");
});

test("pictures go out as SVG, numbers as CSV, the network as GraphML", async () => {
  const { page, complaints } = await open(browser, "layers");
  await goTo(page, 60);
  const save = async (name: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return readFileSync((await download.path())!, "utf8");
  };
  const svg = await save("SVG of The network");
  assert.match(svg, /^<svg /);
  assert.ok(!svg.includes("var("), "colours are those of the page, as there is no style sheet beside the file");
  assert.match(await save("SVG of Rates of receivers"), /film-1<\/text>/);
  assert.match(await save("SVG of Layers of each receiver"), /^<svg /);
  const csv = (await save("CSV of Rates of receivers")).split("\r\n");
  assert.equal(csv[0], "name,t_s,value,low,high");
  assert.ok(csv.length > 240);
  const graph = await save("GraphML of the network at this moment");
  const parsed = await page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, "application/xml");
    const edges = [...xml.querySelectorAll("edge")];
    const slow = edges.find((edge) => edge.querySelector('[key="name"]')!.textContent === "slow")!;
    return { edges: edges.length, use: Number(slow.querySelector('[key="utilisation"]')!.textContent) };
  }, graph);
  assert.deepEqual(parsed, { edges: 12, use: (await usesAt(page, 60))["slow"] });
  assert.deepEqual(complaints, []);
});
