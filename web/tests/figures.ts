/** Draws the figures of docs/report.md into docs/figures: parts of pages as they are in a browser. `npm run figures`. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser/chromium.ts";
import { goTo, open } from "./browser/pages.ts";

const FOLDER = fileURLToPath(new URL("../../docs/figures", import.meta.url));
/** Of each figure the page, the part of it, and the moment that it shows, seconds. */
const FIGURES = [
  ["crowd", "viewers", 36],
  ["web", "transfers", 30],
] as const;

const browser = await launch();
for (const [name, part, time] of FIGURES) {
  const { page } = await open(browser, name, { viewport: { width: 1160, height: 1400 } });
  await goTo(page, time);
  await page
    .locator(`section[aria-labelledby="${part}"] .pictures`)
    .screenshot({ path: join(FOLDER, `report-${part}.png`) });
}
await browser.close();
