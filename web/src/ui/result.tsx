// The rows of a result: sorted, filtered, summarized, copied, exported, drawn.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { count, plural } from "../format";
import { kept as keptNow, useKept } from "../store";
import { useAsked, useSettled } from "../use";
import { arrange, namedPart, namedValues, narrowed, placedPart, told, type Condition, type NamedPart,
  type Part } from "./arrange";
import { Chart } from "../chart/chart";
import { maxMarks, named, partly, placed, type Choice, type Groups, type Named } from "../chart/choice";
import { Copy, download, fileName } from "./copy";
import { lines } from "./csv";
import { Grid } from "./grid";
import { More } from "./more";
import { groupsOf, useWhole, useWindows, type Kept } from "./kept";
import { Empty, Note, Notice, Waiting, Warnings } from "./notice";
import { here, type Rows } from "./rows";
import { rowsBehind } from "../sql/behind";
import { costs } from "../sql/price";
import { Summaries } from "./summaries";
import { counted, most } from "./ticks";
import { Waits } from "./waits";
import { WholeFile } from "./whole";
import { cutBy, type PageColumn, type PageRows, type Value, type Whole } from "../types";
import type { ColumnActions } from "./columns";
import { ui as T } from "../texts/en/ui";
import { rich, say } from "../texts/say";

const views = { rows: T.rows, summary: T.summary, chart: T.chart };

/** How a result is looked at. */
export interface Look { part: Part; view: "rows" | "summary" | "chart";
  /** Of columns, in their order. */
  places: number[]; pinned: number }

/** What stays of how a result is looked at: the next run of its statement begins with it. */
export interface Shown { view: Look["view"]; chart?: Named | undefined; part?: NamedPart | undefined }

interface ResultProps {
  rows: PageRows; name: string;
  /** Of the run: order, filter and chart are of one result, and stay while another part is shown. */
  id: string;
  /** How many there are in all, where that is known. */ total?: number | null | undefined;
  /** How all rows are to be had. */
  whole?: Whole | undefined;
  /** How it was looked at before, and what tells of a change. */
  before?: Shown | undefined; looked?: ((s: Shown) => void) | undefined;
  /** All rows cost nothing: who draws them need not be asked. */
  free?: boolean | undefined;
  /** Takes a statement that is right where this one is not. */
  instead?: ((sql: string) => void) | undefined;
  /** A few rows without tools, until these are wanted. */
  folded?: boolean | undefined;
}

