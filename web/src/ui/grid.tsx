// A table of many rows and columns, of which only the visible part is in the page.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count } from "../format";
import { fitted, readable, text } from "../values";
import { ColumnMenu, type ColumnActions } from "./columns";
import { Copy } from "./copy";
import { lines } from "./csv";
import { drawn, useScroll } from "./scroll";
import { OneValue } from "./value";
import type { Rows } from "./rows";
import type { PageColumn, Value } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

const rowHeight = 30, headHeight = 34;
const longestTip = 2000; // characters
const beyond = 6; // rows drawn on either side of what is visible
const mostCopied = 200_000; // cells

interface GridProps {
  name: string; columns: PageColumn[]; rows: Rows; order?: { at: number; down: boolean } | undefined;
  /** What its owner does with columns; without it they only become wider. */
  actions?: ColumnActions | undefined;
  /** How many of the first columns stay in view. */
  pinned?: number;
  /** The cell that is looked for: it is in view and has the focus from the start. */
  begin?: Place | undefined;
  /** How many rows are in view at most. */
  most?: number | undefined;
}

export interface Place { row: number; at: number }

export function Grid({ name, columns: given, rows, order, actions, pinned = 0, begin, most = 20 }: GridProps) {
  const box = useRef<HTMLDivElement>(null), id = useMemo(() => "grid" + Math.random().toString(36).slice(2, 8), []);
  const [view, scrollTo] = useScroll(box, rows.count * rowHeight);
  const [wide, setWide] = useState<Record<string, number>>({});
  const [open, setOpen] = useState(false);
  const [menu, setMenu] = useState<number>();
  // The cell that the keys are at, and the one that a selection of more began with; row -1: the head.
  const [here, setHere] = useState<Place>({ row: 0, at: 0 });
  const [from, setFrom] = useState<Place>();
  const first = Math.max(0, Math.floor(view.top / rowHeight) - beyond);
  const last = Math.min(rows.count, Math.ceil((view.top + view.height) / rowHeight) + beyond);
  useEffect(() => rows.look(first, last), [rows, first, last]);
  const begun = rows.row(0) !== undefined;
  // What a condition leaves of the rows does not decide anew.
  const years = useRef<{ of: PageColumn[]; are: boolean[] }>(undefined);
  if (begun && years.current?.of !== given)
    years.current = { of: given, are: given.map((_, at) => hasYears(rows, at)) };
  const columns = useMemo(() => given.map((c, at) => ({ ...c, years: !!years.current?.are[at] })), [given, begun]);
  const wide0 = useMemo(pen, []), own = useMemo(() => lay(columns, rows, wide0), [columns, rows]);
  const layout = useMemo(() => place(columns, own, wide), [columns, own, wide]);
  const held = layout.starts[pinned] ?? layout.total; // the width of what is pinned
  const active = { row: Math.min(here.row, rows.count - 1), at: Math.min(here.at, columns.length - 1) };
  const other = from ?? active, rect = { top: Math.min(active.row, other.row), bottom: Math.max(active.row, other.row),
    left: Math.min(active.at, other.at), right: Math.max(active.at, other.at) };
  const many = (rect.bottom - rect.top + 1) * (rect.right - rect.left + 1);
  const widen = (at: number, by: number) =>
    setWide(w => ({ ...w, [key(columns, at)]: Math.max(40, layout.widths[at]! + by) }));

  const go = (to: Place, extend = false) => {
    setFrom(extend ? from ?? active : undefined);
    setHere(to);
    const el = box.current!, y = to.row * rowHeight, space = el.clientHeight - headHeight;
    if (to.row >= 0 && y < view.top) scrollTo(y);
    else if (to.row >= 0 && y + rowHeight > view.top + space) scrollTo(y + rowHeight - space);
    const x = layout.starts[to.at]!;
    if (to.at >= pinned) {
      if (x < el.scrollLeft + held) el.scrollLeft = x - held;
      else if (x + layout.widths[to.at]! > el.scrollLeft + el.clientWidth)
        el.scrollLeft = x + layout.widths[to.at]! - el.clientWidth;
    }
  };
  useEffect(() => {
    if (!begin) return;
    go(begin);
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, [begin?.row, begin?.at]);
  const selected = async () => {
    const columnsOf = columns.slice(rect.left, rect.right + 1);
    const all = await rows.range(rect.top, rect.bottom + 1);
    return lines(columnsOf, all.map(r => r.slice(rect.left, rect.right + 1)), "\t", false);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.target !== e.currentTarget || !columns.length) return;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 2), end = rows.count - 1, { row, at } = active;
    const far = e.ctrlKey || e.metaKey;
    const to: Record<string, Place> = {
      ArrowUp: { row: row - 1, at }, ArrowDown: { row: row + 1, at }, ArrowLeft: { row, at: at - 1 },
      ArrowRight: { row, at: at + 1 }, PageUp: { row: row - page, at }, PageDown: { row: row + page, at },
      Home: { row: far ? 0 : row, at: 0 }, End: { row: far ? end : row, at: columns.length - 1 },
    };
    const next = to[e.key];
    if (next) {
      const top = e.key === "ArrowUp" && row <= 0 && !e.shiftKey ? -1 : Math.min(0, row);
      go({ row: Math.max(top, Math.min(end, next.row)), at: Math.max(0, Math.min(columns.length - 1, next.at)) },
        e.shiftKey);
    } else if (e.key === "Enter" || e.key === " ") {
      if (row >= 0) setOpen(true);
      else if (e.key === " ") actions?.turn(at);
      else if (actions) setMenu(at);
    } else if (far && e.key.toLowerCase() === "c" && many <= mostCopied) {
      void selected().then(t => navigator.clipboard.writeText(t));
    } else if (far && e.key.toLowerCase() === "a") {
      setFrom({ row: 0, at: 0 });
      setHere({ row: end, at: columns.length - 1 });
    } else if (e.key === "Escape" && from) setFrom(undefined);
    else return;
    e.preventDefault();
  };
  /** Selects what the pointer is drawn over. */
  const press = (e: PointerEvent, row: number, at: number) => {
    if (e.button !== 0) return;
    if (e.shiftKey) {
      e.preventDefault();
      setFrom(from ?? active);
    } else setFrom(undefined);
    setHere({ row, at });
    const again = !from && !e.shiftKey && here.row === row && here.at === at;
    const start = e.shiftKey ? from ?? active : { row, at };
    const over = (m: PointerEvent) => {
      const cell = (m.target as Element).closest?.<HTMLElement>("[data-cell]");
      if (!cell || !box.current?.contains(cell)) return;
      const [r, c] = cell.dataset.cell!.split(" ").map(Number) as [number, number];
      setFrom(r === start.row && c === start.at ? undefined : start);
      setHere({ row: r, at: c });
    };
    addEventListener("pointerover", over);
    addEventListener("pointerup", u => {
      removeEventListener("pointerover", over);
      if (again && (u.target as Element).closest?.<HTMLElement>("[data-cell]")?.dataset.cell === `${row} ${at}`)
        setOpen(true);
    }, { once: true });
  };
  const drag = (e: PointerEvent, at: number) => {
    let x = e.clientX, width = layout.widths[at]!;
    const grip = e.currentTarget as HTMLElement;
    e.preventDefault();
    grip.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => {
      width += m.clientX - x;
      x = m.clientX;
      setWide(w => ({ ...w, [key(columns, at)]: Math.max(40, width) }));
    };
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move), { once: true });
  };

  const start = Math.max(pinned, layout.starts.findIndex((s, i) => s + layout.widths[i]! > view.left + held));
  let end = layout.starts.findIndex(s => s > view.left + view.width);
  if (end < 0) end = columns.length;
  const free = range(start, end), stuck = range(0, pinned);
  const style = (at: number, left = layout.starts[at]!, right = layout.starts[at]! + layout.widths[at]!) =>
    ({ left: `${left}px`, width: `${right - left}px` });
  // A cell at the edge is as wide as what of it is in view: what is cut has its mark.
  const inView = (at: number) => {
    if (at < pinned) return style(at);
    const left = layout.right[at] ? Math.max(layout.starts[at]!, view.left + held) : layout.starts[at]!;
    return style(at, left, Math.max(left, Math.min(layout.starts[at]! + layout.widths[at]!, view.left + view.width)));
  };
  const head = (at: number) => {
    const c = columns[at]!, sorted = order?.at === at;
    return <div key={at} id={`${id}-h-${at}`} role="columnheader" aria-colindex={at + 1} style={style(at)}
      class={(layout.right[at] ? "number" : "") + (active.row < 0 && active.at === at ? " here" : "")}
      title={`${c.name} ${c.type}`} aria-sort={sorted ? order.down ? "descending" : "ascending" : "none"}>
      {actions ? <>
        <button tabIndex={-1} class="name" onClick={() => actions.turn(at)}>
          {c.name}
        </button>
        <button tabIndex={-1} class="more" aria-label={say(T.column, { name: c.name })} aria-haspopup="dialog"
          aria-expanded={menu === at} onClick={() => setMenu(at)} />
      </> : c.name}
      <i class="grip" aria-hidden="true" onPointerDown={e => drag(e, at)} />
    </div>;
  };
  const cells = (row: number, values: Value[] | undefined, places: number[]) => places.map(at => {
    const inside = row >= rect.top && row <= rect.bottom && at >= rect.left && at <= rect.right;
    return <Cell key={at} id={`${id}-${row}-${at}`} value={values ? values[at] ?? null : undefined} row={row} at={at}
      column={columns[at]!} right={layout.right[at]!} style={inView(at)} wide={wide0}
      here={row === active.row && at === active.at} selected={inside && many > 1} press={press} open={() => {
        setHere({ row, at });
        setOpen(true);
      }} />;
  });
  const opened = open && active.row >= 0 ? rows.row(active.row)?.[active.at] : undefined;
  const wideHeld = pinned > 0 && { width: `${held}px` };
  return <div class="grid-box">
    <div class="grid" ref={box} tabIndex={0} role="grid" aria-label={name} aria-rowcount={rows.count + 1}
      aria-colcount={columns.length} aria-multiselectable={true} onKeyDown={keys}
      aria-activedescendant={!(active.at < pinned || active.at >= start && active.at < end) ? undefined
        : active.row < 0 ? `${id}-h-${active.at}`
        : active.row >= first && active.row < last ? `${id}-${active.row}-${active.at}` : undefined}
      style={{ height: `${Math.min(rows.count, most) * rowHeight + 36 + (layout.total > view.width ? 16 : 0)}px` }}>
      <div role="rowgroup" class="grid-head" style={{ width: `${layout.total}px` }}>
        <div role="row" aria-rowindex={1}>
          {wideHeld && <div role="presentation" class="pins" style={wideHeld}>{stuck.map(head)}</div>}
          {free.map(head)}
        </div>
      </div>
      <div class="grid-body" role="rowgroup"
        style={{ height: `${drawn(rows.count * rowHeight)}px`, width: `${layout.total}px` }}>
        {range(first, last).map(row => {
          const values = rows.row(row);
          return <div key={row} role="row" aria-rowindex={row + 2} class={"grid-row" + (values ? "" : " coming")}
            style={{ top: `${row * rowHeight - view.top + view.scrolled}px` }}>
            {wideHeld && <div role="presentation" class="pins" style={wideHeld}>{cells(row, values, stuck)}</div>}
            {cells(row, values, free)}
          </div>;
        })}
      </div>
    </div>
    {menu !== undefined && actions && columns[menu] &&
      <ColumnMenu key={menu} column={columns[menu]!} at={menu} of={columns.length} pinned={menu < pinned}
        actions={actions}
        left={Math.max(0, Math.min(layout.starts[menu]! - (menu < pinned ? 0 : view.left), view.width - 240))}
        wider={by => widen(menu, by)} close={() => {
        setMenu(undefined);
        box.current?.focus({ preventScroll: true });
      }} />}
    {many > 1 && <div class="bar">
      <span class="soft small" role="status">
        {say(T.cellsSelected, { bottom: count(rect.bottom - rect.top + 1), right: count(rect.right - rect.left + 1) })}
      </span>
      {many <= mostCopied ? <Copy text={selected} label={T.copyThem} />
        : <span class="soft small">{say(T.moreThanAreNot, { mostCopied: count(mostCopied) })}</span>}
    </div>}
    {opened !== undefined &&
      <OneValue key={`${active.row} ${active.at}`} column={columns[active.at]!} row={active.row} value={opened}
        close={() => {
          setOpen(false);
          box.current?.focus({ preventScroll: true });
        }} go={(down, across) =>
        go({ row: Math.max(0, Math.min(rows.count - 1, active.row + down)),
          at: Math.max(0, Math.min(columns.length - 1, active.at + across)) })} />}
  </div>;
}

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** A column by its name and which of that name it is: it keeps its width wherever it goes. */
const key = (columns: PageColumn[], at: number) =>
  `${columns[at]!.name} ${columns.slice(0, at).filter(c => c.name === columns[at]!.name).length}`;

