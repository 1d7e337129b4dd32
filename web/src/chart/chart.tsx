// A chart of a result. The library that draws it comes when the first chart does.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKept } from "../store";
import { asFailure, part } from "../use";
import { lines } from "../ui/csv";
import { download } from "../ui/copy";
import { Note, Notice } from "../ui/notice";
import { Failure } from "../api";
import type { PageColumn, Value } from "../types";
import type { Condition } from "../ui/arrange";
import type { Drawn } from "./draw";

export const kinds = ["bar", "line", "point", "area"] as const;
export type Kind = typeof kinds[number];

/** What is drawn: columns by their place. */
export interface Choice { kind: Kind; x: number; y: number; by: number; how: How; grouped?: boolean;
  /** Numbers across are put into ranges. */ bins?: boolean; /** The highest come first. */ highest?: boolean;
  /** Upwards in powers of ten; what is below zero goes down in them. */ log?: boolean }

/** What becomes of rows that share a place across: each is drawn, or one figure of them all. */
export const hows = ["each", "mean", "median", "sum", "count", "distinct"] as const;
export type How = typeof hows[number];

/** Titles of the axes, where somebody has given them. */
export interface Labels { x?: string | undefined; y?: string | undefined }

export const maxMarks = 5000;

export function Chart(
  { id, columns, rows, name, initial, labels, narrow }: { /** Of the choice in the store. */ id: string;
    columns: PageColumn[]; rows: Value[][]; name: string; initial?: Choice; labels?: Labels;
    /** Shows the rows behind a mark. */
    narrow?: ((c: Condition) => void) | undefined },
) {
  const proposed = useMemo(() => initial ?? propose(columns, rows), []);
  const [picked, set] = useKept<Choice>("chart " + id, proposed);
  const [own, setTitle] = useState("");
  const box = useRef<HTMLDivElement>(null), latest = useRef(narrow);
  latest.current = narrow;
  const [drawn, setDrawn] = useState<Drawn>();
  const [error, fail] = useState<Failure>();
  const [turn, again] = useState(0);
  const data = useMemo(() => rows.slice(0, maxMarks), [rows]);
  // Bars and areas of one place lie on each other: that adds them up, so it is not done unasked.
  const choice = useMemo<Choice>(() => {
    const counted = picked.how === "distinct", numeric = !!columns[picked.y]?.numeric;
    const y = counted ? Math.max(0, picked.y) : numeric ? picked.y : columns.findIndex((c, at) =>
      c.numeric && at !== picked.x
    );
    // In ranges of itself a number is counted, not averaged.
    const ranges = picked.bins && columns[picked.x]?.numeric && (picked.how === "each" || y === picked.x && !counted);
    const how = y < 0 || ranges ? "count" : picked.how;
    const lies = how === "each" && (picked.kind === "bar" || picked.kind === "area") && shares(data, picked);
    return { ...picked, y, how: lies ? "mean" : how };
  }, [picked, data]);
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
    part(() => import("./draw")).then(d => gone ? undefined : 
      d.draw(box.current!, columns, data, choice, labels, narrow && (x => latest.current?.({ at: choice.x, ...x }))))
      .then(
        d => {
          made = d;
          if (gone) d?.end();
          else setDrawn(d);
        },
        e => {
          if (!gone) fail(asFailure(e));
        },
      );
    return () => {
      gone = true;
      made?.end();
    };
  }, [columns, data, choice, turn]);
  const pick = (label: string, key: "x" | "y" | "by", fits: (c: PageColumn) => boolean) =>
    <label class="pick">
      <span>{label}</span>
      <select value={choice[key]} onChange={e => set({ ...picked, [key]: Number(e.currentTarget.value) })}>
        {key === "by" && <option value={-1}>none</option>}
        {columns.map((c, i) => fits(c) && <option key={i} value={i}>{c.name}</option>)}
      </select>
    </label>;
  const tick = (label: string, key: "bins" | "highest" | "log") =>
    <label class="pick">
      <input type="checkbox" checked={!!choice[key]}
        onChange={e => set({ ...picked, [key]: e.currentTarget.checked })} />
      <span>{label}</span>
    </label>;
  const across = columns[choice.x], title = own || name;
  return <div class="chart">
    <div class="bar">
      <label class="pick">
        <span>Kind</span>
        <select value={choice.kind} onChange={e => set({ ...picked, kind: e.currentTarget.value as Kind })}>
          {kinds.map(k => <option key={k} value={k}>{k[0]!.toUpperCase() + k.slice(1)}</option>)}
        </select>
      </label>
      {pick("Across", "x", () => true)}
      <label class="pick">
        <span>Up</span>
        <select value={choice.how} onChange={e => set({ ...picked, how: e.currentTarget.value as How })}>
          {hows.filter(h => choice.y >= 0 || h === "count" || h === "distinct").map(h =>
            <option key={h} value={h}>{words[h]}</option>
          )}
        </select>
      </label>
      {choice.how !== "count" && pick("Of", "y", c => c.numeric || choice.how === "distinct")}
      {pick("Colour", "by", () => true)}
      {across?.numeric && tick("Ranges", "bins")}
      {across && !across.numeric && !isTime(across) && tick("Highest first", "highest")}
      {tick("Powers of ten", "log")}
      <label class="pick"><span>Title</span><input value={own} placeholder={name}
        onInput={e => setTitle(e.currentTarget.value)} /></label>
      <span class="together">
        <button class="quiet" disabled={!drawn} onClick={() => {
          void drawn!.png(title).then(b => download(`${file(title)}.png`, "image/png", b));
        }}>
          PNG
        </button>
        <button class="quiet" disabled={!drawn} onClick={() => {
          void drawn!.svg(title).then(s => download(`${file(title)}.svg`, "image/svg+xml", s));
        }}>
          SVG
        </button>
        <button class="quiet" onClick={() => download(`${name}.csv`, "text/csv", lines(columns, rows, ","))}>
          Data
        </button>
      </span>
    </div>
    {rows.length > maxMarks && <Note kind="warn">The chart shows the first {maxMarks} rows.</Note>}
    {error && <Notice error={error} />}
    {!drawn && !error && <p class="soft small" role="status">The chart is drawn…</p>}
    <div class="canvas" tabIndex={0} role="region"
      aria-label={`${choice.kind} chart of ${upTitle(columns, choice)} by ${columns[choice.x]?.name}`}>
      <div ref={box} />
    </div>
    {narrow && <p class="soft small">A click on a bar or a point shows its rows.</p>}
  </div>;
}

