// The editor for SQL. It lives in a shadow root, where its styles are sheets made
// by script: the page allows no inline ones.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { keywordCompletionSource, PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface Editor { put: (text: string) => void; end: () => void }

export interface Hooks {
  changed: (text: string) => void;
  run: () => void;
  tables: () => string[];
  columns: (table: string) => Promise<string[] | undefined>;
}

const look = EditorView.theme({
  "&": { fontSize: "13.5px", color: "var(--ink)", backgroundColor: "var(--surface)", borderRadius: "8px", border: "1px solid var(--line-strong)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "10px 0", minHeight: "150px", caretColor: "var(--ink)" },
  ".cm-scroller": { maxHeight: "46vh", overflow: "auto", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "none", paddingLeft: "6px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--accent-text)" },
});
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent-text)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--good)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]);

export function open(box: HTMLElement, text: string, hooks: Hooks): Editor {
  const root = box.shadowRoot ?? box.attachShadow({ mode: "open" });
  const names = async (at: CompletionContext): Promise<CompletionResult | null> => {
    const word = at.matchBefore(/[\w.]*/);
    if (!word || word.from === word.to && !at.explicit) return null;
    const mentioned = hooks.tables().filter(t => at.state.doc.toString().includes(t)).slice(0, 5);
    const columns = (await Promise.all(mentioned.map(t => hooks.columns(t).catch(() => undefined)))).flatMap(c => c ?? []);
    return { from: word.from + word.text.lastIndexOf(".") + 1, validFor: /^\w*$/, options: [
      ...hooks.tables().map(label => ({ label, type: "class", detail: "table", boost: 2 })),
      ...[...new Set(columns)].map(label => ({ label, type: "property", detail: "column", boost: 3 })),
    ] };
  };
  const view = new EditorView({
    root, parent: root as unknown as Element,
    state: EditorState.create({ doc: text, extensions: [
      lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(),
      keymap.of([{ key: "Mod-Enter", run: () => { hooks.run(); return true; } }, ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      sql({ dialect: PostgreSQL, upperCaseKeywords: true }), syntaxHighlighting(colours), look, EditorView.lineWrapping,
      autocompletion({ override: [names, keywordCompletionSource(PostgreSQL, true)] }),
      placeholder("SELECT … FROM a table of the catalog"),
      EditorView.contentAttributes.of({ "aria-label": "SQL", spellcheck: "false" }),
      EditorView.updateListener.of(u => { if (u.docChanged) hooks.changed(u.state.doc.toString()); }),
    ] }),
  });
  return {
    put: t => { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: t } }); view.focus(); },
    end: () => view.destroy(),
  };
}
