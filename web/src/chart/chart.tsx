// A chart of a result. The library that draws it comes when the first chart does.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKept } from "../store";
import { asFailure, part, useAsked } from "../use";
import { lines } from "../ui/csv";
import { download, fileName } from "../ui/copy";
import { More } from "../ui/more";
import { Note, Notice } from "../ui/notice";
import { Failure } from "../api";
import { adds, doubled, gathered, hows, kinds, leftOut, maxMarks, ofGroups, propose, settle, sharing, upTitle,
  words, type Choice, type Groups, type How, type Kind, type Labels } from "./choice";
import { isTime } from "../values";
import type { PageColumn, Value } from "../types";
import type { Condition } from "../ui/arrange";
import type { Drawn } from "./draw";
import { chart as T } from "../texts/en/chart";
import { say } from "../texts/say";

interface ChartProps {
  /** Of the choice in the store. */
  id: string;
  columns: PageColumn[];
  /** All rows; with group some, to propose by. */
  rows: Value[][]; name: string;
  initial?: Choice | undefined; labels?: Labels;
  /** Computes figures of rows that are more than can be drawn. */
  group?: ((c: Choice) => Promise<Groups>) | undefined;
  /** Shows the rows behind a mark. */
  narrow?: ((where: Condition[]) => void) | undefined;
  /** Tells what was chosen. */
  chosen?: ((c: Choice) => void) | undefined;
  /** Without what changes it. */
  bare?: boolean;
}

