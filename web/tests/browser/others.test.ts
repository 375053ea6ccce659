import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch } from "./chromium.ts";
import { fileOf, goTo, open } from "./pages.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

test("a point of a sweep opens with its measurements and its command", async () => {
  const { page, complaints } = await open(browser, "sweep");
  const points = page.getByRole("button", { name: /^links.bottleneck.queue.limit = / });
  assert.equal(await points.count(), 4);
  const name = /queue.limit = 60 packets, links.bottleneck.delay = 250 ms: .* 2 seeds$/;
  await page.getByRole("button", { name }).press("Enter");
  assert.equal(await page.getByRole("heading", { name: /queue.limit = 60 packets.*delay = 250 ms$/ }).count(), 1);
  assert.equal(await page.getByText("--set 'links.bottleneck.queue.limit=60 packets'").count(), 1);
  const button = page.getByRole("button", { name: "save the scenario of this point" });
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  assert.match(readFileSync((await download.path())!, "utf8"), /limit = "60 packets"/);
  await page.getByRole("button", { name: "Heat map" }).click();
  assert.equal(await points.count(), 4);
  assert.deepEqual(complaints, []);
});

test("a reproduction has its verdict, criteria and figure", async () => {
  const { page, complaints } = await open(browser, "reproduction");
  assert.equal(await page.getByText(/^Verdict: /).count(), 1);
  assert.ok((await page.getByRole("table").first().getByRole("row").count()) > 1);
  const figure = page.getByRole("img", { name: /^Figure of mecn-fig6/ });
  assert.ok(await figure.evaluate((image) => (image as HTMLImageElement).naturalWidth > 100));
  assert.deepEqual(complaints, []);
});

test("a station turns to another satellite at its hand-off", async () => {
  const { page, complaints } = await open(browser, "sky");
  await goTo(page, 380);
  const said = async () => (await page.locator("[data-time]").first().getAttribute("aria-label"))!;
  assert.match(await said(), /boston sat-5-5/);
  await goTo(page, 395);
  assert.match(await said(), /boston sat-5-4/);
  assert.deepEqual(complaints, []);
});

test("the globe is turned by the arrow keys, and satellites move with the moment", async () => {
  const { page, complaints } = await open(browser, "sky");
  const globe = page.locator("svg[data-time]").first();
  const land = () => globe.locator('path[fill="var(--land)"]').getAttribute("d");
  const satellites = () => globe.locator("[data-satellites]").getAttribute("d");
  const [before, there] = [await land(), await satellites()];
  await globe.focus();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await land(), before);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await land(), before);
  assert.equal(await satellites(), there);
  await goTo(page, 300);
  assert.equal(await land(), before);
  assert.notEqual(await satellites(), there);
  assert.deepEqual(complaints, []);
});

test("a page whose document is damaged says so in a sentence", async () => {
  const text = readFileSync(fileOf("nasty"), "utf8").replace('{"form":1,', '{"form":99,');
  const page = await browser.newPage();
  await page.setContent(text);
  await page.getByText("This page cannot be shown: This page has form 99; its viewer reads form 1.").waitFor();
});
