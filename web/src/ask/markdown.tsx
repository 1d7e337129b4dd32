// What a model writes, shown as it meant it. It is text of a stranger: no scripts,
// no styles, no pictures, and links only to other sites, opened apart.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "preact/hooks";
import type { ReceiptOf } from "./types";
import { ask as T } from "../texts/en/ask";

type Figure = ReceiptOf["figures"][number];

// HTML is shown as the text that it is, and a picture as its description.
const escape = (text: string) => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const marked = new Marked({ gfm: true, async: false,
  renderer: { html: ({ text }) => escape(text), image: ({ text }) => escape(text) } });

// A second net, should the first have a hole.
const clean = DOMPurify(window);
clean.addHook("afterSanitizeAttributes", node => {
  if (node.tagName !== "A") return;
  if (!/^https?:\/\//i.test(node.getAttribute("href") ?? "")) node.removeAttribute("href");
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

// These figures, where they are not parts of others or of names.
const figures = (texts: string[]) =>
  new RegExp(
    `(?<![\\p{L}_@0-9]|[0-9][.,])(?:${texts.map(t => t.replace(/[.]/g, "\\.")).join("|")})(?![0-9]|[.,][0-9])`,
    "gu",
  );

/** Marks figures outside of code: those that rest on nothing, and those that lead to a result. */
function markFigures(html: string, all: Figure[]): string {
  const told = all.filter(f => f.calls?.length || !(f.asked || f.worked_out));
  if (!told.length) return html;
  const wanted = figures([...new Set(told.map(f => f.text))].sort((a, b) => b.length - a.length));
  const box = document.createElement("template"), met = new Map<string, number>();
  box.innerHTML = html; // which was cleaned; in a template nothing runs
  const walk = document.createTreeWalker(box.content, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walk.nextNode())
    if (!walk.currentNode.parentElement?.closest("code, pre")) texts.push(walk.currentNode as Text);
  for (const node of texts) {
    const parts: (string | Node)[] = [];
    let at = 0;
    for (const m of node.data.matchAll(wanted)) {
      // The same text can be two figures, as 3 and 3 %: they come in their order.
      const same = all.filter(f => f.text === m[0]), n = met.get(m[0]) ?? 0, f = same[Math.min(n, same.length - 1)]!;
      met.set(m[0], n + 1);
      if (!f.calls?.length && (f.asked || f.worked_out)) continue;
      const mark = document.createElement(f.calls?.length ? "button" : "mark");
      mark.textContent = m[0];
      if (f.calls?.length) {
        mark.className = "figure";
        mark.dataset.figure = String(all.indexOf(f));
        mark.title = T.whereThisComesFrom;
      } else {
        mark.title = T.inNoResultComputed;
        const heard = mark.appendChild(document.createElement("span"));
        heard.className = "hidden";
        heard.textContent = T.inNoResult;
      }
      parts.push(node.data.slice(at, m.index), mark);
      at = m.index + m[0].length;
    }
    if (at) node.replaceWith(...parts, node.data.slice(at));
  }
  return box.innerHTML;
}

const none: Figure[] = [];

interface MarkdownProps {
  text: string;
  /** Those that the text states, and what opens where one comes from. */
  figures?: Figure[] | undefined; open?: (f: Figure, from: HTMLElement) => void;
}

export function Markdown({ text, figures = none, open }: MarkdownProps) {
  const html = useMemo(() =>
    markFigures(
      clean.sanitize(marked.parse(text) as string, {
        ALLOWED_TAGS: ["p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2",
          "h3", "h4", "hr", "table", "thead", "tbody", "tr", "th", "td", "a"],
        ALLOWED_ATTR: ["href"],
        ALLOW_DATA_ATTR: false,
      }),
      figures,
    ), [text, figures]);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} onClick={e => {
    const at = (e.target as Element).closest<HTMLElement>("[data-figure]");
    const f = at && figures[Number(at.dataset.figure)];
    if (f) open?.(f, at);
  }} />;
}
