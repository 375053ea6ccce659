import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findings } from "./axe.ts";
import { launch } from "./chromium.ts";
import { fileOf, HOSTILE, open } from "./pages.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

/** How wide a page is, as soon as it fits: what is drawn follows its width a little later. */
async function settled(page: Page, width: number): Promise<number> {
  const measure = () => page.evaluate(() => document.documentElement.scrollWidth);
  for (let look = 0; look < 50 && (await measure()) > width; look++) await page.waitForTimeout(100);
  return measure();
}

const PAGES = ["layers", "sky", "film", "web", "rain", "crowd", "sweep", "reproduction"];
for (const name of PAGES) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds nothing on the page ${name}, ${colorScheme}`, async () => {
      const { page, complaints } = await open(browser, name, { colorScheme });
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
      assert.deepEqual(await findings(page), []);
      assert.deepEqual(complaints, []);
    });
  }

  test(`the page ${name} fits every width`, async () => {
    const { page } = await open(browser, name);
    for (const width of [390, 768, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await settled(page, width);
      assert.ok(wide <= width, `it is ${wide} pixels wide on ${width}`);
    }
  });

  test(`all that can be done on the page ${name} is reached by keyboard alone`, async () => {
    const { page } = await open(browser, name);
    const all = await page.evaluate(() => {
      const wanted = [...document.querySelectorAll("button, select, input, summary, [role=button]")].filter(
        (one) => !(one as HTMLButtonElement).disabled && (one as HTMLElement).getClientRects().length > 0,
      );
      wanted.forEach((one, place) => one.setAttribute("data-wanted", String(place)));
      return wanted.length;
    });
    const reached = new Set<string>();
    for (let press = 0; press < all + 60 && reached.size < all; press++) {
      await page.keyboard.press("Tab");
      const place = await page.evaluate(() => document.activeElement?.getAttribute("data-wanted") ?? null);
      if (place !== null) reached.add(place);
    }
    assert.equal(reached.size, all);
  });
}

test("by keyboard the moment moves, a subject is seen alone, and it plays", async () => {
  const { page, complaints } = await open(browser, "layers");
  await page.locator("#moment").focus();
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("output").textContent(), "3 s");
  await page.keyboard.press("End");
  assert.equal(await page.locator("output").textContent(), "120 s");
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "mark ▶" }).focus();
  await page.keyboard.press("Enter");
  assert.notEqual(await page.locator("output").textContent(), "0 s");
  const end = page.getByRole("button", { name: /^source: film; see alone/ });
  await end.focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Show").inputValue(), "film");
  assert.equal(await end.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: "Play" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("text of a scenario that is HTML is shown as text, and does nothing", async () => {
  const { page, complaints } = await open(browser, "nasty");
  assert.equal(await page.getByText(HOSTILE, { exact: true }).count(), 1);
  assert.equal(await page.locator("img").count(), 0);
  await page.waitForTimeout(200);
  assert.deepEqual(complaints, []);
});

test("what an attacker might bring into the page may not run", async () => {
  const { page, complaints } = await open(browser, "nasty");
  await page.evaluate(() => {
    document.body.insertAdjacentHTML("beforeend", '<img src="https://example.org/x.png"><p onclick="alert(1)">x</p>');
    const script = document.createElement("script");
    script.textContent = "alert(2)";
    document.body.append(script);
    document.querySelector<HTMLElement>("p[onclick]")!.click();
  });
  await page.waitForTimeout(300);
  assert.ok(complaints.every((one) => one.startsWith("console: ") || one === "request: https://example.org/x.png"));
  assert.ok(complaints.some((one) => /Content Security Policy/.test(one)));
  assert.ok(!complaints.some((one) => one.startsWith("dialog")));
});

test("on paper there are pictures and no controls", async () => {
  const { page } = await open(browser, "layers", { colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForTimeout(200);
  assert.equal(await page.locator(".controls").isVisible(), false);
  assert.equal(await page.locator("canvas").first().isVisible(), true);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(paper, "rgb(255, 255, 255)");
  const series = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--c0"));
  assert.equal(series, "#0072b2");
});

test("without data a page is below 3 MB, and it is one file", async () => {
  assert.ok(statSync(fileOf("nasty")).size < 3_000_000);
  const { page } = await open(browser, "nasty");
  assert.equal(await page.locator("link, script[src], iframe, object, embed").count(), 0);
});
