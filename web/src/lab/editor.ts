/** The editor of a scenario: TOML, problems underlined, completion and hover texts from the schema. */

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Checked, Remark } from "./protocol.ts";
import { type Grammar, type Meaning, valueAt } from "./schema.ts";
import { around, written } from "./toml.ts";

/** What the editor has to know of the page. */
export interface Surroundings {
  /** What the schema says, when it is there. */
  grammar(): Grammar | null;
  /** The scenario as far as it can be read: the last legal one, resolved. */
  scenario(): unknown;
  /** The text has changed. */
  changed(text: string): void;
  /** Somebody wants it to run. */
  run(): void;
}

export class Editor {
  readonly view: EditorView;
  private readonly label = new Compartment();

  constructor(
    parent: HTMLElement,
    text: string,
    private readonly around: Surroundings,
  ) {
    this.view = new EditorView({ parent, state: this.state(text, "Scenario in TOML") });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Puts another text in the place of this one, which can be undone: what both begin and end with stays as it is. */
  replace(text: string): void {
    const old = this.text;
    if (text === old) return;
    const least = Math.min(old.length, text.length);
    let from = 0;
    while (from < least && old[from] === text[from]) from++;
    let same = 0;
    while (same < least - from && old[old.length - 1 - same] === text[text.length - 1 - same]) same++;
    this.change(from, old.length - same, text.slice(from, text.length - same));
  }

  /** Begins with another text, without a past. */
  open(text: string, label: string): void {
    this.view.setState(this.state(text, label));
  }

  /** Changes a part of the text. */
  change(from: number, to: number, insert: string): void {
    this.view.dispatch({ changes: { from, to, insert } });
  }

  /** Shows a part of the text and goes there. */
  go(from: number, to: number): void {
    const end = this.view.state.doc.length;
    this.view.dispatch({
      selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
      scrollIntoView: true,
    });
    this.view.focus();
  }

  /** Underlines what has been found in the text as it stands. */
  show(checked: Checked): void {
    const end = this.view.state.doc.length;
    const of = (remark: Remark, severity: "error" | "warning"): Diagnostic => {
      const [from, to] = remark.at ?? [0, 0];
      const message = remark.path === "" ? remark.message : `${remark.path}: ${remark.message}`;
      return { from: Math.min(from, end), to: Math.min(to, end), severity, message };
    };
    const all = [
      ...checked.problems.map((problem) => of(problem, "error")),
      ...(checked.warnings ?? []).map((warning) => of(warning, "warning")),
    ];
    this.view.dispatch(
      setDiagnostics(
        this.view.state,
        all.sort((a, b) => a.from - b.from),
      ),
    );
  }

  private state(text: string, label: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        StreamLanguage.define(toml),
        syntaxHighlighting(COLOURS),
        lintGutter(),
        autocompletion({ override: [(context) => this.complete(context)], activateOnTyping: true }),
        hoverTooltip((view, position) => this.hover(view, position), { hoverTime: 400 }),
        keymap.of([
          { key: "Mod-Enter", run: () => (this.around.run(), true) },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.around.changed(update.state.doc.toString());
        }),
        this.label.of(EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" })),
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
      ],
    });
  }

  /** What may stand where one writes. */
  private complete(context: CompletionContext): CompletionResult | null {
    const grammar = this.around.grammar();
    if (grammar === null) return null;
    const here = around(context.state.doc.toString(), context.pos);
    if (here.what === "nothing") return null;
    if (!context.explicit && here.from === context.pos && here.what !== "value") return null;
    const scenario = this.around.scenario();
    if (here.what === "value") {
      const meaning = grammar.meaning(scenario, [...here.table, ...here.before, here.key]);
      if (meaning === null || meaning.values.length === 0) return null;
      const options = meaning.values.map(({ value, about }): Completion => {
        const label = written(value);
        return about === "" ? { label, type: "constant" } : { label, info: about, type: "constant" };
      });
      return { from: here.from, options, validFor: /^["'{}A-Za-z0-9_ .=-]*$/ };
    }
    const keys = grammar.keys(scenario, [...here.table, ...here.before]);
    const options = keys
      .filter((key) => here.what !== "header" || key.isTable)
      .map((key): Completion => {
        const apply = here.what === "header" || key.isTable ? key.name : `${key.name} = `;
        const boost = key.isRequired ? 1 : 0;
        return { label: key.name, apply, info: key.about, type: key.isTable ? "namespace" : "property", boost };
      });
    return options.length === 0 ? null : { from: here.from, options, validFor: /^[A-Za-z0-9_-]*$/ };
  }

  /** What is known of the key or value under the pointer. */
  private hover(view: EditorView, position: number) {
    const word = view.state.wordAt(position);
    const meaning = this.meaning(word?.to ?? position);
    if (meaning === null) return null;
    return {
      pos: word?.from ?? position,
      end: word?.to ?? position,
      above: true,
      create: () => ({ dom: explanation(meaning.path, meaning.meaning, meaning.value) }),
    };
  }

  /** What the schema says of what stands at a position of the text. */
  meaning(position: number): { path: string[]; meaning: Meaning; value: unknown } | null {
    const grammar = this.around.grammar();
    if (grammar === null) return null;
    const here = around(this.text, position);
    if (here.what === "nothing" || here.key === "") return null;
    const path = [...here.table, ...here.before, here.key];
    const meaning = grammar.meaning(this.around.scenario(), path);
    if (meaning === null || (meaning.about === "" && meaning.values.length === 0)) return null;
    return { path, meaning, value: valueAt(this.around.scenario(), path) };
  }
}

/** A text on what stands somewhere, made of text nodes alone: what a scenario says is never read as HTML. */
function explanation(path: string[], meaning: Meaning, value: unknown): HTMLElement {
  const box = document.createElement("div");
  box.className = "lab-hover";
  const add = (kind: string, text: string) => {
    const part = document.createElement(kind);
    part.textContent = text;
    box.append(part);
  };
  add("strong", path[path.length - 1] ?? "");
  const chosen = meaning.values.find((one) => one.value === value);
  if (meaning.about !== "") for (const paragraph of meaning.about.split("\n\n")) add("p", paragraph);
  if (chosen !== undefined && chosen.about !== "") add("p", chosen.about);
  for (const fact of meaning.facts) add("p", fact);
  return box;
}

/** Colours by the names of the page's own, so that dark and light follow. */
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.heading, tags.atom, tags.bracket], color: "var(--code-table)" },
]);