interface CellProps {
  id: string; value: Value | undefined; column: PageColumn; row: number; at: number; right: boolean; here: boolean;
  selected: boolean; style: { left: string; width: string }; wide: Pen;
  press: (e: PointerEvent, row: number, at: number) => void; open: () => void;
}

function Cell({ id, value, column, row, at, right, here, selected, style, wide, press, open }: CellProps) {
  const exact = text(value), room = parseFloat(style.width) - 2 * padding, whole = readable(value, column),
    shown = right ? fitted(whole, exact, s => s.length * 10 < room || wide(figures(s), body) <= room) : whole;
  return <div id={id} role="gridcell" aria-colindex={at + 1} aria-selected={selected || here} data-cell={`${row} ${at}`}
    onPointerDown={e => press(e, row, at)} onDblClick={open} style={style}
    class={[value === null && "null", right && "number", selected && "selected", here && "here"].filter(Boolean)
      .join(" ")}
    title={exact.length > 24 || exact !== shown ? exact.slice(0, longestTip) : undefined}>
    {value === undefined ? "" : value === null ? T.null : shown.length > 300 ? shown.slice(0, 300) + "…" : shown}
  </div>;
}

const measured = 100; // of the first rows

/** Whether the first rows have nothing but several years, which are written without a comma. */
function hasYears(rows: Rows, at: number): boolean {
  const values = range(0, Math.min(measured, rows.count)).map(i => rows.row(i)?.[at]).filter(v => v != null);
  return new Set(values).size > 2 && values.every(v => /^(1[5-9]|2[01])\d\d$/.test(text(v)));
}

