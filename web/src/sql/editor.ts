// The editor for SQL. It lives in a shadow root, where its styles are sheets made
// by script: the page allows no inline ones.
import { autocompletion, closeBrackets, closeBracketsKeymap, type CompletionContext, completionKeymap,
  type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface Editor { put: (text: string) => void; focus: () => void; end: () => void }

export interface Hooks {
  changed: (text: string) => void;
  run: () => void;
  tables: () => string[];
  columns: (table: string) => Promise<string[] | undefined>;
  /** Names are quoted by backticks, not by double quotes. */
  backticks: () => boolean;
}

// What a SELECT is made of: a statement here only reads.
const keywords = ("SELECT,DISTINCT,FROM,WHERE,GROUP BY,HAVING,ORDER BY,LIMIT,OFFSET,JOIN,LEFT JOIN,FULL JOIN," +
  "CROSS JOIN,INNER JOIN,ON,USING,AS,AND,OR,NOT,IN,IS NULL,IS NOT NULL,BETWEEN,LIKE,ILIKE,EXISTS,CASE,WHEN,THEN,ELSE," +
  "END,CAST,WITH,UNION ALL,UNION,INTERSECT,EXCEPT,OVER,PARTITION BY,ASC,DESC,NULLS LAST,TRUE,FALSE,NULL,INTERVAL," +
  "VALUES,QUALIFY,FILTER").split(",");
const functions = ("count sum avg min max median round floor ceil abs coalesce nullif lower upper trim length " +
  "substring replace concat date_trunc extract row_number rank lag lead").split(" ");
const reserved = new Set(keywords.flatMap(k => k.split(" ")));

/** A name as a statement has it. */
function quoted(name: string, backticks: boolean): string {
  if (/^[a-z_][a-z0-9_]*$/i.test(name) && !reserved.has(name.toUpperCase())) return name;
  return backticks ? "`" + name.replaceAll("`", "``") + "`" : `"${name.replaceAll('"', '""')}"`;
}

const look = EditorView.theme({
  "&": { fontSize: "13.5px", color: "var(--ink)", backgroundColor: "var(--surface)", borderRadius: "8px",
    border: "1px solid var(--line-strong)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "10px 0", minHeight: "150px", caretColor: "var(--ink)" },
  ".cm-scroller": { maxHeight: "46vh", overflow: "auto", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "none", paddingLeft: "6px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)",
    borderRadius: "8px", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)",
    color: "var(--accent-text)" },
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
    const columns = (await Promise.all(mentioned.map(t => hooks.columns(t).catch(() => undefined)))).flatMap(c =>
      c ?? []
    );
    return { from: word.from + word.text.lastIndexOf(".") + 1, validFor: /^\w*$/, options: [
      ...hooks.tables().map(label => ({ label, apply: quoted(label, hooks.backticks()), type: "class", detail: "table",
        boost: 2 })
      ),
      ...[...new Set(columns)].map(label => ({ label, apply: quoted(label, hooks.backticks()), type: "property",
        detail: "column", boost: 3 })
      ),
      ...keywords.map(label => ({ label, type: "keyword" })),
      ...functions.map(label => ({ label, apply: label + "(", type: "function", detail: "function", boost: -1 })),
    ] };
  };
  const view = new EditorView({
    root, parent: root as unknown as Element,
    state: EditorState.create({ doc: text, extensions: [
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      keymap.of([{ key: "Mod-Enter", run: () => {
        hooks.run();
        return true;
      } }, ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      autocompletion({ override: [names] }),
      placeholder("SELECT … FROM a table of the catalog"),
      EditorView.contentAttributes.of({ "aria-label": "SQL", spellcheck: "false" }),
      EditorView.updateListener.of(u => { if (u.docChanged) hooks.changed(u.state.doc.toString()); }),
    ] }),
  });
  return {
    put: t => { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: t } }); view.focus(); },
    focus: () => { view.dispatch({ selection: { anchor: view.state.doc.length } }); view.focus(); },
    end: () => view.destroy(),
  };
}
