/**
 * How long a run takes in a browser: prints the seconds of several runs of the scenario in a file, in workers of their
 * own each (`first`) and then in one of them (`warm`), as JSON. `tools/bench_web.py` calls it.
 */

import { readFileSync } from "node:fs";
import { launch } from "./browser/chromium.ts";

const [address, file, repeat] = process.argv.slice(2) as [string, string, string];
const browser = await launch();
const page = await browser.newPage();
// What tsx makes of named functions calls this, which is not there in the page.
await page.addInitScript("globalThis.__name = (value) => value");
await page.goto(`${address}licences.txt`);
const found = await page.evaluate(
  async ({ scenario, count }) => {
    const begun = () =>
      new Promise<Worker>((resolve) => {
        const worker = new Worker("worker.js");
        worker.onmessage = ({ data }) => data.say === "ready" && resolve(worker);
      });
    const run = (worker: Worker) =>
      new Promise<[number, number]>((resolve) => {
        worker.onmessage = ({ data }) => {
          if (data.say === "tables") resolve([data.facts.wall_s, data.facts.packet_hops]);
        };
        worker.postMessage({ ask: "run", id: 1, scenario, seeds: [1] });
      });
    const first: number[] = [];
    const warm: number[] = [];
    let hops = 0;
    for (let at = 0; at < count; at++) {
      const worker = await begun();
      const [wall_s, packet_hops] = await run(worker);
      hops = packet_hops;
      first.push(wall_s);
      if (at + 1 === count) for (let again = 0; again < count; again++) warm.push((await run(worker))[0]);
      worker.terminate();
    }
    return { first, warm, hops };
  },
  { scenario: readFileSync(file, "utf8"), count: Number(repeat) },
);
console.log(JSON.stringify({ ...found, browser: browser.version() }));
await browser.close();
