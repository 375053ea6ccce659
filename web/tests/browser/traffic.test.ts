/** Pages of what viewers saw, of web traffic, and of links that send symbols. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { Document } from "../../src/model/document.ts";
import { launch } from "./chromium.ts";
import { goTo, open } from "./pages.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

function figure(page: Page, title: string): Locator {
  return page.locator("figure", { has: page.getByRole("heading", { name: title, exact: true }) });
}

/** What the picture says to who does not see it. */
function told(page: Page, title: string): Promise<string | null> {
  return figure(page, title)
    .getByRole("img", { name: new RegExp(`^${title}`) })
    .getAttribute("aria-label");
}

async function saved(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name, exact: true }).click(),
  ]);
  return readFileSync((await download.path())!, "utf8");
}

/** The columns of a table of the page, seed by seed the first. */
function column(page: Page, table: string, name: string): Promise<number[]> {
  return page.evaluate(
    ([table, name]) => {
      const { document } = (window as unknown as { faircast: { document: Document } }).faircast;
      const found = document.run!.runs[0]!.tables.get(table!)!.columns.get(name!)!;
      return found.kind === "numbers" ? [...found.values] : [];
    },
    [table, name],
  );
}

test("the picture of each viewer is there, how good it is, and why it stands still", async () => {
  const { page, complaints } = await open(browser, "film");
  const title = "Pictures of viewers";
  await goTo(page, 62);
  assert.match((await told(page, title))!, /adaptive-2 stands still, skipped/);
  assert.match((await told(page, title))!, /layers-1 quality 4/);
  await goTo(page, 1);
  assert.match((await told(page, title))!, /adaptive-2 –/, "no picture has appeared yet");
  await goTo(page, 62);
  const said = page.getByText(
    /61\.448 s: the picture of adaptive-2 stopped for 2 s\. Segment 59 was due then, and 2 of/,
  );
  assert.equal(await said.count(), 1);
  assert.match((await said.textContent())!, /had not come\. .*The source had sent these by 60\.000 s$/);
  const csv = (await saved(page, `CSV of ${title}`)).split("\r\n");
  assert.equal(csv[0], "name,from_s,to_s,state");
  assert.ok(csv.some((line) => line.startsWith("adaptive-2,61.4478") && line.endsWith(",skipped")));
  assert.ok(!(await saved(page, `SVG of ${title}`)).includes("var("));
  assert.deepEqual(complaints, []);
});

test("beside the strips stands what is buffered, of those who stand still longest or of who is chosen", async () => {
  const { page, complaints } = await open(browser, "crowd");
  const buffers = figure(page, "What is buffered");
  assert.equal(await buffers.locator(".legend button").count(), 7);
  assert.match((await buffers.textContent())!, /Of 300 viewers those 7 that stand still longest, or who is chosen\./);
  await page.getByRole("combobox", { name: "Viewer" }).selectOption("film-250");
  await goTo(page, 40);
  const [only] = await buffers.locator(".legend button").allTextContents();
  assert.match(only!, /^film-250\d/);
  assert.equal(await buffers.locator(".legend button").count(), 1);
  assert.deepEqual(complaints, []);
});

test("a stall is as long in the picture as it was", async () => {
  const { page } = await open(browser, "film");
  const stalls = figure(page, "Pictures of viewers").locator('path[fill="var(--c3)"]');
  // The picture goes over 120 s, between its names and its bars.
  const svg = figure(page, "Pictures of viewers").getByRole("img");
  const wide = Number((await svg.getAttribute("viewBox"))!.split(" ")[2]);
  const drawn = (await stalls.evaluateAll((all) => all.map((one) => one.getAttribute("d")!)))
    .join("")
    .matchAll(/h([0-9.]+)v/g);
  const seconds = [...drawn].reduce((sum, [, width]) => sum + (Number(width) / (wide - 130 - 96)) * 120, 0);
  const stalled = (await column(page, "playback", "stall_s")).reduce((sum, one) => sum + one, 0);
  assert.ok(Math.abs(seconds - stalled) < 0.02 * stalled, `${seconds} s are drawn of ${stalled} s`);
});

test("a viewer is seen alone, by keyboard too, and all of them again", async () => {
  const { page, complaints } = await open(browser, "film");
  const rows = figure(page, "Pictures of viewers").locator("svg[role=img] > g > title");
  assert.equal(await rows.count(), 6);
  assert.equal(await rows.first().textContent(), "adaptive-0", "who stands still longest comes first");
  const choice = page.getByRole("combobox", { name: "Viewer" });
  await choice.focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await rows.count(), 1);
  assert.equal(await page.getByLabel("Show").inputValue(), "adaptive-0");
  await page.getByLabel("Show").selectOption("layers");
  assert.equal(await rows.count(), 3, "a session has its viewers");
  await page.getByLabel("Show").selectOption("");
  assert.equal(await rows.count(), 6);
  assert.deepEqual(complaints, []);
});

