/** The browser of the tests: Debian's chromium where it is installed, otherwise the one of `@sparticuz/chromium`. */

import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser without a window. As root it has no sandbox, which it refuses then. */
export async function launch(): Promise<Browser> {
  const there = INSTALLED.find((path) => existsSync(path));
  if (there !== undefined) return chromium.launch({ executablePath: there, args: ["--no-sandbox"] });
  const { default: packed } = await import("@sparticuz/chromium");
  // In one process it ends with the first page that closes while a worker is there.
  const args = packed.args.filter((arg) => arg !== "--single-process");
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...args, "--no-sandbox"] });
}
