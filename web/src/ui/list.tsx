// A plain table of things, with one row for each.
import type { ComponentChildren } from "preact";
import { ui as T } from "../texts/en/ui";

export function List<T>({ name, kind = "", head, rows, row, empty, numbers = [] }: {
  name: string; /** How it is laid out. */ kind?: string;
  head: string[]; rows: T[]; row: (v: T) => ComponentChildren[]; empty: string; numbers?: number[];
}) {
  if (!rows.length) return <p class="soft">{empty}</p>;
  return <div class="scroll" tabIndex={0} role="region" aria-label={name}>
    <table class={`list ${kind}`}>
      <thead>
        <tr>
          {head.map((h, i) =>
            <th key={i} class={numbers.includes(i) ? "number" : ""}>{h || <span class="hidden">{T.actions}</span>}</th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((r, i) =>
          <tr key={i}>{row(r).map((c, j) => <td key={j} class={numbers.includes(j) ? "number" : ""}>{c}</td>)}</tr>
        )}
      </tbody>
    </table>
  </div>;
}
