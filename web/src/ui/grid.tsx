// A table of many rows and columns, of which only the visible part is in the page.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { text } from "../format";
import type { PageColumn, Value } from "../types";

const rowHeight = 30;
const longestTip = 2000; // characters
const beyond = 6; // rows drawn on either side of what is visible

interface GridProps {
  name: string; columns: PageColumn[]; rows: Value[][];
  order?: { at: number; down: boolean } | undefined; sortBy?: (at: number) => void;
}

export function Grid({ name, columns, rows, order, sortBy }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 400, width: 800 });
  const layout = useMemo(() => lay(columns, rows), [columns, rows]);
  useLayoutEffect(() => {
    const el = box.current!;
    let frame = 0;
    const look = () => { frame = 0; setView({ top: el.scrollTop, left: el.scrollLeft, height: el.clientHeight, width: el.clientWidth }); };
    const soon = () => { frame ||= requestAnimationFrame(look); };
    look();
    const sized = new ResizeObserver(soon);
    sized.observe(el);
    el.addEventListener("scroll", soon, { passive: true });
    return () => { cancelAnimationFrame(frame); sized.disconnect(); el.removeEventListener("scroll", soon); };
  }, []);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - beyond);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + beyond);
  const from = Math.max(0, layout.starts.findIndex((start, i) => start + layout.widths[i]! > view.left));
  let to = layout.starts.findIndex(start => start > view.left + view.width);
  if (to < 0) to = columns.length;
  const visible = columns.slice(from, to).map((c, i) => ({ ...c, at: from + i }));

  const cell = (at: number) => ({ left: `${layout.starts[at]}px`, width: `${layout.widths[at]}px` });
  return <div class="grid" ref={box} tabIndex={0} role="table" aria-label={name} aria-rowcount={rows.length + 1} aria-colcount={columns.length}
    style={{ height: `${Math.min(rows.length, 20) * rowHeight + 36 + (layout.total > view.width ? 16 : 0)}px` }}>
    <div role="rowgroup" class="grid-head" style={{ width: `${layout.total}px` }}><div role="row" aria-rowindex={1}>
      {visible.map(c => <div key={c.at} role="columnheader" aria-colindex={c.at + 1} class={layout.right[c.at] ? "number" : ""} style={cell(c.at)} title={`${c.name} ${c.type}`}
        aria-sort={order?.at === c.at ? order.down ? "descending" : "ascending" : "none"}>
        {sortBy ? <button onClick={() => sortBy(c.at)}>{c.name}{order?.at === c.at && <span aria-hidden="true">{order.down ? " ↓" : " ↑"}</span>}</button> : c.name}</div>)}
    </div></div>
    <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px`, width: `${layout.total}px` }}>
      {rows.slice(first, last).map((row, i) => <div key={first + i} role="row" aria-rowindex={first + i + 2} class="grid-row" style={{ top: `${(first + i) * rowHeight}px` }}>
        {visible.map(c => <Cell key={c.at} value={row[c.at] ?? null} at={c.at} right={layout.right[c.at]!} style={cell(c.at)} />)}
      </div>)}
    </div>
  </div>;
}

function Cell({ value, at, right, style }: { value: Value; at: number; right: boolean; style: Record<string, string> }) {
  const shown = text(value);
  return <div role="cell" aria-colindex={at + 1} class={value === null ? "null" : right ? "number" : ""} style={style} title={shown.length > 24 ? shown.slice(0, longestTip) : undefined}>
    {value === null ? "NULL" : shown.length > 300 ? shown.slice(0, 300) + "…" : shown}</div>;
}

/** Widths by what the first rows hold, within bounds. */
function lay(columns: PageColumn[], rows: Value[][]) {
  const pen = document.createElement("canvas").getContext("2d")!;
  const family = getComputedStyle(document.body).fontFamily;
  const wide = (s: string, font: string) => { pen.font = font + family; return pen.measureText(s).width; };
  const widths: number[] = [], starts: number[] = [], right: boolean[] = [];
  let total = 0;
  columns.forEach((c, at) => {
    let longest = "";
    for (const row of rows.slice(0, 100)) {
      const shown = text(row[at]).slice(0, 60);
      if (shown.length > longest.length) longest = shown;
    }
    const width = Math.round(Math.min(340, Math.max(64, wide(longest, "13.5px "), wide(c.name, "600 12.5px ") + 14)) + 28);
    widths.push(width);
    starts.push(total);
    right.push(c.numeric);
    total += width;
  });
  return { widths, starts, right, total };
}
