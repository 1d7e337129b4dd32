// A table of many rows and columns, of which only the visible part is in the page.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { readable, text } from "../format";
import { Copy } from "./copy";
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
  const [wide, setWide] = useState<Record<number, number>>({});
  const [open, setOpen] = useState<{ row: number; at: number }>();
  const laid = useMemo(() => lay(columns, rows), [columns, rows]);
  const layout = useMemo(() => place(laid, wide), [laid, wide]);
  /** Makes a column as wide as the pointer says. */
  const drag = (e: PointerEvent, at: number) => {
    const began = e.clientX, was = layout.widths[at]!, grip = e.currentTarget as HTMLElement;
    e.preventDefault();
    grip.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => setWide(w => ({ ...w, [at]: Math.max(40, was + m.clientX - began) }));
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move), { once: true });
  };
  useLayoutEffect(() => {
    const el = box.current!;
    let frame = 0;
    const look = () => {
      frame = 0;
      setView({ top: el.scrollTop, left: el.scrollLeft, height: el.clientHeight, width: el.clientWidth });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
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
  const shown = open && rows[open.row] && columns[open.at] ? open : undefined;
  return <>
    <div class="grid" ref={box} tabIndex={0} role="table" onKeyDown={e => {
      if (e.key === "Enter" && e.target === e.currentTarget && rows.length)
        setOpen({ row: Math.floor(view.top / rowHeight), at: from });
    }} aria-label={name} aria-rowcount={rows.length + 1} aria-colcount={columns.length}
      style={{ height: `${Math.min(rows.length, 20) * rowHeight + 36 + (layout.total > view.width ? 16 : 0)}px` }}>
      <div role="rowgroup" class="grid-head" style={{ width: `${layout.total}px` }}>
        <div role="row" aria-rowindex={1}>
          {visible.map(c =>
            <div key={c.at} role="columnheader" aria-colindex={c.at + 1} class={layout.right[c.at] ? "number" : ""}
              style={cell(c.at)} title={`${c.name} ${c.type}`}
              aria-sort={order?.at === c.at ? order.down ? "descending" : "ascending" : "none"}>
              {sortBy ? <button onClick={() =>
                sortBy(c.at)}>
                {c.name}
                {order?.at === c.at && <span aria-hidden="true">{order.down ? " ↓" : " ↑"}</span>}
              </button> : c.name}
              <i class="grip" aria-hidden="true" onPointerDown={e => drag(e, c.at)} />
            </div>
          )}
        </div>
      </div>
      <div class="grid-body" role="rowgroup"
        style={{ height: `${rows.length * rowHeight}px`, width: `${layout.total}px` }}>
        {rows.slice(first, last).map((row, i) =>
          <div key={first + i} role="row" aria-rowindex={first + i + 2} class="grid-row"
            style={{ top: `${(first + i) * rowHeight}px` }}>
            {visible.map(c =>
              <Cell key={c.at} value={row[c.at] ?? null} column={c} at={c.at} right={layout.right[c.at]!}
                style={cell(c.at)} open={() => setOpen({ row: first + i, at: c.at })} />
            )}
          </div>
        )}
      </div>
    </div>
    {shown &&
      <OneValue column={columns[shown.at]!} row={shown.row} value={rows[shown.row]![shown.at] ?? null} close={() => {
        setOpen(undefined);
        box.current?.focus({ preventScroll: true });
      }} go={(down, across) =>
        setOpen({ row: Math.max(0, Math.min(rows.length - 1, shown.row + down)),
          at: Math.max(0, Math.min(columns.length - 1, shown.at + across)) })} wider={by =>
        setWide(w => ({ ...w, [shown.at]: Math.max(40, layout.widths[shown.at]! + by) }))} />}
  </>;
}

const longestShown = 200_000; // characters of a value

/** One value, exact and whole, with ways to its neighbours. */
function OneValue(
  { column: c, row, value, close, go, wider }: { column: PageColumn; row: number; value: Value; close: () => void;
    go: (down: number, across: number) => void; wider: (by: number) => void },
) {
  const exact = value === null ? "NULL"
    : typeof value === "object" ? JSON.stringify(value, null, 2) : pretty(text(value), c.type);
  return <section class="card value" aria-label="Value" onKeyDown={e => {
    if (e.key === "Escape") close();
  }}>
    <div class="bar">
      <strong>{c.name}</strong>
      <code class="soft small">{c.type}</code>
      <span class="soft small">row {row + 1}{exact.length > 60 && `, ${exact.length} characters`}</span>
      <span class="grow" />
      {([["Left", 0, -1], ["Right", 0, 1], ["Up", -1, 0], ["Down", 1, 0]] as const).map(([label, down, across]) =>
        <button key={label} type="button" class="quiet" aria-label={`Value ${label.toLowerCase()}`} onClick={() =>
          go(down, across)}>
          {{ Left: "←", Right: "→", Up: "↑", Down: "↓" }[label]}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => wider(120)}>Wider column</button>
      <Copy text={() => text(value)} />
      <button type="button" class="quiet" onClick={close}>Close</button>
    </div>
    <pre class="paper" tabIndex={0} role="region" aria-label="The whole value"
      aria-live="polite">{exact === "" ? <span class="soft">the empty text</span> : exact.slice(0, longestShown)}
      {exact.length > longestShown && "…"}</pre>
  </section>;
}

/** JSON in lines; any other text as it is. */
function pretty(exact: string, type: string): string {
  if (!/json|struct|map|\[\]|list/i.test(type) || !/^[\[{]/.test(exact)) return exact;
  try { return /\d{16}/.test(exact) ? exact : JSON.stringify(JSON.parse(exact), null, 2); } catch { return exact; }
}

function Cell(
  { value, column, at, right, style, open }: { value: Value; column: PageColumn; at: number; right: boolean;
    style: Record<string, string>; open: () => void },
) {
  const exact = text(value), shown = readable(value, column);
  return <div role="cell" aria-colindex={at + 1} onClick={() => {
    if (!getSelection()?.toString()) open();
  }} class={value === null ? "null" : right ? "number" : ""} style={style}
    title={exact.length > 24 || exact !== shown ? exact.slice(0, longestTip) : undefined}>
    {value === null ? "NULL" : shown.length > 300 ? shown.slice(0, 300) + "…" : shown}
  </div>;
}

/** Widths by what the first rows hold, within bounds. */
function lay(columns: PageColumn[], rows: Value[][]) {
  const pen = document.createElement("canvas").getContext("2d")!;
  const family = getComputedStyle(document.body).fontFamily;
  const wide = (s: string, font: string) => { pen.font = font + family; return pen.measureText(s).width; };
  const widths: number[] = [], right: boolean[] = [];
  columns.forEach((c, at) => {
    let longest = "";
    for (const row of rows.slice(0, 100)) {
      const shown = readable(row[at], c).slice(0, 60);
      if (shown.length > longest.length) longest = shown;
    }
    const width = Math
      .round(Math.min(340, Math.max(64, wide(longest, "13.5px "), wide(c.name, "600 12.5px ") + 14)) + 28);
    widths.push(width);
    right.push(c.numeric);
  });
  return { widths, right };
}

/** Where columns begin, with the widths that somebody gave them. */
function place({ widths: own, right }: ReturnType<typeof lay>, wide: Record<number, number>) {
  const widths = own.map((w, at) => wide[at] ?? w), starts: number[] = [];
  let total = 0;
  for (const w of widths) { starts.push(total); total += w; }
  return { widths, starts, right, total };
}
