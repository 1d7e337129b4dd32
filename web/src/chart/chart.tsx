// A chart of a result. The library that draws it comes when the first chart does.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { asFailure } from "../use";
import { lines } from "../ui/csv";
import { download } from "../ui/copy";
import { Note, Notice } from "../ui/notice";
import { Failure } from "../api";
import type { PageColumn, Value } from "../types";
import type { Drawn } from "./draw";

export const kinds = ["bar", "line", "point", "area"] as const;
export type Kind = typeof kinds[number];

/** What is drawn: columns by their place. */
export interface Choice { kind: Kind; x: number; y: number; by: number; grouped?: boolean }

const maxMarks = 5000;

export function Chart({ columns, rows, name, initial }: { columns: PageColumn[]; rows: Value[][]; name: string; initial?: Choice }) {
  const [choice, set] = useState<Choice>(() => initial ?? propose(columns));
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Drawn>();
  const [error, fail] = useState<Failure>();
  const [turn, again] = useState(0);
  const data = useMemo(() => rows.slice(0, maxMarks), [rows]);
  useEffect(() => {
    const redraw = () => again(n => n + 1);
    addEventListener("themechange", redraw);
    let width = box.current?.clientWidth ?? 0, timer = 0;
    const sized = new ResizeObserver(() => {
      if (!box.current || Math.abs(box.current.clientWidth - width) < 12) return;
      width = box.current.clientWidth;
      clearTimeout(timer);
      timer = setTimeout(redraw, 150);
    });
    if (box.current) sized.observe(box.current);
    return () => { removeEventListener("themechange", redraw); sized.disconnect(); clearTimeout(timer); };
  }, []);
  useEffect(() => {
    let gone = false, made: Drawn | undefined;
    fail(undefined);
    import("./draw").then(d => d.draw(box.current!, columns, data, choice)).then(
      d => { made = d; if (gone) d.end(); else setDrawn(d); },
      e => { if (!gone) fail(asFailure(e)); });
    return () => { gone = true; made?.end(); };
  }, [columns, data, choice, turn]);
  if (choice.y < 0) return <Note>A chart needs a column of numbers.</Note>;
  const pick = (label: string, key: "x" | "y" | "by", fits: (c: PageColumn) => boolean) => <label class="pick"><span>{label}</span>
    <select value={choice[key]} onChange={e => set({ ...choice, [key]: Number(e.currentTarget.value) })}>
      {key === "by" && <option value={-1}>none</option>}
      {columns.map((c, i) => fits(c) && <option key={i} value={i}>{c.name}</option>)}
    </select></label>;
  return <div class="chart">
    <div class="bar">
      <label class="pick"><span>Kind</span><select value={choice.kind} onChange={e => set({ ...choice, kind: e.currentTarget.value as Kind })}>
        {kinds.map(k => <option key={k} value={k}>{k[0]!.toUpperCase() + k.slice(1)}</option>)}</select></label>
      {pick("Across", "x", () => true)}{pick("Up", "y", c => c.numeric)}{pick("Colour", "by", () => true)}
      <span class="together">
        <button class="quiet" disabled={!drawn} onClick={() => { void drawn!.png().then(b => download(`${name}.png`, "image/png", b)); }}>PNG</button>
        <button class="quiet" disabled={!drawn} onClick={() => { void drawn!.svg().then(s => download(`${name}.svg`, "image/svg+xml", s)); }}>SVG</button>
        <button class="quiet" onClick={() => download(`${name}.csv`, "text/csv", lines(columns, rows, ","))}>Data</button>
      </span>
    </div>
    {rows.length > maxMarks && <Note kind="warn">The chart shows the first {maxMarks} rows.</Note>}
    {error && <Notice error={error} />}
    <div class="canvas" tabIndex={0} role="region" aria-label={`${choice.kind} chart of ${columns[choice.y]?.name} by ${columns[choice.x]?.name}`}><div ref={box} /></div>
  </div>;
}

/** The chart that most likely tells something: time or text across, the first other number up. */
export function propose(columns: PageColumn[]): Choice {
  const time = columns.findIndex(isTime), text = columns.findIndex(c => !c.numeric);
  const x = time >= 0 ? time : text >= 0 ? text : 0;
  let y = columns.findIndex((c, i) => c.numeric && i !== x);
  if (y < 0) y = columns.findIndex(c => c.numeric);
  return { kind: time >= 0 ? "line" : text >= 0 ? "bar" : "point", x, y, by: -1 };
}

export function isTime(c: PageColumn): boolean { return /^(date|timestamp)/i.test(c.type); }