export function Chart({ id, columns, rows, name, initial, labels, group, narrow, chosen, bare }: ChartProps) {
  const proposed = useMemo(() => initial ?? propose(columns, rows), []);
  const [picked, put] = useKept<Choice>("chart " + id, proposed);
  const set = ({ none, ...c }: Choice) => {
    put(c);
    chosen?.(c);
  };
  const box = useRef<HTMLDivElement>(null), latest = useRef(narrow);
  latest.current = narrow;
  const [drawn, setDrawn] = useState<Drawn>();
  const [error, fail] = useState<Failure>();
  const [turn, again] = useState(0);
  const data = useMemo(() => rows.slice(0, maxMarks), [rows]);
  const choice = useMemo(() => settle(picked, columns, data, !!group), [picked, data, !group]);
  const { x, y, by, how, bins, also = -1 } = choice, notes = labels?.notes ?? [];
  const of = [x, y, by, how, bins, also].join();
  const asked = useAsked(async () => group && { of, ...await gathered(group, choice, columns) }, [group, of]),
    groups = asked.data?.of === of ? asked.data : undefined;
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
  const what = useMemo(() => {
    const w = !group ? { ...doubled(columns, data, choice), labels: { ...labels, notes } }
      : groups && ofGroups(groups, columns, choice);
    const told = w && [...w.labels.notes ?? [], ...sharing(w.columns, w.rows, w.choice)];
    return w && { ...w, labels: { ...w.labels, notes: told! } };
  }, [columns, data, choice, groups, notes.join()]);
  useEffect(() => {
    let gone = false, made: Drawn | undefined;
    fail(undefined);
    if (!what || picked.none) return;
    part(() => import("./draw")).then(d => gone ? undefined
      : d.draw(box.current!, what.columns, what.rows, what.choice, what.labels,
        narrow && (where => latest.current?.(where.filter(c => also < 0 || c.at === what.choice.x).map(c => ({ ...c,
          at: c.at === what.choice.x ? choice.x : choice.by })))), groups?.each))
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
  }, [what, turn]);
  const pick = (label: string, key: "x" | "y" | "by" | "also", fits: (c: PageColumn) => boolean) =>
    <label class="pick">
      <span>{label}</span>
      <select value={choice[key]} onChange={e => set({ ...picked, [key]: Number(e.currentTarget.value) })}>
        {(key === "by" || key === "also") && <option value={-1}>{T.none}</option>}
        {columns.map((c, i) => fits(c) && <option key={i} value={i}>{c.name}</option>)}
      </select>
    </label>;
  const called = (label: string, key: "title" | "across" | "up", unsaid: string) =>
    <label class="pick"><span>{label}</span><input value={picked[key] ?? ""} placeholder={unsaid} maxLength={200}
      onInput={e => set({ ...picked, [key]: e.currentTarget.value })} /></label>;
  const tick = (label: string, key: "bins" | "highest" | "log" | "panels" | "grouped" | "percent") =>
    <label class="pick">
      <input type="checkbox" checked={!!choice[key]}
        onChange={e => set({ ...picked, [key]: e.currentTarget.checked })} />
      <span>{label}</span>
    </label>;
  const across = columns[choice.x], title = picked.title || name,
    out = what && leftOut(what.columns, what.rows, what.choice),
    failed = error ?? asked.error;
  return <div class="chart">
    {!bare && <div class="bar">
      <label class="pick">
        <span>{T.kind}</span>
        <select value={choice.kind} onChange={e => set({ ...picked, kind: e.currentTarget.value as Kind })}>
          {kinds.map(k => <option key={k} value={k}>{T[k]}</option>)}
        </select>
      </label>
      {pick(T.across, "x", () => true)}
      <label class="pick">
        <span>{T.up}</span>
        <select value={choice.how} onChange={e => set({ ...picked, how: e.currentTarget.value as How })}>
          {hows.filter(h => h === "each" ? !group : choice.y >= 0 || h === "count" || h === "distinct").map(h =>
            <option key={h} value={h}>{words[h]}</option>
          )}
        </select>
      </label>
      {choice.how !== "count" && pick(T.of, "y", c => c.numeric || choice.how === "distinct")}
      {choice.how !== "count" && choice.how !== "distinct" && pick(T.and, "also", c => c.numeric)}
      {also < 0 && pick(T.colour, "by", () => true)}
      {across?.numeric && tick(T.ranges, "bins")}
      {across && !across.numeric && !isTime(across) && tick(T.highestFirst, "highest")}
      {(by >= 0 || also >= 0) && tick(T.panelEach, "panels")}
      {by >= 0 && !choice.panels && choice.kind === "bar" && adds(choice) && tick(T.sideBySide, "grouped")}
      {by >= 0 && !choice.panels && /bar|area/.test(choice.kind) && adds(choice) && !choice.grouped &&
        tick(T.inPercent, "percent")}
      {tick(T.powersOfTen, "log")}
      <More label={T.names} of={T.ofChart}>
        {called(T.title, "title", name)}
        {called(T.across, "across", columns[x]?.name ?? "")}
        {called(T.up, "up", upTitle(columns, choice))}
      </More>
      <span class="together">
        <button class="quiet" data-do={T.exportChartAsPNG} disabled={!drawn} onClick={() => {
          void drawn!.png(title, out ? [out] : []).then(b => download(fileName(title, "png"), "image/png", b));
        }}>
          {T.png}
        </button>
        <button class="quiet" data-do={T.exportChartAsSVG} disabled={!drawn} onClick={() => {
          void drawn!.svg(title, out ? [out] : []).then(s => download(fileName(title, "svg"), "image/svg+xml", s));
        }}>
          {T.svg}
        </button>
        <button class="quiet" onClick={() => download(fileName(name, "csv"), "text/csv", lines(columns, rows, ","))}>
          {T.data}
        </button>
      </span>
    </div>}
    {picked.none ? <Note>{T.nothingProposed}</Note> : out && <Note kind="warn">{out}</Note>}
    {failed && <Notice error={failed} />}
    {!drawn && !failed && !picked.none && <p class="soft small" role="status">{T.chartIsDrawn}</p>}
    <div class="canvas" hidden={picked.none} tabIndex={0} role="figure"
      aria-label={[say(T.chartOfBy,
        { kind: choice.kind, columns: upTitle(columns, choice), name: columns[choice.x]?.name }),
        ...what?.labels?.notes ?? []].join(". ")}>
      <div ref={box} />
    </div>
    {narrow && !picked.none && <p class="soft small">{T.clickOnBarOrPoint}</p>}
  </div>;
}
