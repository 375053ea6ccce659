/** The browser of the tests: Debian's chromium where it is installed, otherwise the one of `@sparticuz/chromium`. */

import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser without a window. As root it has no sandbox, which it refuses then. */
export async function launch(): Promise<Browser> {
  const there = INSTALLED.find((path) => existsSync(path));
  if (there !== undefined) return chromium.launch({ executablePath: there, args: ["--no-sandbox"] });
  const { default: packed } = await import("@sparticuz/chromium");
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...packed.args, "--no-sandbox"] });
}