const words: Record<How, string> = { each: "each value", mean: "mean", median: "median", sum: "sum",
  count: "count of rows", distinct: "distinct values" };

/** A title as the name of a file. */
const file = (title: string) => title.replace(/[\/\\:*?"<>|\x00-\x1f]+/g, " ").trim().slice(0, 80) || "chart";

/** What is drawn upwards, in words. */
export function upTitle(columns: PageColumn[], c: Choice): string {
  const name = columns[c.y]?.name ?? "";
  return c.how === "count" ? "count of rows"
    : c.how === "distinct" ? `distinct values of ${name}` : c.how === "each" ? name : `${c.how} of ${name}`;
}

/** Whether several rows have one place across, in one colour. */
function shares(rows: Value[][], c: Choice): boolean {
  const seen = new Set<string>();
  for (const r of rows) {
    const at = JSON.stringify([r[c.x], c.by < 0 ? null : r[c.by]]);
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

/**
 * The chart that most likely tells something: time or text across, the first other number up; its
 * mean where rows share a place, and how many they are where there is no number.
 */
export function propose(columns: PageColumn[], rows: Value[][]): Choice {
  const time = columns.findIndex(isTime), text = columns.findIndex(c => !c.numeric);
  const x = time >= 0 ? time : text >= 0 ? text : 0;
  let y = columns.findIndex((c, i) => c.numeric && i !== x);
  if (y < 0) y = columns.findIndex(c => c.numeric);
  const kind = time >= 0 ? "line" as const : text >= 0 ? "bar" as const : "point" as const;
  return { kind, x, y, by: -1,
    how: y < 0 ? "count" : kind !== "point" && shares(rows, { kind, x, y, by: -1, how: "each" }) ? "mean" : "each" };
}

export function isTime(c: PageColumn): boolean { return /^(date|timestamp)/i.test(c.type); }