const padding = 13, body = "13.5px ", figures = (s: string) => s.replace(/\d/g, "0"); // digits are equally wide

/** How wide a text is in a font of the page. */
function pen() {
  const pen = document.createElement("canvas").getContext("2d")!;
  const family = getComputedStyle(document.body).fontFamily;
  return (s: string, font: string) => { pen.font = font + family; return pen.measureText(s).width; };
}
type Pen = ReturnType<typeof pen>;

/** Widths by what the first rows hold: of texts within bounds, and as wide as figures need. */
function lay(columns: PageColumn[], rows: Rows, wide: Pen) {
  return columns.map((c, at) => {
    let longest = "";
    for (let i = 0; i < Math.min(c.numeric ? 5 * measured : measured, rows.count); i++) {
      const shown = readable(rows.row(i)?.[at], c).slice(0, 60);
      if (shown.length > longest.length) longest = shown;
    }
    const most = c.numeric ? Infinity : 340, own = wide(c.numeric ? figures(longest) : longest, body);
    return Math.round(Math.min(most, Math.max(64, own, wide(c.name, "600 12.5px ") + 30)) + 28);
  });
}

/** Where columns begin, with the widths that somebody gave them. */
function place(columns: PageColumn[], own: number[], wide: Record<string, number>) {
  const widths = own.map((w, at) => wide[key(columns, at)] ?? w), starts: number[] = [];
  let total = 0;
  for (const w of widths) { starts.push(total); total += w; }
  return { widths, starts, total, right: columns.map(c => c.numeric) };
}
