/**
 * A laboratory in an address: scenarios, seeds and knobs, compressed, in its fragment, which no browser sends to a
 * server.
 */

/** What an address holds. */
export interface Shared {
  /** One scenario, or two side by side. */
  texts: string[];
  seeds: string;
  knobs: string[];
}

/** Addresses begin with this; another form would have another number. */
const FORM = "1.";
/** Characters of a fragment that are read at most, and of what it unfolds to. */
const LONGEST = 1 << 20;
const LARGEST = 1 << 24;

/** The fragment of what is shared, without its sign. An error says that it is too much for an address. */
export async function toFragment(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const tooLarge = () => new Error("This is too much for an address: save the scenario, and hand over the file.");
  if (bytes.length > LARGEST) throw tooLarge();
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let signs = "";
  for (let at = 0; at < packed.length; at += 8192) signs += String.fromCharCode(...packed.subarray(at, at + 8192));
  const fragment = FORM + btoa(signs).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (fragment.length > LONGEST) throw tooLarge();
  return fragment;
}

/** What a fragment holds. An error says in one sentence what is wrong with it. */
export async function fromFragment(fragment: string): Promise<Shared> {
  const form = /^(\d+)\./.exec(fragment)?.[0];
  if (form === undefined) throw new Error(`This address is none of the laboratory: what follows # is not a scenario.`);
  if (form !== FORM) {
    throw new Error(`This address is of another form (${form.slice(0, -1)}) than this laboratory knows (1).`);
  }
  const damaged = () => new Error("This address is damaged: a part of it is missing or was changed on its way.");
  if (fragment.length > LONGEST) throw damaged();
  let shared: unknown;
  try {
    const signs = atob(fragment.slice(FORM.length).replace(/-/g, "+").replace(/_/g, "/"));
    const packed = Uint8Array.from(signs, (sign) => sign.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    shared = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw damaged();
  }
  if (!isShared(shared)) throw damaged();
  return shared;
}

function isShared(value: unknown): value is Shared {
  if (value === null || typeof value !== "object") return false;
  const { texts, seeds, knobs } = value as Record<string, unknown>;
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === "string");
  return areTexts(texts) && [1, 2].includes((texts as string[]).length) && typeof seeds === "string" && areTexts(knobs);
}

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const writer = (stream.writable as WritableStream<Uint8Array>).getWriter();
  // What is wrong is told by the reader.
  writer.write(bytes).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LARGEST) throw new Error("too large");
    chunks.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Seeds as one writes them, "1", "1-5" or "1, 7"; null if that is no list of them, or one of too many. */
export function seeds(text: string): number[] | null {
  const found = new Set<number>();
  // An address can hold any number of parts, and this is asked whenever the page is drawn.
  const parts = text.length > LONGEST_SEEDS ? [] : text.split(",");
  for (const part of parts) {
    const match = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part);
    if (match === null) return null;
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    if (to < from || to - from >= MOST_SEEDS || to > Number.MAX_SAFE_INTEGER) return null;
    for (let seed = from; seed <= to; seed++) found.add(seed);
    if (found.size > MOST_SEEDS) return null;
  }
  return found.size > 0 ? [...found] : null;
}

/** Seeds that a page runs at most, and characters in which they are written: as many as a hundred large ones need. */
export const MOST_SEEDS = 100;
const LONGEST_SEEDS = 20 * MOST_SEEDS;
