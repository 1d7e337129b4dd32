// What a model writes, shown as it meant it. It is text of a stranger: no scripts,
// no styles, no pictures, and links only to other sites, opened apart.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "preact/hooks";

// HTML is shown as the text that it is, and a picture as its description.
const escape = (text: string) => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const marked = new Marked({ gfm: true, async: false, renderer: { html: ({ text }) => escape(text), image: ({ text }) => escape(text) } });

// A second net, should the first have a hole.
const clean = DOMPurify(window);
clean.addHook("afterSanitizeAttributes", node => {
  if (node.tagName !== "A") return;
  if (!/^https?:\/\//i.test(node.getAttribute("href") ?? "")) node.removeAttribute("href");
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => clean.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS: ["p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4", "hr", "table", "thead", "tbody", "tr", "th", "td", "a"],
    ALLOWED_ATTR: ["href"], ALLOW_DATA_ATTR: false,
  }), [text]);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
