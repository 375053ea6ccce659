/** What the JSON Schema of scenarios says about a path: which keys there may be, what may stand there, what it means. */

export type Schema = Record<string, unknown>;

/** A key that may stand in a table. */
export interface Key {
  name: string;
  about: string;
  /** Whether its value is a table. */
  isTable: boolean;
  isRequired: boolean;
}

/** What may stand at a path. */
export interface Meaning {
  /** What it means, as the schema says. */
  about: string;
  /** Values that may stand there, with what they mean. */
  values: { value: unknown; about: string }[];
  /** What else is said of it: limits, default. */
  facts: string[];
}

export class Grammar {
  private readonly definitions: Record<string, Schema>;

  constructor(private readonly root: Schema) {
    this.definitions = (root["$defs"] as Record<string, Schema> | undefined) ?? {};
  }

  /** The keys that may stand in the table at a path of this scenario, those that stand there already left out. */
  keys(scenario: unknown, path: string[]): Key[] {
    const known = new Map<string, Key>();
    const here = valueAt(scenario, path);
    const there = here !== null && typeof here === "object" ? new Set(Object.keys(here)) : new Set<string>();
    for (const table of this.at(scenario, path)) {
      const required = new Set((table["required"] as string[] | undefined) ?? []);
      for (const [name, schema] of Object.entries(properties(table))) {
        if (known.has(name) || there.has(name)) continue;
        const variants = this.variants(schema);
        const isTable = variants.length > 0 && variants.every((one) => one["type"] === "object");
        known.set(name, { name, about: this.about(schema), isTable, isRequired: required.has(name) });
      }
    }
    return [...known.values()];
  }

  /** What may stand at a path of this scenario; null if nothing is known of it. */
  meaning(scenario: unknown, path: string[]): Meaning | null {
    const last = path[path.length - 1];
    if (last === undefined) return null;
    const table = path.slice(0, -1);
    const kinds = this.at(scenario, table, false);
    const named = kinds.filter((kind) => "const" in (properties(kind)[last] ?? {}));
    if (named.length > 1) {
      const values = named.map((kind) => ({ value: properties(kind)[last]?.["const"], about: this.about(kind) }));
      return { about: "", values, facts: [] };
    }
    const schemas = this.narrowed(kinds, valueAt(scenario, table)).flatMap((kind) => this.step(kind, last));
    const first = schemas[0];
    if (first === undefined) return null;
    const values = new Map<unknown, { value: unknown; about: string }>();
    const facts = new Set<string>();
    for (const schema of schemas) {
      for (const variant of this.variants(schema)) {
        if ("const" in variant) values.set(variant["const"], { value: variant["const"], about: this.about(variant) });
        for (const value of (variant["enum"] as unknown[] | undefined) ?? []) {
          if (!values.has(value)) values.set(value, { value, about: "" });
        }
        if (variant["type"] === "boolean") {
          for (const value of [true, false]) values.set(value, { value, about: "" });
        }
        const tag = this.tag(variant);
        if (tag !== null) values.set(tag.value, tag);
        for (const fact of limits(variant)) facts.add(fact);
      }
    }
    return { about: this.about(first), values: [...values.values()], facts: [...facts] };
  }

  /** The schemas that a value at a path is held against, in this scenario: of kinds that of the kind that stands there. */
  private at(scenario: unknown, path: string[], isNarrow = true): Schema[] {
    let schemas: Schema[] = [this.root];
    path.forEach((key, index) => {
      const next = schemas.flatMap((schema) => this.step(schema, key));
      const isLast = index === path.length - 1;
      const value = valueAt(scenario, path.slice(0, index + 1));
      schemas = isNarrow || !isLast ? this.narrowed(next, value) : next.flatMap((schema) => this.variants(schema));
    });
    return schemas;
  }

