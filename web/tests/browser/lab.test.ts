/** The laboratory in a browser, served as `faircast lab` serves it. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import AxeBuilder from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { toFragment } from "../../src/lab/share.ts";
import { launch } from "./chromium.ts";
import { complaintsOf } from "./pages.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
let browser: Browser;
let server: ChildProcess;
let address = "";

before(async () => {
  browser = await launch();
  server = spawn(`${ROOT}/.venv/bin/python`, ["-m", "faircast", "lab", "--no-browser", "--json"], { cwd: ROOT });
  const lines = createInterface({ input: server.stdout! });
  for await (const line of lines) {
    address = (JSON.parse(line) as { address: string }).address;
    break;
  }
});

after(async () => {
  server.kill("SIGINT");
  await browser.close();
});

interface Opened {
  page: Page;
  complaints: string[];
}

async function open(fragment: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page, (url) => url.startsWith(address));
  await page.goto(address + (fragment === "" ? "" : `#${fragment}`));
  return { page, complaints };
}

const shared = (text: string, seeds = "1", more: string[] = []) =>
  toFragment({ texts: [text, ...more], seeds, knobs: [] });

const SMALL = `format = 1
name = "small"
duration = "20 s"
warmup = "2 s"

[topology]
kind = "dumbbell"

[links.bottleneck]
rate = "1 Mbit/s"
queue = { kind = "drop-tail", limit = "20 packets" }

[flows.web]
kind = "tcp"

[probes]
queues = ["bottleneck"]
`;

/** Waits until a run has given something, and says what. */
async function came(page: Page, having = ""): Promise<string> {
  const place = page.locator(".lab-came", { hasText: having }).first();
  await place.waitFor({ timeout: 30_000 });
  return (await place.textContent()) ?? "";
}

test("the first page is a live picture with a question and a knob", async () => {
  const { page, complaints } = await open("");
  await page.locator(".lab-visit canvas").first().waitFor({ timeout: 30_000 });
  assert.match((await page.locator(".lab-question").textContent()) ?? "", /\?$/);
  const slider = page.locator(".lab-visit input[type=range]");
  const before = await page.locator(".lab-visit output").textContent();
  await slider.focus();
  for (let step = 0; step < 30; step++) await page.keyboard.press("ArrowRight");
  await page.locator(".lab-visit", { hasText: "TCP halves its window" }).waitFor();
  // The value is that of the text as soon as the core has read it.
  await page.waitForFunction((before) => {
    const now = document.querySelector(".lab-visit output")?.textContent?.trim();
    const text = document.querySelector(".cm-content")?.textContent;
    return now !== before && text?.includes(`limit = "${now}"`);
  }, before?.trim());
  assert.deepEqual(complaints, []);
});

test("a slider goes on by the keyboard, however slowly", async () => {
  const { page, complaints } = await open("");
  await page.locator(".lab-visit canvas").first().waitFor({ timeout: 30_000 });
  const slider = page.locator(".lab-visit input[type=range]");
  await slider.focus();
  const from = Number(await slider.inputValue());
  for (let step = 1; step <= 8; step++) {
    await page.keyboard.press("ArrowRight");
    // The core has read the text, and the page has been drawn since.
    await page.waitForTimeout(100);
    assert.equal(Number(await slider.inputValue()), from + step);
  }
  await page.locator(".lab-visit output", { hasText: "24 packets" }).waitFor({ timeout: 30_000 });
  assert.deepEqual(complaints, []);
});