export function Result(
  { rows: result, name, id, total: known, whole, free, before, looked, instead, folded }: ResultProps,
) {
  const [tools, setTools] = useKept("tools " + id, !folded);
  const [look, setLook] = useKept<Look>("look " + id, { part: placedPart(before?.part, result.columns),
    view: before?.view ?? "rows",
    places: result.columns.map((_, at) => at), pinned: 0 });
  // What is changed twice before it is drawn is changed twice.
  const now = () => keptNow<Look>("look " + id) ?? look;
  const { part, view, places, pinned } = look, put = (more: Partial<Look>) => setLook({ ...now(), ...more });
  const rearrange = (more: Partial<Part>) => put({ part: { ...now().part, ...more } });
  const narrow = (...more: Condition[]) => rearrange({ where: narrowed(now().part.where, more, result.columns) });
  const cut = cutBy(result), rest = !!whole && result.more && !cut;
  // A summary and a chart are of all rows, wherever these cost nothing.
  const price = useAsked(async signal => rest && !whole.here && whole.sql && view !== "rows"
    ? costs(whole.sql, "source", signal) : undefined, [rest && view !== "rows"]);
  const cheap = free || price.data?.free;
  const kept = useWhole(id, whole, rest && (!!whole.here || !!cheap && view !== "rows")), all = kept.result;
  const words = useSettled(part.words, 300), settled = useMemo(() => ({ ...part, words }), [part.where, part.order,
    words]);
  const windows = useWindows(all, settled);
  const shownAs = JSON.stringify({ view, part: namedPart(settled, result.columns) }), first = useRef(shownAs);
  useEffect(() => {
    if (first.current !== shownAs) looked?.({ ...before, part: undefined, ...JSON.parse(shownAs) as Shown });
    first.current = shownAs;
  }, [shownAs]);
  const matching = useMemo(() => all ? [] : arrange(result, part), [result, part, !all]);
  const asCame = places.every((p, i) => p === i) && places.length === result.columns.length;
  const columns = useMemo(() => asCame ? result.columns : places.map(p => result.columns[p]!), [result, places]);
  const pick = (rows: Value[][]) => asCame ? rows : rows.map(r => places.map(p => r[p] ?? null));
  const shown = useMemo(() => pick(matching), [matching, places]);
  const local = useMemo(() => here(shown), [shown]), w = windows.rows;
  const rows = useMemo((): Rows | undefined =>
    !all ? local : w && { count: w.count, look: w.look, range: async (f, t) => pick(await w.range(f, t)),
      row: at => { const r = w.row(at); return r && (asCame ? r : places.map(p => r[p] ?? null)); } }, [local, w,
    places]);
  const group = useMemo(() => all && ((c: Choice) => groupsOf(all, settled, c, places)), [all, settled, places]);
  const to = (at: number) => places[at]!, without = (at: number) => places.filter((_, i) => i !== at);
  const actions: ColumnActions = {
    sort: (at, down) => rearrange({ order: { at: to(at), down } }),
    turn: at => {
      const { words, where, order } = now().part, mine = order?.at === to(at);
      put({ part: { words, where, ...(mine && order.down ? {} : { order: { at: to(at), down: mine } }) } });
    },
    narrow: (at, c) => narrow({ at: to(at), ...c }),
    values: async at => {
      const others = { ...settled, where: settled.where.filter(c => c.at !== to(at)) };
      if (!all) return counted(arrange(result, others).map(r => [r[to(at)] ?? null]), 0);
      const groups = await groupsOf(all, others, { kind: "bar", x: to(at), y: -1, by: -1, how: "count" },
        result.columns.map((_, i) => i));
      return most(groups.rows.map(r => ({ value: r[0] ?? null, n: Number(r[1]) })));
    },
    first: result.more && !all ? result.shown : undefined,
    ticked: at => namedValues(now().part.where, to(at)),
    hide: at => put({ places: without(at), pinned: at < pinned ? pinned - 1 : pinned }),
    move: (at, dest) => put({ places: without(at).toSpliced(dest, 0, to(at)) }),
    pin: (at, yes) =>
      yes ? put({ places: without(at).toSpliced(pinned, 0, to(at)), pinned: pinned + 1 })
        : put({ places: without(at).toSpliced(pinned - 1, 0, to(at)), pinned: pinned - 1 }),
  };
  const filtered = !!part.words.trim() || part.where.length > 0, total = all ? all.rows : result.shown;
  const found = !all ? shown.length : windows.loading ? undefined : w?.count, ms = (all ?? result).elapsed_ms;
  const file = name + (result.more && !all ? `-first-${result.shown}-rows` : "") + (filtered ? "-filtered" : "");
  const empty = all ? all.rows === 0 : result.shown === 0;
  const its = useAsked(async signal => whole?.sql && !whole.here && part.where.length
    ? rowsBehind(whole.sql, part.where, result.columns, signal) : undefined,
    [whole?.sql, JSON.stringify(part.where)]); // until it is kept, the part is made anew with each drawing
  const own = !all && <>
    {result.more && <span class="soft small">{T.rowsThatAreShown}</span>}
    <Copy text={() => lines(columns, shown, "\t")} label={T.copyRows} />
    <button class="quiet" data-do={T.exportRowsShownAs} onClick={() =>
      download(fileName(file, "csv"), "text/csv", lines(columns, shown, ","))}>
      {T.csv}
    </button>
    <button class="quiet" onClick={() => download(fileName(file, "json"), "application/json", objects(columns, shown))}>
      {T.json}
    </button>
  </>;
  return <section class="result">
    <div class="bar">
      <p class="soft small" role="status">
        {filtered ? say(T.ofRows, { found: found === undefined ? "…" : count(found), total: count(total) })
          : plural(total, T.nRows)}
        {cut ? T.partResultWasCut : result.more && !all &&
          (known != null && known > result.shown ? say(T.firstOf, { known: count(known) })
            : T.firstThereMayBe)}
        {columns.length < result.columns.length && say(T.ofColumns,
          { columns: columns.length, columns2: result.columns.length })}
        {ms !== undefined && say(T.ms, { ms: count(ms) })}
      </p>
      {folded && <Tools open={tools} turn={setTools} />}
      {tools && <><div class="segments" role="group" aria-label={T.showAs}>
        {(Object.keys(views) as (keyof typeof views)[]).map(v =>
          <button key={v} data-do={say(T.show, { view: views[v].toLowerCase() })}
            aria-pressed={view === v} onClick={() => put({ view: v })}>
            {views[v]}
          </button>
        )}
      </div>
      <label class="find">
        <span class="hidden">{T.filterRows}</span>
        <input type="search" placeholder={T.filterRows2} value={part.words}
          onInput={e => rearrange({ words: e.currentTarget.value })} />
      </label></>}
      {whole && !cut && !empty
        ? <WholeFile of={all ? { result: all.id, part: settled } : whole} name={all ? file : name}
          how={all ? filtered ? "these" : "all" : result.more ? "more" : "also"}>{own}</WholeFile>
        : tools && !empty && <More label={T.export} of={name} once>{own}</More>}
    </div>
    {(part.where.length > 0 || !asCame) && <p class="chips small">
      {part.where.length > 0 && <span class="soft">{T.onlyRowsWith}</span>}
      {part.where.map(c => {
        const name = told(c, result.columns);
        return <button key={name} class="chip" aria-label={say(T.takeAway, { name })} onClick={() =>
          rearrange({ where: part.where.filter(o => o !== c) })}>
          {name} ×
        </button>;
      })}
      {its.data && <a href={its.data}>{T.rowsOfTable}</a>}
      {!asCame &&
        <button class="quiet small" onClick={() => put({ places: result.columns.map((_, at) => at), pinned: 0 })}>
          {T.allColumnsAsThey}
        </button>}
    </p>}
    <Warnings caveats={all?.caveats ?? result.caveats} instead={instead} />
    {result.more && !cut && whole && !all && <MoreRows kept={kept} shown={result.shown} />}
    {tools && result.more && result.shown > 0 && !whole && <p class="soft small">
      {rich(T.csvJSONAndCopy)}
    </p>}
    {windows.error && <Notice error={windows.error}>
      {windows.error.kind === "changed" && <p><button onClick={kept.bring}>{T.bringAllRowsAgain}</button></p>}
    </Notice>}
    {empty ? cut || result.more ? <Empty title={T.noRowsCame}>
      <p>{T.whetherAnyMatchedIs}</p>
    </Empty>
      : <Empty title={T.noRows}>
        <p>{T.statementRanAndNothing}</p>
      </Empty>
      : view === "rows"
      ? rows
        ? <Grid name={say(T.rowsOf, { name })} columns={columns} rows={rows} actions={actions} pinned={pinned}
          most={folded ? foldedRows : undefined}
          order={part.order && { ...part.order, at: places.indexOf(part.order.at) }} />
        : !windows.error && <Waiting what={T.rows2} lines={8} />
      : view === "summary" ? <>
        {result.more && !all &&
          <Note kind="warn">{say(T.ofRowsThatAre, { shown: count(result.shown) })}</Note>}
        <Summaries columns={result.columns} of={all ? { result: all, part: settled } : matching} places={places}
          arrange={places => put({ places, pinned: 0 })} narrow={narrow} />
      </>
      : cut ? <Note kind="warn">{T.noChartIsDrawn}</Note>
      : rest && !all && (price.loading || kept.stop || cheap && !kept.error) ? <Waiting what={T.allRows} lines={8} />
      : <ChartOf id={id + places.join()} columns={columns} rows={rows} name={file} key={places.join()}
        initial={placed(before?.chart, columns)} chosen={c => looked?.({ ...before, view, chart: named(c, columns) })}
        group={group} more={result.more && !all}
        of={filtered ? null : known} narrow={where => {
          narrow(...where.map(c => ({ ...c, at: places[c.at]! })));
          put({ view: "rows" });
        }} />}
  </section>;
}

