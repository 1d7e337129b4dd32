// Rows as text for other programs.
import { text } from "../values";
import type { Value } from "../types";

/**
 * The rows as text, with a header unless told otherwise. In CSV, NULL is empty and the empty string is "".
 * A text that a spreadsheet would run as a formula gets a quote in front.
 */
export function lines(columns: { name: string }[], rows: Value[][], separator: "," | "\t",
  head = true): string
{
  const cell = (v: Value) => {
    if (v === null) return "";
    let s = text(v);
    if (typeof v === "string" && /^\s*[=+@-]|^[\t\r\n]/.test(s) && !/^-?[0-9.]+(e[+-]?[0-9]+)?$/i.test(s)) s = "'" + s;
    if (separator === "\t") return s.replace(/[\t\r\n]+/g, " ");
    return s === "" || /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
  };
  const all = [...head ? [columns.map(c => cell(c.name))] : [], ...rows.map(r => r.map(cell))];
  return all.map(l => l.join(separator)).join("\n") + "\n";
}
