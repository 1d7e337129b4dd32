// A table of many rows and columns, of which only the visible part is in the page.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { text } from "../format";
import type { Value } from "../types";

export interface GridColumn { name: string; type: string }

const rowHeight = 30;
const beyond = 6; // rows drawn on either side of what is visible

export function Grid({ name, columns, rows }: { name: string; columns: GridColumn[]; rows: Value[][] }) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 400, width: 800 });
  const layout = useMemo(() => lay(columns, rows), [columns, rows]);
  useLayoutEffect(() => {
    const el = box.current!;
    const look = () => setView({ top: el.scrollTop, left: el.scrollLeft, height: el.clientHeight, width: el.clientWidth });
    look();
    const sized = new ResizeObserver(look);
    sized.observe(el);
    el.addEventListener("scroll", look, { passive: true });
    return () => { sized.disconnect(); el.removeEventListener("scroll", look); };
  }, []);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - beyond);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + beyond);
  const from = Math.max(0, layout.starts.findIndex((start, i) => start + layout.widths[i]! > view.left));
  let to = layout.starts.findIndex(start => start > view.left + view.width);
  if (to < 0) to = columns.length;
  const visible = columns.slice(from, to).map((c, i) => ({ ...c, at: from + i }));

  const cell = (at: number) => ({ left: `${layout.starts[at]}px`, width: `${layout.widths[at]}px` });
  return <div class="grid" ref={box} tabIndex={0} role="table" aria-label={name} aria-rowcount={rows.length + 1} aria-colcount={columns.length}
    style={{ height: `${Math.min(rows.length, 20) * rowHeight + 52}px` }}>
    <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${layout.total}px` }}>
      {visible.map(c => <div key={c.at} role="columnheader" aria-colindex={c.at + 1} class={layout.numeric[c.at] ? "number" : ""} style={cell(c.at)} title={`${c.name} ${c.type}`}>{c.name}</div>)}
    </div>
    <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px`, width: `${layout.total}px` }}>
      {rows.slice(first, last).map((row, i) => <div key={first + i} role="row" aria-rowindex={first + i + 2} class="grid-row" style={{ top: `${(first + i) * rowHeight}px` }}>
        {visible.map(c => <Cell key={c.at} value={row[c.at] ?? null} at={c.at} numeric={layout.numeric[c.at]!} style={cell(c.at)} />)}
      </div>)}
    </div>
  </div>;
}

function Cell({ value, at, numeric, style }: { value: Value; at: number; numeric: boolean; style: Record<string, string> }) {
  const shown = text(value);
  return <div role="cell" aria-colindex={at + 1} class={value === null ? "null" : numeric ? "number" : ""} style={style} title={shown.length > 24 ? shown : undefined}>
    {value === null ? "NULL" : shown.length > 300 ? shown.slice(0, 300) + "…" : shown}</div>;
}

/** Widths by what the first rows hold, within bounds. */
function lay(columns: GridColumn[], rows: Value[][]) {
  const widths: number[] = [], starts: number[] = [], numeric: boolean[] = [];
  let total = 0;
  columns.forEach((c, at) => {
    let longest = c.name.length + 2, number = true, some = false;
    for (const row of rows.slice(0, 100)) {
      const v = row[at];
      longest = Math.max(longest, text(v).length);
      if (v === null || v === undefined) continue;
      some = true;
      if (typeof v !== "number") number = false;
    }
    const width = Math.min(320, Math.max(72, Math.round(longest * 7.6) + 26));
    widths.push(width);
    starts.push(total);
    numeric.push(some ? number : false);
    total += width;
  });
  return { widths, starts, numeric, total };
}
