// The editor for SQL. It lives in a shadow root, where its styles are sheets made
// by script: the page allows no inline ones.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, ensureSyntaxTree, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers,
  placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { complete, type Names } from "./complete";
import { spaced } from "./text";
import { sql as T } from "../texts/en/sql";

export interface Editor {
  put: (text: string) => void;
  /** Writes where the cursor is, with spaces around it as needed. */
  insert: (text: string) => void;
  /** Underlines a mistake until the text changes; nothing: takes the line away. */
  mark: (place?: { from: number; to: number }) => void;
  /** Writes something in the place of what is there. */
  exchange: (from: number, to: number, text: string) => void;
  /** The cursor goes to the end, or a selection is made. */
  focus: (from?: number, to?: number) => void;
  end: () => void;
}

export interface Hooks extends Names {
  label: string;
  changed: (text: string) => void;
  run: () => void;
  focused: () => void;
}

const look = EditorView.theme({
  "&": { fontSize: "13.5px", color: "var(--ink)", backgroundColor: "var(--surface)", borderRadius: "8px",
    border: "1px solid var(--line-strong)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-content": { fontFamily: "var(--mono)", padding: "10px 0", minHeight: "96px", caretColor: "var(--ink)" },
  ".cm-scroller": { maxHeight: "46vh", overflow: "auto", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "none", paddingLeft: "6px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "none" },
  ".cm-mistake": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "4px",
    backgroundColor: "var(--bad-soft)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)",
    borderRadius: "8px", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)",
    color: "var(--accent-text)" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginLeft: "1.5em" },
});
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent-text)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--good)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]);

const setMark = StateEffect.define<{ from: number; to: number } | undefined>();
const mistake = Decoration.mark({ class: "cm-mistake" });
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (old, t) => {
    for (const e of t.effects)
      if (e.is(setMark)) return e.value ? Decoration.set(mistake.range(e.value.from, e.value.to)) : Decoration.none;
    return t.docChanged ? Decoration.none : old;
  },
  provide: f => EditorView.decorations.from(f),
});

/** Types over a selection. The browser would keep the look of what was there as inline styles, which are forbidden. */
function overSelection(e: InputEvent, view: EditorView): boolean {
  const { from, to } = view.state.selection.main, text = e.data;
  if (e.inputType !== "insertText" || !text || from === to || view.composing) return false;
  const typed = () => view.state.update({ changes: { from, to, insert: text },
    selection: { anchor: from + text.length }, userEvent: "input.type", scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some(does => does(view, from, to, text, typed)))
    view.dispatch(typed());
  return true;
}

/**
 * A bracket within a text, a quoted name or a comment gets no partner. closeBrackets sees that by the quote behind the
 * cursor, which is not there if the opening one was typed before the editor came.
 */
const plainBrackets = EditorView.inputHandler.of((view, from, to, text, typed) => {
  if (from !== to || !"([{".includes(text)) return false;
  const within = ensureSyntaxTree(view.state, from, 50)?.resolveInner(from, -1).name ?? "";
  if (!/String|Comment|QuotedIdentifier/.test(within)) return false;
  view.dispatch(typed());
  return true;
});

export function open(box: HTMLElement, text: string, hooks: Hooks): Editor {
  const root = box.shadowRoot ?? box.attachShadow({ mode: "open" });
  const view = new EditorView({
    root, parent: root as unknown as Element,
    state: EditorState.create({ doc: text, extensions: [
      lineNumbers(), history(), drawSelection(), bracketMatching(), plainBrackets, closeBrackets(),
      mistakes,
      keymap.of([{ key: "Mod-Enter", run: () => { hooks.run(); return true; } },
        ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      sql({ dialect: PostgreSQL, upperCaseKeywords: true }), syntaxHighlighting(colours), look, EditorView.lineWrapping,
      autocompletion({ override: [async at => {
        const found = await complete(at.state.doc.toString(), at.pos, at.explicit, hooks);
        return found?.options.length ? { ...found, ...found.now ? {} : { validFor: /^\w*$/ } } : null;
      }] }),
      placeholder(T.selectFROMTableOfCatalog), EditorView.domEventHandlers({ beforeinput: overSelection }),
      EditorView.contentAttributes.of({ "aria-label": hooks.label, spellcheck: "false" }),
      EditorView.updateListener.of(u => {
        if (u.docChanged) hooks.changed(u.state.doc.toString());
        if (u.focusChanged && u.view.hasFocus) hooks.focused();
      }),
    ] }),
  });
  const write = (from: number, to: number, insert: string) => {
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true });
    view.focus();
  };
  return {
    put: t => write(0, view.state.doc.length, t),
    insert: t => {
      const { from, to } = view.state.selection.main, doc = view.state.doc;
      write(from, to, spaced(doc.sliceString(from - 1, from), t, doc.sliceString(to, to + 1)));
    },
    mark: place => {
      const end = view.state.doc.length, to = place && Math.min(place.to, end),
        from = place && Math.min(place.from, Math.max(0, end - 1));
      view.dispatch({ effects: setMark.of(place && from! < to! ? { from: from!, to: to! } : undefined) });
    },
    exchange: write,
    focus: (from = view.state.doc.length, to = from) => {
      view.dispatch({ selection: { anchor: from, head: to } });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
