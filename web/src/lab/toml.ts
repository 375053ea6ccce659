/**
 * Enough of TOML to know where in a text one is: the path of the table around a position, and whether a key or a value
 * is being written there. Whether the text is legal is for the core to say.
 */

/** What stands around a position of a text. */
export interface Around {
  /** Keys from the top to the table in which the position lies; elements of lists as `[0]`. Of a header none. */
  table: string[];
  /** Keys before the one at the position, as `queue` in `queue.lim`. */
  before: string[];
  /** The key that is being written, perhaps nothing yet, or whose value is being written. */
  key: string;
  /** What is being written: a key, the name of a table, a value, or nothing, as in a comment. */
  what: "key" | "header" | "value" | "nothing";
  /** Where the word at the position begins: a key, or a value with its quotes. */
  from: number;
  /** Where that word ends. */
  to: number;
}

/** A table or list that has been opened: where it is, and the keys that lead to what is being written in it. */
interface Frame {
  path: string[];
  kind: "table" | "inline" | "list";
  /** Of a list: how many elements lie before. */
  index: number;
  keys: string[];
  isValue: boolean;
}

/** What stands around a position. */
export function around(text: string, position: number): Around {
  /** How often each table with two brackets has come. */
  const counts = new Map<string, number>();
  const open = (path: string[], kind: Frame["kind"]): Frame => ({
    path,
    kind,
    index: 0,
    keys: [],
    isValue: kind === "list",
  });
  let frames = [open([], "table")];
  let word: [number, number] | null = null;
  let at = 0;
  while (at < position) {
    const frame = frames[frames.length - 1] as Frame;
    const sign = text[at] as string;
    if (sign === "[" && frame.kind === "table" && !frame.isValue && frame.keys.length === 0) {
      const brackets = text[at + 1] === "[" ? 2 : 1;
      const end = closing(text, at + brackets);
      if (position <= end) return inHeader(text, at + brackets, position);
      const path = splitKeys(text.slice(at + brackets, end));
      if (brackets === 2) {
        const name = path.join("\0");
        const index = counts.get(name) ?? 0;
        counts.set(name, index + 1);
        path.push(`[${index}]`);
      }
      frames = [open(path, "table")];
      at = end + brackets;
      continue;
    }
    const end = tokenEnd(text, at);
    const isWord = /[A-Za-z0-9_+\-"']/.test(sign);
    if (sign === "#") {
      if (position <= end) return { table: [], before: [], key: "", what: "nothing", from: position, to: position };
    } else if (isWord && position <= end) {
      word = [at, end];
    } else if (isWord) {
      if (!frame.isValue) frame.keys.push(unquoted(text.slice(at, end)));
    } else if (sign === "\n" && frame.kind === "table") {
      Object.assign(frame, { keys: [], isValue: false });
    } else if (sign === "=") {
      frame.isValue = true;
    } else if (sign === "{" || sign === "[") {
      const own = frame.kind === "list" ? [`[${frame.index}]`] : frame.keys;
      frames.push(open([...frame.path, ...own], sign === "{" ? "inline" : "list"));
    } else if ((sign === "}" || sign === "]") && frames.length > 1) {
      frames.pop();
    } else if (sign === "," && frame.kind !== "table") {
      Object.assign(frame, { index: frame.index + 1, keys: [], isValue: frame.kind === "list" });
    }
    at = end;
  }
  const { path, kind, index, keys, isValue } = frames[frames.length - 1] as Frame;
  const [from, to] = word ?? [position, position];
  if (kind === "list") return { table: path, before: [], key: `[${index}]`, what: "value", from, to };
  if (isValue) {
    return { table: path, before: keys.slice(0, -1), key: keys[keys.length - 1] ?? "", what: "value", from, to };
  }
  return { table: path, before: keys, key: unquoted(text.slice(from, to)), what: "key", from, to };
}

/** The same in a header whose first key begins at `start`. */
function inHeader(text: string, start: number, position: number): Around {
  let from = Math.min(start, position);
  for (let at = start; at < position;) {
    const end = tokenEnd(text, at);
    if (text[at] === "." || /\s/.test(text[at] as string)) from = end;
    at = end;
  }
  const to = Math.max(position, /[A-Za-z0-9_+\-"']/.test(text[from] ?? "") ? tokenEnd(text, from) : from);
  const done = text.slice(start, from);
  const before = done.trim() === "" ? [] : splitKeys(done.replace(/\.\s*$/, ""));
  return { table: [], before, key: unquoted(text.slice(from, to)), what: "header", from, to };
}

function tokenEnd(text: string, at: number): number {
  const sign = text[at] as string;
  if (sign === "#") {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  if (sign === '"' || sign === "'") {
    const long = sign.repeat(3);
    if (text.startsWith(long, at)) {
      const end = text.indexOf(long, at + 3);
      return end < 0 ? text.length : end + 3;
    }
    for (let end = at + 1; end < text.length; end++) {
      if (text[end] === "\\" && sign === '"') end++;
      else if (text[end] === sign) return end + 1;
      else if (text[end] === "\n") return end;
    }
    return text.length;
  }
  if (/[A-Za-z0-9_+\-]/.test(sign)) {
    let end = at + 1;
    while (end < text.length && /[A-Za-z0-9_+\-:]/.test(text[end] as string)) end++;
    return end;
  }
  return at + 1;
}

/** Where the header closes whose keys begin at a position, or the line ends. */
function closing(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] !== "\n") {
    if (text[end] === "]") return end;
    end = text[end] === '"' || text[end] === "'" ? tokenEnd(text, end) : end + 1;
  }
  return end;
}

function unquoted(token: string): string {
  if (token.startsWith('"')) {
    try {
      return JSON.parse(token.endsWith('"') && token.length > 1 ? token : `${token}"`) as string;
    } catch {
      return token.slice(1);
    }
  }
  return token.startsWith("'") ? token.replace(/^'|'$/g, "") : token;
}

/** The keys of a header or a key with dots. */
export function splitKeys(text: string): string[] {
  const keys: string[] = [];
  let at = 0;
  let last = "";
  while (at < text.length) {
    const end = tokenEnd(text, at);
    if (text[at] === ".") {
      keys.push(last);
      last = "";
    } else if (!/\s/.test(text[at] as string)) last += unquoted(text.slice(at, end));
    at = end;
  }
  keys.push(last);
  return keys;
}

/** A path as messages have it: `links.bottleneck.queue`, `rows[0].x`. */
export function joined(keys: string[]): string {
  return keys.reduce((path, key) => (key.startsWith("[") || path === "" ? path + key : `${path}.${key}`), "");
}

/** The keys of a path as messages have it. */
export function parts(path: string): string[] {
  return path === ""
    ? []
    : path
        .replace(/\[(\d+)\]/g, ".[$1]")
        .split(".")
        .filter((key) => key !== "");
}

/** A value as TOML writes it, on one line. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(([key, item]) => `${bare(key)} = ${written(item)}`);
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  return JSON.stringify(value);
}

function bare(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** A change of a text: what is put in the place of what. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

/**
 * How a text comes to have a value at a path: in the place of the one that stands there, or beside others in the
 * table that it belongs to, or in a table of its own at the end.
 */
export function setting(
  text: string,
  path: string,
  value: string,
  place: { line: number; known: number; value: [number, number] | null } | null,
): Change | null {
  if (place?.value) return { from: place.value[0], to: place.value[1], insert: value };
  const keys = parts(path);
  if (keys.some((key) => key.startsWith("["))) return null;
  const known = place === null ? [] : parts(path.slice(0, place.known));
  const rest = keys.slice(known.length).map(bare).join(".");
  if (place === null && keys.length === 1) {
    // Before the first header, as what follows it is in its table.
    const header = /^[ \t]*\[/m.exec(text);
    const at = header ? header.index : text.length;
    const gap = text.slice(0, at).replace(/\n+$/, "");
    return {
      from: gap.length,
      to: gap.length,
      insert: `${gap === "" ? "" : "\n"}${rest} = ${value}${gap === "" ? "\n" : ""}`,
    };
  }
  if (place !== null) {
    const start = text
      .split("\n")
      .slice(0, place.line - 1)
      .reduce((sum, line) => sum + line.length + 1, 0);
    const end = text.indexOf("\n", start) < 0 ? text.length : text.indexOf("\n", start);
    const line = text.slice(start, end);
    const header = /^\s*\[([^[].*?)\]\s*(#.*)?$/.exec(line);
    if (header && splitKeys(header[1] as string).join("\u0000") === known.join("\u0000")) {
      return { from: end, to: end, insert: `\n${rest} = ${value}` };
    }
    return null;
  }
  const table = keys.slice(0, -1).map(bare).join(".");
  return {
    from: text.length,
    to: text.length,
    insert: `${text.endsWith("\n") ? "" : "\n"}\n[${table}]\n${bare(keys[keys.length - 1] as string)} = ${value}\n`,
  };
}
