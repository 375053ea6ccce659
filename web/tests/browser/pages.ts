/** The pages under test: made once of real results by the package of this checkout. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PLACE = join(ROOT, "target", "web-tests");
const EXAMPLES = join(ROOT, "examples", "scenarios");

export const HOSTILE = '</script><img src="x" onerror="alert(1)">&amp;';

/** A scenario in which names are as hostile as they may be. */
const NASTY = {
  format: 1,
  name: "nasty",
  description: HOSTILE,
  duration: "10 s",
  topology: { kind: "dumbbell", left: 2, right: 2 },
  links: { bottleneck: { rate: "1 Mbit/s", delay: "10 ms" } },
  flows: { web: { kind: "tcp" } },
};

/** A film in layers to 300 homes: to some over slow links, to some over bad ones. */
const CROWD = {
  format: 1,
  name: "crowd",
  duration: "60 s",
  warmup: "10 s",
  topology: { kind: "star", left: 1, right: 300, access: { rate: "20 Mbit/s", delay: "10 ms" } },
  links: {
    "access-right-1[0-9][0-9]": { rate: "300 kbit/s", queue: { kind: "drop-tail", limit: "15 packets" } },
    "access-right-2[0-9][0-9]": { loss: { kind: "bernoulli", p: 0.02 } },
    "access-right-[0-9]": { loss: { kind: "outage", start: "30 s", length: "8 s" } },
  },
  sessions: {
    film: {
      scheme: "rlm",
      source: "left-0",
      rates: ["128 kbit/s", "128 kbit/s", "256 kbit/s"],
      playout: { kind: "live", segment: "2 s", fec: 0.05 },
    },
  },
};

function faircast(...args: string[]): void {
  execFileSync(join(ROOT, ".venv", "bin", "python"), ["-m", "faircast", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

const MADE: Record<string, (folder: string) => void> = {
  layers: (folder) => faircast("run", join(EXAMPLES, "smcc-two-rates.toml"), "--reps", "2", "--out", folder),
  outage: (folder) => faircast("run", join(EXAMPLES, "rain-fade.toml"), "--out", folder),
  sky: (folder) => faircast("run", join(EXAMPLES, "berkeley-boston.toml"), "--out", folder),
  sweep: (folder) =>
    faircast(
      ...["sweep", join(EXAMPLES, "rain-fade.toml"), "--reps", "2", "--out", folder],
      ...["--vary", "links.bottleneck.queue.limit=10 packets,60 packets"],
      ...["--vary", "links.bottleneck.delay=50 ms,250 ms"],
    ),
  reproduction: (folder) => faircast("reproduce", "mecn-fig6", "--quick", "--reps", "1", "--out", folder),
  film: (folder) => faircast("run", join(EXAMPLES, "film.toml"), "--out", folder),
  web: (folder) => faircast("run", join(EXAMPLES, "web-queue.toml"), "--reps", "2", "--out", folder),
  rain: (folder) => faircast("run", join(EXAMPLES, "acm-rain.toml"), "--out", folder),
  crowd: (folder) => own("crowd", CROWD, folder),
  nasty: (folder) => own("nasty", NASTY, folder),
};

/** Runs a scenario that is no example. */
function own(name: string, scenario: object, folder: string): void {
  const file = join(PLACE, `${process.pid}-${name}.json`);
  writeFileSync(file, JSON.stringify(scenario));
  faircast("run", file, "--out", folder);
  rmSync(file);
}

export type Name = keyof typeof MADE;

const known = new Map<string, string>();

/** The file of a page, made anew in every call of the tests. */
export function fileOf(name: string): string {
  let file = known.get(name);
  if (file === undefined) {
    mkdirSync(PLACE, { recursive: true });
    const folder = join(PLACE, `${process.pid}-${name}`);
    if (existsSync(folder)) rmSync(folder, { recursive: true });
    MADE[name]!(folder);
    file = join(PLACE, `${process.pid}-${name}.html`);
    faircast("report", folder, "--out", file);
    rmSync(folder, { recursive: true });
    known.set(name, file);
    process.on("exit", () => rmSync(file!, { force: true }));
  }
  return file;
}

/** What a page did that no page of ours may do. */
export interface Watched {
  page: Page;
  /** Messages in the console, errors, dialogs, and requests for anything but the page itself. */
  complaints: string[];
}

/** Opens a page from the disk, watched. */
export async function open(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    ...options,
  });
  const page = await context.newPage();
  const address = pathToFileURL(fileOf(name)).href;
  const complaints = complaintsOf(page, (url) => url === address);
  await page.goto(address);
  await page.waitForSelector("[data-ready]", { state: "attached" });
  return { page, complaints };
}

/** Moves the slider as a hand would. */
export async function goTo(page: Page, time: number): Promise<void> {
  await page.locator("#moment").evaluate((element, value) => {
    const input = element as HTMLInputElement;
    input.value = String(value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, time);
  await page.waitForTimeout(50);
}

/** What must not happen in a page, as it happens: words in its console, errors, dialogs, requests but for its own. */
export function complaintsOf(page: Page, isOwn: (url: string) => boolean): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    // The tests read points of a canvas back, which no reader of a page does.
    if (!message.text().includes("willReadFrequently")) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!isOwn(url) && !/^(data|blob):/.test(url)) complaints.push(`request: ${url}`);
  });
  return complaints;
}