  /** What a key of a table, or an element of a list, is held against. */
  private step(schema: Schema, key: string): Schema[] {
    return this.variants(schema).flatMap((variant) => {
      if (key.startsWith("[")) {
        const items = variant["items"];
        return items !== undefined && typeof items === "object" ? [items as Schema] : [];
      }
      const property = properties(variant)[key];
      if (property !== undefined) return [property];
      const patterns = Object.entries((variant["patternProperties"] as Record<string, Schema> | undefined) ?? {});
      const matching = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(key)).map(([, one]) => one);
      if (matching.length > 0) return matching;
      const others = variant["additionalProperties"];
      return others !== null && typeof others === "object" ? [others as Schema] : [];
    });
  }

  /** A schema without references and choices: all that it may be. */
  private variants(schema: Schema, depth = 0): Schema[] {
    if (depth > 8) return [];
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      const definition = this.definitions[reference.replace("#/$defs/", "")];
      return definition === undefined ? [] : this.variants(definition, depth + 1);
    }
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
    if (choices === undefined) return [schema];
    const own = schema["properties"] === undefined ? [] : [{ ...schema, anyOf: undefined, oneOf: undefined }];
    return [...own, ...choices.flatMap((choice) => this.variants(choice, depth + 1))];
  }

  /** Of several kinds that whose name stands there; all, if none does. */
  private narrowed(schemas: Schema[], value: unknown): Schema[] {
    const all = schemas.flatMap((schema) => this.variants(schema));
    if (value === null || typeof value !== "object") return all;
    const said = value as Record<string, unknown>;
    const fitting = all.filter((schema) => {
      const tags = Object.entries(properties(schema)).filter(([, property]) => "const" in property);
      return tags.some(([key, property]) => said[key] === property["const"]);
    });
    return fitting.length > 0 ? fitting : all;
  }

  /** The name of a kind, of a table that is one of several. */
  private tag(schema: Schema): { value: unknown; about: string } | null {
    const tag = Object.entries(properties(schema)).find(
      ([key, property]) => ["kind", "scheme"].includes(key) && "const" in property,
    );
    return tag === undefined ? null : { value: { [tag[0]]: tag[1]["const"] }, about: this.about(schema) };
  }

  private about(schema: Schema): string {
    if (typeof schema["description"] === "string") return schema["description"];
    const reference = schema["$ref"];
    if (typeof reference !== "string") return "";
    const definition = this.definitions[reference.replace("#/$defs/", "")];
    return definition === undefined ? "" : this.about(definition);
  }
}

function properties(schema: Schema): Record<string, Schema> {
  return (schema["properties"] as Record<string, Schema> | undefined) ?? {};
}

/** What a schema says of numbers and texts, in words. */
function limits(schema: Schema): string[] {
  const facts: string[] = [];
  const legal = schema["x-legal"];
  if (typeof legal === "string") facts.push(`Legal: ${legal}.`);
  else {
    const [least, above] = [schema["minimum"], schema["exclusiveMinimum"]];
    const [most, below] = [schema["maximum"], schema["exclusiveMaximum"]];
    const ends = [
      least !== undefined ? `from ${least}` : above !== undefined ? `above ${above}` : "",
      most !== undefined ? `up to ${most}` : below !== undefined ? `below ${below}` : "",
    ].filter((end) => end !== "");
    if (ends.length > 0) facts.push(`Legal: ${ends.join(" ")}.`);
  }
  const examples = schema["examples"];
  if (Array.isArray(examples) && examples.length > 0) {
    facts.push(`For example ${examples.map((one) => JSON.stringify(one)).join(", ")}.`);
  }
  if (schema["default"] !== undefined) facts.push(`Default: ${JSON.stringify(schema["default"])}.`);
  return facts;
}

/** What stands at a path. */
export function valueAt(value: unknown, path: string[]): unknown {
  let here = value;
  for (const key of path) {
    if (here === null || typeof here !== "object") return undefined;
    here = key.startsWith("[") ? (here as unknown[])[Number(key.slice(1, -1))] : (here as Record<string, unknown>)[key];
  }
  return here;
}
