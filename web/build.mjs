// Builds the web part of the package: one script and one style sheet for each entry, all that they need inside.
//
//     node build.mjs            into python/faircast/web/, where the package looks for them
//
// Nothing is loaded from elsewhere when a page is open, so whatever an entry imports is in its file, with its licence.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "python", "faircast", "web");
/** What only the site has, `make site` takes from here. */
const outOfSite = join(here, "site");

/** Every page or part of one: the name of what is built, and where it begins. */
const ENTRIES = { report: "src/report/main.tsx", lab: "src/lab/main.tsx", worker: "src/lab/worker.ts" };

/** What somebody else's page imports and calls: one module each, its style inside. */
const MODULES = { notebook: "src/notebook/main.tsx" };

/** What is there beside: as it lies here, under the name that pages have for it. */
const COPIES = { "lab.html": "src/lab/lab.html", "core.wasm": "core/core_bg.wasm" };
const COPIES_OF_SITE = { "iframe-worker.js": "node_modules/iframe-worker/shim/index.js" };

/** The scenarios of the examples, for the gallery: `import examples from "faircast:examples"`. */
const examples = {
  name: "examples",
  setup(build) {
    build.onResolve({ filter: /^faircast:examples$/ }, () => ({ path: "examples", namespace: "faircast" }));
    build.onLoad({ filter: /.*/, namespace: "faircast" }, async () => ({
      contents: JSON.stringify(await exampleTexts()),
      loader: "json",
    }));
  },
};

/** A style sheet as a text, with what it imports: `import look from "./notebook.css?text"`. */
const sheets = {
  name: "sheets",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.css\?text$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace("?text", "")),
      namespace: "sheet",
    }));
    onLoad({ filter: /.*/, namespace: "sheet" }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], bundle: true, minify: true, write: false });
      return { contents: outputFiles[0].text, loader: "text" };
    });
  },
};

await mkdir(out, { recursive: true });
await mkdir(outOfSite, { recursive: true });
const packages = new Map();
for (const [name, entry] of Object.entries({ ...ENTRIES, ...MODULES })) {
  const own = new Map();
  for (const input of await bundle(name, entry, out)) await note(input, own);
  for (const one of own) packages.set(...one);
  if (name in MODULES) {
    // A page takes its licences from the package; a module goes alone, into notebooks that are saved with it, too.
    const file = join(out, `${name}.js`);
    await writeFile(file, `/*!\n${await licences(own)}*/\n${await readFile(file, "utf8")}`);
  }
}
await bundle("site", "src/site/site.ts", outOfSite);
for (const [name, from] of Object.entries(COPIES)) await copyFile(join(here, from), join(out, name));
for (const [name, from] of Object.entries(COPIES_OF_SITE)) await copyFile(join(here, from), join(outOfSite, name));
await writeFile(join(out, "licences.txt"), await licences(packages));

/** Builds an entry; gives the files that are in it. */
async function bundle(name, entry, outdir) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { [name]: entry },
    outdir,
    bundle: true,
    minify: true,
    format: name in MODULES ? "esm" : "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none", // the whole texts are in licences.txt, and in every page that is written
    charset: "utf8",
    metafile: true,
    logLevel: "warning",
    logOverride: { "empty-import-meta": "silent" }, // where the core lies is said by the worker
    plugins: [examples, sheets],
  });
  return Object.keys(result.metafile.inputs);
}

/** Of every example its name, its text, and what it is about: the comment on its head. */
async function exampleTexts() {
  const folder = join(here, "..", "examples", "scenarios");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".toml")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), "utf8");
      const head = text.slice(0, text.search(/^[^#]/m)).split("\n");
      const lines = head.map((line) => line.replace(/^#\s?/, ""));
      // A command stands in lines of its own, and the sentence before it leads there.
      const command = lines.findIndex((line) => line.startsWith(" "));
      const said = lines
        .slice(0, command < 0 ? undefined : command)
        .join(" ")
        .trim();
      return { name: name.replace(/\.toml$/, ""), about: said.replace(/ [^.]*:$/, ""), text };
    }),
  );
}

/** Notes the package from which a file comes, if it is one of somebody else's. */
async function note(input, packages) {
  const parts = relative(here, join(here, input)).split(sep);
  const place = parts.lastIndexOf("node_modules");
  if (place < 0) return;
  const depth = parts[place + 1].startsWith("@") ? 3 : 2;
  const folder = join(here, ...parts.slice(0, place + depth));
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  packages.set(name, { folder, version, license });
}

/** The licences of packages that are bundled, whole. */
async function licences(packages) {
  const texts = [];
  for (const [name, { folder, version, license }] of [...packages].sort()) {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE"].find((one) => existsSync(join(folder, one)));
    if (file === undefined) throw new Error(`${name} has no licence beside it`);
    const text = (await readFile(join(folder, file), "utf8")).trim();
    texts.push(`${name} ${version} (${license})\n\n${text}\n`);
  }
  texts.push("Outline of the continents: Natural Earth, 1:110 million, in the public domain (naturalearthdata.com).\n");
  return texts.join(`\n${"-".repeat(78)}\n\n`);
}
