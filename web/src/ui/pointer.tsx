// Where in a text the mistake is that an error tells of.
import type { Failure } from "../api";

/** The place in characters, by what the error says of it; -1: it says nothing. */
export function placeOf(text: string, error: Failure): number {
  const { offset, position } = error.details;
  if (typeof offset === "number")
    return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, offset)).length;
  if (typeof position === "number") return [...text].slice(0, position - 1).join("").length;
  return -1;
}

export function Pointer({ text, error }: { text: string; error: Failure }) {
  const at = placeOf(text, error);
  if (at < 0 || at > text.length) return null;
  const from = Math.max(0, text.lastIndexOf("\n", at - 1) + 1 - 200), to = Math.min(text.length, at + 300);
  return <pre class="pointer">{from > 0 && "…"}{text.slice(from, at)}<mark>{text.slice(at, at + 1).trim() || " "}</mark>
    {text.slice(at + 1, to)}{to < text.length && "…"}</pre>;
}