test("three hundred viewers are one picture, said in numbers, and each can be read", async () => {
  const { page, complaints } = await open(browser, "crowd");
  await goTo(page, 36);
  const picture = figure(page, "Pictures of viewers");
  const box = (await picture.getByRole("img").boundingBox())!;
  assert.ok(box.height < 800, `it is ${box.height} pixels high`);
  assert.match((await told(page, "Pictures of viewers"))!, /^Pictures of viewers: \d+ of 300 /);
  assert.match((await picture.textContent())!, /\d+ of 300 stood still at some time: half of all for at most/);
  await picture.getByRole("img").hover({ position: { x: box.width / 2, y: 2 } });
  assert.match((await picture.locator(".pointed").textContent())!, /^film-\d+: .* at \d+/);
  await page.getByRole("combobox", { name: "Viewer" }).selectOption("film-3");
  assert.equal(await picture.locator("svg[role=img] > g > title").count(), 1);
  assert.equal(await picture.locator("svg[role=img] text", { hasText: "film-3" }).count(), 1);
  assert.deepEqual(complaints, []);
});

test("each transfer is a point at its arrival, and unfinished ones stand on top", async () => {
  const { page, complaints } = await open(browser, "web");
  const title = "How long transfers took";
  const took = await column(page, "transfers", "completion_s");
  const open_ = took.filter(Number.isNaN).length;
  assert.ok(open_ > 0);
  const text = (await figure(page, title).textContent())!;
  assert.ok(text.includes(`A point for each of ${took.length} transfers`));
  assert.ok(text.includes(`On top stand ${open_} that the end of the run found unfinished. `));
  assert.ok(text.includes("Of seed 1."), "what is of one seed only says so");
  const onTop = await figure(page, title)
    .locator("path[class^=class]")
    .evaluateAll((all) => all.map((one) => [...one.getAttribute("d")!.matchAll(/M\d+ 9m/g)].length));
  const drawn = onTop.reduce((sum, one) => sum + one, 0);
  assert.ok(drawn > 0 && drawn <= open_);
  const csv = (await saved(page, `CSV of ${title}`)).trim().split("\r\n");
  assert.equal(csv.length, took.length + 1);
  assert.deepEqual(complaints, []);
});

test("percentiles beside the line are those of the summary", async () => {
  const { page } = await open(browser, "web");
  const title = "What part of the transfers took longer";
  const [t, took] = await Promise.all(["t_s", "completion_s"].map((name) => column(page, "transfers", name)));
  const late = took!.filter((_, row) => t![row]! > 10);
  const ranked = late.map((one) => (Number.isNaN(one) ? Infinity : one)).sort((one, other) => one - other);
  const at95 = ranked[Math.ceil(0.95 * ranked.length) - 1]!;
  const picture = figure(page, title);
  await picture.locator("summary").click();
  const cells = await picture.locator("tbody tr").first().locator("th, td").allTextContents();
  assert.equal(cells[0], "all classes");
  assert.equal(cells[1], String(late.length));
  assert.equal(cells[3], at95 < 1 ? `${Number((at95 * 1000).toPrecision(4))} ms` : `${Number(at95.toPrecision(4))} s`);
  assert.equal(cells[5], String(late.filter(Number.isNaN).length));
  // Each line above unfinished ones has an arrow, that which ends at the bottom of the picture among them.
  const open_ = await picture.locator("tbody tr td:last-child").allTextContents();
  const arrows = picture.locator('svg[role=img] path[d$="l7 4l-7 4z"]');
  assert.ok(open_.length > 2);
  assert.equal(await arrows.count(), open_.filter((one) => Number(one) > 0).length);
});

test("of links that send symbols each leg has its modulation and code, by name", async () => {
  const { page, complaints } = await open(browser, "rain");
  const title = "Modulation and code of each leg";
  await goTo(page, 100);
  assert.match((await told(page, title))!, /leg-3 64APSK 11\/15, 4\.339 bits in a symbol/);
  await goTo(page, 170);
  assert.match((await told(page, title))!, /leg-3 16APSK 1\/2-L, 1\.972 bits in a symbol/);
  assert.match((await told(page, title))!, /leg-0 64APSK 11\/15/);
  assert.equal(await figure(page, title).locator("svg[role=img] > g > title").first().textContent(), "leg-3");
  const lost = figure(page, "Lost above what legs could receive");
  assert.deepEqual(await lost.locator(".legend button").allTextContents(), ["leg-20 packets", "leg-30 packets"]);
  const names = (picture: string) => figure(page, picture).locator(".legend button").allTextContents();
  assert.ok((await names("Use of symbols")).some((name) => name.startsWith("downlink")));
  assert.ok(!(await names("Use of links")).some((name) => name.startsWith("downlink")), "it stands in one picture");
  const bits = (await names("Bits in a symbol")).slice(0, 2).join();
  assert.match(bits, /^downlink, sent.*leg-3, granted/, "of many legs those that lost most are drawn");
  assert.match(await saved(page, "SVG of Bits in a symbol"), /V[0-9.]+H[0-9.]+V/);
  assert.deepEqual(complaints, []);
});

test("pages of other runs have none of it", async () => {
  const { page } = await open(browser, "outage");
  for (const id of ["viewers", "transfers", "symbols"]) assert.equal(await page.locator(`#${id}`).count(), 0);
});