test("all five pictures of the visit are drawn", async () => {
  for (const number of [1, 2, 3, 4, 5]) {
    const { page, complaints } = await open(`visit-${number}`);
    await page
      .locator(".lab-visit canvas")
      .nth(number === 3 ? 0 : 1)
      .waitFor({ timeout: 30_000 });
    assert.equal(await page.locator(".lab-wrong").count(), 0, `${number}`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("every example of the gallery is valid", async () => {
  const { page, complaints } = await open("");
  await page.getByRole("button", { name: "Examples" }).click();
  const names = await page.locator(".lab-gallery strong").allTextContents();
  const files = readdirSync(`${ROOT}/examples/scenarios`).filter((name) => name.endsWith(".toml"));
  assert.deepEqual(names, files.map((name) => name.replace(".toml", "")).sort());
  await page.locator(".lab-gallery button", { hasText: "rain-fade" }).click();
  assert.match(await came(page, "rain-fade"), /322 thousand packet-hops/);
  assert.deepEqual(complaints, []);
});

test("a mistake is underlined and told with its line", async () => {
  const { page, complaints } = await open(await shared(SMALL.replace('"tcp"', '"tpc"')));
  await page.locator(".lab-remarks .lab-wrong", { hasText: "One problem" }).waitFor({ timeout: 30_000 });
  assert.match((await page.locator(".lab-remarks li").textContent()) ?? "", /line 14.*flows\.web\.kind.*tcp/s);
  assert.equal(await page.locator(".cm-lintRange-error").textContent(), '"tpc"');
  await page.locator(".lab-remarks li button").click();
  await page.keyboard.type('"tcp"');
  await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor();
  await page.keyboard.press("Control+Enter");
  assert.match(await came(page), /small, seed 1/);
  assert.deepEqual(complaints, []);
});

test("what is no TOML says its line once", async () => {
  const { page, complaints } = await open(await shared(SMALL.replace('"tcp"', '"tcp')));
  await page.locator(".lab-remarks li").waitFor({ timeout: 30_000 });
  assert.match((await page.locator(".lab-remarks li").textContent()) ?? "", /^line 14\s+column 12: no legal TOML/);
  assert.deepEqual(complaints, []);
});

test("what one has written outlives an example, a visit and a file that is dropped", async () => {
  const { page, complaints } = await open(await shared(SMALL));
  await came(page);
  await page.locator(".cm-line", { hasText: "20 packets" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" # mine");
  await page.getByRole("button", { name: "First visit" }).click();
  await page.locator(".lab-visit canvas").first().waitFor({ timeout: 30_000 });
  const slider = page.locator(".lab-visit input[type=range]");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Back to your text" }).click();
  await page.locator(".cm-line", { hasText: "# mine" }).waitFor();
  const isStopped = await page.evaluate(
    () => !document.querySelector("footer")!.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true })),
  );
  assert.ok(isStopped);
  assert.deepEqual(complaints, []);
});

test("keys and values are completed, and explained", async () => {
  const { page, complaints } = await open(await shared(SMALL));
  await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor({ timeout: 30_000 });
  await page.locator(".cm-line", { hasText: "rate" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("del");
  await page.locator(".cm-completionLabel", { hasText: /^delay$/ }).waitFor();
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await page.keyboard.type('"10 ms"');
  await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor();
  await page.locator(".cm-line", { hasText: 'kind = "tcp"' }).hover({ position: { x: 10, y: 8 } });
  await page.locator(".lab-hover").waitFor();
  assert.ok((await page.locator(".cm-content").textContent())?.includes('delay = "10 ms"'));
  assert.deepEqual(complaints, []);
});

test("a run that is cancelled keeps what has happened", async () => {
  const long = SMALL.replace('"20 s"', '"400000 s"').replace("[probes]", '[probes]\ninterval = "1000 s"');
  const { page, complaints } = await open(await shared(long.replace('queues = ["bottleneck"]', "")));
  const cancel = page.getByRole("button", { name: "Cancel" });
  await page.locator("[role=status]", { hasText: /Seed 1: \d/ }).waitFor({ timeout: 30_000 });
  await cancel.click();
  const told = await came(page);
  const until = Number(/cancelled after ([0-9.]+) s/.exec(told)?.[1]);
  assert.ok(until > 0 && until < 400_000, told);
  assert.ok(await cancel.isDisabled());
  assert.deepEqual(complaints, []);
});

test("several seeds have a band, two scenarios one axis", async () => {
  const other = SMALL.replace('"1 Mbit/s"', '"2 Mbit/s"');
  const { page, complaints } = await open(await shared(SMALL, "1-3", [other]));
  await page.locator(".lab-came").nth(1).waitFor({ timeout: 30_000 });
  await page.locator(".lab-came", { hasText: "B: small, 3 seeds" }).waitFor();
  await page.locator(".lab-came", { hasText: "A: small, 3 seeds" }).waitFor();
  const legend = await page.locator(".lab-legend").first().locator("li").allTextContents();
  assert.deepEqual(legend, ["web (A)", "web (B)"]);
  assert.match((await page.locator(".lab-chart figcaption").first().textContent()) ?? "", /the range of all 3 seeds/);
  assert.deepEqual(complaints, []);
});

test("a damaged address is told in one sentence", async () => {
  const whole = await shared(SMALL);
  for (const [fragment, told] of [
    [whole.slice(0, -9), /^This address is damaged: [^.]*\.$/],
    ["7.abc", /^This address is of another form \(7\) than this laboratory knows \(1\)\.$/],
    ["nonsense", /^This address is none of the laboratory/],
  ] as const) {
    const { page, complaints } = await open(fragment);
    await page.locator(".lab-said").waitFor();
    assert.match((await page.locator(".lab-said").textContent()) ?? "", told);
    await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor({ timeout: 30_000 });
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("what is shared comes back in another page", async () => {
  const { page, complaints } = await open(await shared(SMALL, "2"));
  await came(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.locator(".lab-said").waitFor();
  const again = await open((await page.evaluate(() => location.hash)).slice(1));
  assert.match(await came(again.page), /small, seed 2/);
  assert.deepEqual([complaints, again.complaints], [[], []]);
});

test("HTML in a scenario is text", async () => {
  const nasty = "<img src=x onerror=alert(1)></script>";
  const text = SMALL.replace('"small"', JSON.stringify(nasty)).replace('"tcp"', `"${nasty}"`);
  const { page, complaints } = await open(await shared(text));
  await page.locator(".lab-remarks .lab-wrong").waitFor({ timeout: 30_000 });
  await page.locator(".cm-lintRange-error").first().hover();
  await page.locator(".cm-tooltip").waitFor();
  const legal = await open(
    await shared(SMALL.replace("# ", "").replace('name = "small"', `name = ${JSON.stringify(nasty)}`)),
  );
  await legal.page.locator(".lab-remarks").waitFor();
  for (const one of [page, legal.page]) assert.equal(await one.locator("img").count(), 0);
  assert.deepEqual([complaints, legal.complaints], [[], []]);
});

test("files that a scenario names are asked for, and stay in the page", async () => {
  const text = SMALL.replace("[flows.web]", 'changes = "trace.csv"\n\n[flows.web]');
  const { page, complaints } = await open(await shared(text));
  await page.locator(".lab-files").waitFor({ timeout: 30_000 });
  const content = Buffer.from("time [s], rate [Mbit/s]\n5, 0.5\n");
  await page.locator(".lab-files input").setInputFiles({ name: "trace.csv", mimeType: "text/csv", buffer: content });
  await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("guests are refused with a sentence", async () => {
  const { page } = await open(await shared(`${SMALL}[sessions.film]\nscheme = "mine"\norigin = "mine.py"\n`));
  await page.locator(".lab-remarks li", { hasText: "which a page cannot run" }).waitFor({ timeout: 30_000 });
});

test("what the core refuses is told, and what breaks it ends the worker alone", async () => {
  const { page, complaints } = await open(await shared(SMALL));
  await came(page);
  const told = await page.evaluate(async () => {
    const worker = new Worker("worker.js");
    const said: string[] = [];
    return new Promise<string[]>((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.say === "ready") worker.postMessage({ ask: "run", id: 1, scenario: "{", seeds: [1] });
        else said.push(`${data.say}: ${data.message}`);
        // No text at all, which the page never asks.
        if (said.length === 1) worker.postMessage({ ask: "run", id: 2, seeds: [1] });
        if (said.length === 2) resolve(said);
      };
    });
  });
  assert.match(told[0] ?? "", /^refused: not JSON/);
  assert.match(told[1] ?? "", /^broken: The core has stopped: TypeError/);
  assert.deepEqual(complaints, []);
});

test("a core that has no memory ends with one sentence, and the next run has another one", async () => {
  const long = SMALL.replace('"20 s"', '"1000 s"').replace("[probes]", '[probes]\ninterval = "20 ms"');
  const { page, complaints } = await open(await shared(long));
  await came(page);
  let workers = 0;
  await page.route("**/worker.js", async (route) => {
    const response = await route.fetch();
    // Of the first core all memory but 4 MB is taken before it begins, which is less than the rows of the run need.
    const take = `const begin = WebAssembly.instantiateStreaming;
      WebAssembly.instantiateStreaming = async (...given) => {
        const made = await begin(...given);
        const { memory } = made.instance.exports;
        memory.grow(65536 - memory.buffer.byteLength / 65536 - 64);
        return made;
      };`;
    await route.fulfill({ response, body: `${workers++ === 0 ? take : ""}${await response.text()}` });
  });
  await page.reload();
  const told = page.locator(".lab-bar .lab-wrong");
  await told.waitFor({ timeout: 30_000 });
  assert.match((await told.textContent()) ?? "", /^The core has stopped, most likely for want of memory[^.]*\.$/);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  assert.match(await came(page), /small, seed 1/);
  assert.deepEqual([await told.count(), workers], [0, 2]);
  assert.deepEqual(complaints, []);
});

test("knobs can be pinned and turned by the keyboard alone", async () => {
  const { page, complaints } = await open(await shared(SMALL));
  await came(page);
  const wanted = page.locator(".lab-knobs input[list]");
  await wanted.focus();
  await page.keyboard.type("links.bottleneck.rate");
  await page.keyboard.press("Enter");
  const slider = page.locator(".lab-knob input[type=range]");
  await slider.focus();
  for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => !document.querySelector(".cm-content")?.textContent?.includes('"1 Mbit/s"'));
  assert.match((await page.locator(".cm-content").textContent()) ?? "", /rate = "1\.\d+ Mbit\/s"/);
  // A default that is not in the text comes into it.
  await wanted.focus();
  await page.keyboard.type("flows.web.rto_min");
  await page.keyboard.press("Enter");
  await page.locator(".lab-knob input[type=range]").nth(1).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".cm-content")?.textContent?.includes("rto_min"));
  await page.locator(".lab-remarks", { hasText: "A valid scenario" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("Tab leads through the page and out of the text", async () => {
  const { page } = await open(await shared(SMALL));
  await came(page);
  const reached = new Set<string>();
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () => document.activeElement?.textContent?.slice(0, 12) || document.activeElement?.className || "",
      ),
    );
  }
  for (const name of ["First visit", "Share", "Run"])
    assert.ok(reached.has(name), `${name}: ${[...reached].join(", ")}`);
});

test("axe finds nothing, in light and dark, narrow and wide", async () => {
  const source = AxeBuilder.source ?? readFileSync(fileURLToPath(import.meta.resolve("axe-core")), "utf8");
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1280]) {
      for (const fragment of ["", "example-rain-fade", await shared(SMALL, "1-2", [SMALL])]) {
        const { page } = await open(fragment, { colorScheme, viewport: { width, height: 900 } });
        await page.locator("canvas").first().waitFor({ timeout: 30_000 });
        await page.evaluate(source);
        const found = await page.evaluate(async () => {
          const axe = (window as unknown as { axe: { run(): Promise<{ violations: unknown[] }> } }).axe;
          return (await axe.run()).violations.map((one) => {
            const { id, nodes } = one as { id: string; nodes: { html: string }[] };
            return `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`;
          });
        });
        assert.deepEqual(found, [], `${colorScheme} ${width} ${fragment.slice(0, 20)}`);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        assert.ok(!isWide, `${width}: the page scrolls sideways`);
        await page.context().close();
      }
    }
  }
});

test("of two scenarios of which one is wrong, what came is said to be the other's", async () => {
  const { page, complaints } = await open(await shared(SMALL.replace('"tcp"', '"tpc"'), "1", [SMALL]));
  assert.match(await came(page), /^B: small, seed 1/);
  await page.locator(".lab-bar .lab-wrong", { hasText: "A: It does not run" }).waitFor();
  await page.getByRole("button", { name: "Scenario B" }).click();
  await page.locator(".cm-line", { hasText: "20 packets" }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" # so");
  await page.locator(".lab-came", { hasText: "The text has been changed since it ran." }).waitFor();
  assert.deepEqual(complaints, []);
});

test("what has no room in a page is told how to run elsewhere", async () => {
  const text = SMALL.replace('"20 s"', '"100000 s"').replace("[probes]", '[probes]\ninterval = "1 ms"');
  const { page, complaints } = await open(await shared(text));
  await page.locator(".lab-remarks", { hasText: "save it, and run it outside by faircast run small.toml." }).waitFor();
  await page.locator(".lab-bar .lab-wrong", { hasText: "more memory than a browser gives a page" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("what a scenario changes about its network is among what happened", async () => {
  const { page, complaints } = await open("example-rain-fade");
  await came(page, "rain-fade");
  const marks = page.locator("svg[aria-label^='What happened']");
  assert.match((await marks.getAttribute("aria-label")) ?? "", /network changes 8/);
  assert.deepEqual(complaints, []);
});

test("a summary of thousands of rows is shown in part, and says so", async () => {
  const text = SMALL.replace("[flows.web]", '[flows.web]\ncount = 100\nfrom = "left-0"\nto = "right-0"');
  const { page, complaints } = await open(await shared(text));
  await came(page);
  const table = page.locator(".lab-table");
  assert.equal(await table.locator("tbody tr").count(), 500);
  assert.match((await table.locator("caption").textContent()) ?? "", /The first 500 of \d{4} rows/);
  assert.deepEqual(complaints, []);
});

for (const [name, picture, said] of [
  ["film", "Pictures of viewers", /adaptive-0 .*layers-2 /],
  ["web-queue", "How long transfers took", /class 1, 4 to 10 KB/],
  ["web-queue", "What part of the transfers took longer", /all classes, half more than \d+\.?\d* ms/],
  ["acm-rain", "Modulation and code of each leg", /leg-3 64APSK 11\/15/],
] as const) {
  test(`the example ${name} shows ${picture}`, async () => {
    const { page, complaints } = await open(`example-${name}`);
    await came(page, name);
    const shown = page.getByRole("img", { name: new RegExp(`^${picture}`) });
    assert.match((await shown.getAttribute("aria-label")) ?? "", said);
    assert.deepEqual(complaints, []);
  });
}
