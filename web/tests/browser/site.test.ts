/** The site, below another path by a plain server, and from the disk. */

import assert from "node:assert/strict";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import AxeBuilder from "axe-core";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { launch } from "./chromium.ts";
import { complaintsOf } from "./pages.ts";

const SITE = fileURLToPath(new URL("../../../target/site", import.meta.url));
/** A server of files sends what is there and knows some types; it knows nothing of pages. */
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const BELOW = "/some/where/";

let browser: Browser;
let server: Server;
let address = "";

before(async () => {
  assert.ok(existsSync(join(SITE, "index.html")), "make site makes it");
  browser = await launch();
  server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const file = join(SITE, path.slice(BELOW.length));
    if (!path.startsWith(BELOW) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as { port: number }).port}${BELOW}`;
});

after(async () => {
  server.close();
  await browser.close();
});

interface Opened {
  page: Page;
  complaints: string[];
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  const own = url.startsWith("file:") ? pathToFileURL(SITE).href : address;
  const complaints = complaintsOf(page, (one) => one.startsWith(own));
  await page.goto(url);
  return { page, complaints };
}

/** The frame in which something runs, when it has shown something. */
async function running(page: Page, having: string): Promise<Frame> {
  const frame = await (await page.waitForSelector("iframe.live")).contentFrame();
  assert.ok(frame);
  await frame.waitForSelector(having, { timeout: 30_000 });
  return frame;
}

async function axe(page: Page): Promise<string[]> {
  await page.evaluate(AxeBuilder.source);
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(context: object, options: object): Promise<any> } };
    // The theme's own parts around the text are not ours.
    return axe.run(
      { include: [["article.md-content__inner"]] },
      { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"], iframes: false, rules: { "color-contrast": { enabled: true } } },
    );
  });
  return found.violations.map(
    (one: { id: string; nodes: { html: string }[] }) => `${one.id}, ${one.nodes.length}: ${one.nodes[0]?.html}`,
  );
}

test("the first page has a picture that one can touch", async () => {
  const { page, complaints } = await open(`${address}index.html`);
  const frame = await running(page, ".lab-chart canvas");
  const height = (await page.locator("iframe.live").boundingBox())?.height ?? 0;
  const inside = await frame.locator(".lab-embedded").evaluate((box) => box.getBoundingClientRect().height);
  assert.ok(Math.abs(height - inside) < 4, `the frame is ${height} px high, its content ${inside}`);
  const knob = frame.locator("input[type=range]");
  await knob.focus();
  const before = await frame.locator("output").first().textContent();
  for (let press = 0; press < 12; press++) await knob.press("ArrowRight");
  await frame.getByText("the slowest receiver decides").waitFor({ timeout: 30_000 });
  assert.notEqual(await frame.locator("output").first().textContent(), before);
  await page.waitForFunction(
    (least) => document.querySelector("iframe.live")!.getBoundingClientRect().height > least,
    height,
  );
  assert.deepEqual(complaints, []);
});

test("cards are filtered by paper and verdict, and lead to their figures", async () => {
  const { page, complaints } = await open(`${address}reproductions.html`);
  const all = await page.locator(".card").count();
  assert.ok(all > 90);
  const shown = () => page.locator(".card:visible");
  await page.locator("select[data-of=paper]").selectOption("ehlert");
  const ofPaper = await shown().count();
  assert.equal(await page.locator("form.choices output").textContent(), `${ofPaper} of ${all}`);
  await page.locator("select[data-of=verdict]").selectOption("agrees");
  const agree = await shown().count();
  assert.ok(agree > 0 && agree < ofPaper && ofPaper < all);
  for (const verdict of await shown().locator(".verdict").allTextContents()) assert.match(verdict, /^agrees($|, )/);
  await shown().locator("strong a").first().click();
  await page.waitForSelector("h1:has-text('Ehlert et al.')");
  assert.deepEqual(complaints, []);
});

test("a figure's network runs on its page", async () => {
  const { page, complaints } = await open(`${address}figure-mecn-fig6.html`);
  await page.getByRole("combobox", { name: "Network" }).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Run it here" }).click();
  const frame = await running(page, ".lab-came");
  assert.match((await frame.locator(".lab-came").textContent()) ?? "", /packet-hops/);
  await frame.waitForSelector("#moment");
  assert.deepEqual(complaints, []);
});

test("every number of the comparison opens its network in the laboratory", async () => {
  const { page, complaints } = await open(`${address}side-by-side.html`);
  assert.equal(await page.locator(".living td a").count(), 120);
  await page.getByRole("link", { name: /^MLDA, GEO, 0 %, SACK: / }).click();
  await page.waitForSelector(".lab-came strong:has-text('x-all-mlda-geo-0-sack')", { timeout: 60_000 });
  assert.match(await page.locator(".cm-content").innerText(), /scheme = "mlda"/);
  assert.deepEqual(complaints, []);
});

test("a scenario of a chapter opens in the laboratory", async () => {
  const { page, complaints } = await open(`${address}tutorial.html`);
  await page
    .getByRole("link", { name: /^Open .* in the laboratory$/ })
    .first()
    .click();
  await page.waitForSelector(".lab-came", { timeout: 60_000 });
  assert.deepEqual(complaints, []);
});

test("a damaged address in a frame gets its sentence", async () => {
  const { page, complaints } = await open(`${address}lab/index.html?embed#1.zzz`);
  await page.getByRole("alert").getByText("This address is damaged").waitFor();
  assert.deepEqual(complaints, []);
});

for (const [place, root] of [
  ["a server", () => address],
  ["the disk", () => `${pathToFileURL(SITE).href}/`],
] as const) {
  test(`search finds from ${place}`, async () => {
    const { page, complaints } = await open(`${root()}glossary.html`);
    await page.locator("input.md-search__input").click();
    await page.locator("input.md-search__input").pressSequentially("loss event rate", { delay: 10 });
    await page.waitForSelector(".md-search-result__item a", { timeout: 20_000 });
    assert.deepEqual(complaints, []);
  });
}

test("from the disk pictures stand still, and links work", async () => {
  const { page, complaints } = await open(`${pathToFileURL(SITE).href}/index.html`);
  assert.equal(await page.locator("iframe.live").count(), 0);
  assert.ok(await page.locator(".live-visit img").isVisible());
  await page.getByRole("link", { name: "Reproductions" }).first().click();
  await page.waitForSelector(".card");
  await page.locator(".card strong a").first().click();
  await page.waitForSelector("#run-it-yourself");
  assert.deepEqual(complaints, []);
});

for (const scheme of ["light", "dark"] as const) {
  test(`what is ours has no findings of axe, ${scheme}`, async () => {
    for (const name of ["index", "reproductions", "figure-x-all", "figure-peng-fig5"]) {
      const { page } = await open(`${address}${name}.html`, { colorScheme: scheme });
      await page.waitForTimeout(300);
      assert.deepEqual(await axe(page), [], name);
      await page.close();
    }
  });
}

test("nothing is wider than a phone", async () => {
  for (const name of ["index", "reproductions", "figure-x-all", "figure-omcc-fig7"]) {
    const { page } = await open(`${address}${name}.html`, { viewport: { width: 390, height: 800 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${name} is ${wide} px wide`);
    await page.close();
  }
});