const foldedRows = 8;

/** A button that shows what a table or a chart in an answer can be changed by. */
export const Tools = ({ open, turn }: { open: boolean; turn: (open: boolean) => void }) =>
  <button type="button" class="quiet small" aria-expanded={open} onClick={() => turn(!open)}>{T.tools}</button>;

/** The way to all rows. */
function MoreRows({ kept, shown }: { kept: Kept; shown: number }) {
  if (kept.stop) {
    return <div class="bar">
      <Waits what={T.allRowsAreOn} stop={kept.stop} />
    </div>;
  }
  return <>
    <div class="bar">
      <button onClick={kept.bring}>{T.lookAtAllRows}</button>
      <span class="soft small">
        {say(T.orderAndFiltersAre, { shown: count(shown) })}
      </span>
    </div>
    {kept.error && <Notice error={kept.error} />}
  </>;
}

interface ChartOfProps {
  id: string; columns: PageColumn[]; rows: Rows | undefined; name: string; initial?: Choice | undefined;
  /** They are the first of more; of: how many there are in all. */
  more: boolean; of?: number | null | undefined; bare?: boolean;
  group?: ((c: Choice) => Promise<Groups>) | undefined;
  chosen?: (c: Choice) => void; narrow?: (where: Condition[]) => void;
}

/** A chart of all rows: of more than can be drawn the server computes figures. */
export function ChartOf({ rows, more, of, group, ...chart }: ChartOfProps) {
  const many = !!group && !!rows && rows.count > maxMarks;
  const some = useAsked(async () => rows && { rows: await rows.range(0, many ? 200 : maxMarks) }, [rows, many]);
  if (some.error) return <Notice error={some.error} />;
  if (!rows || !some.data) return <Waiting what={T.rowsOfChart} lines={8} />;
  const notes = !many && (more || rows.count > maxMarks)
    ? [partly(some.data.rows.length, more ? of ?? null : rows.count)] : [];
  return <Chart rows={some.data.rows} group={many ? group : undefined} labels={{ notes }} {...chart} />;
}

function objects(columns: PageColumn[], rows: Value[][]): string {
  return JSON.stringify(rows.map(r => Object.fromEntries(columns.map((c, i) => [c.name, r[i] ?? null]))), null, 1);
}
