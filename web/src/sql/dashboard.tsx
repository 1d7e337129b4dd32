// A sheet as a page: words, figures, charts and tables as tiles, with its parameters as fields.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { age, count, plural } from "../format";
import { readable } from "../values";
import { link, replace } from "../route";
import { useKept } from "../store";
import { ask, type Failure } from "../api";
import { asFailure, part, useAsked } from "../use";
import { inTurn } from "../turns";
import { placed } from "../chart/choice";
import { Copy, download } from "../ui/copy";
import { Grid } from "../ui/grid";
import { groupsOf, useWhole, useWindows } from "../ui/kept";
import { More } from "../ui/more";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { FromHere, FromWhere, Origins } from "../ui/origin";
import { here } from "../ui/rows";
import { ChartOf } from "../ui/result";
import { Waits } from "../ui/waits";
import { arrange, told, type Condition } from "../ui/arrange";
import { End } from "../ui/end";
import { removed } from "../ui/undo";
import { cutBy, type InstanceDashboard, type KeptResult, type PageRows } from "../types";
import { Download, fileOf } from "./file";
import { useKnown } from "./known";
import { Parameters, SaveSheet, useTypes } from "./parameters";
import { costs, PriceLine } from "./price";
import { begin, query, type Run } from "./run";
import { addressOf, fromLink, titleOf, useSheets, type Cell, type Sheet, type Where } from "./sheets";
import { compose, type Composed, type Filling } from "./text";
import { sql as T } from "../texts/en/sql";
import { rich, say } from "../texts/say";

const mostFigures = 6; // columns of one row that are shown large
const everything = { words: "", where: [] };

/** The sheet of an address: one of this browser, or one that the address holds. */
export function Dashboard({ route, desk, dashboards, who, again }: PageProps) {
  const all = useSheets(), id = route.path[1], of = dashboards.find(d => d.id === id);
  const text = route.query.get("sheet") ?? (of ? JSON.stringify({ id: "link", ...of.sheet as object }) : null);
  const held = useMemo(() => fromLink(text), [text && (id ?? "")]); // the values in it change while it is looked at
  const [linked, keep] = useKept<{ held: Sheet | undefined; sheet: Sheet } | undefined>("linked", undefined);
  const own = all.all.find(s => s.id === id);
  const sheet = own ?? (id && !of ? undefined : linked?.held === held ? linked?.sheet : held);
  if (of && !own && !held) {
    return <Empty whole title={say(T.jsonIsNoDashboard, { id: of.id })}><p>{of.problem ?? T.itHasNoCells}</p>
    </Empty>;
  }
  if (!sheet) return <Empty whole title={T.thereIsNoSuch}>
    <p>{rich(T.itIsOfAnother, { toThe: <a href="#/sql">{T.toSheets}</a> })}</p>
  </Empty>;
  const change = (s: Sheet) => {
    if (own) return all.put(s);
    keep({ held, sheet: s });
    replace(addressOf(s, "dashboard", of?.id)); // at another path the field that is typed in would be made anew
  };
  return <Tiles key={sheet.id} sheet={sheet} desk={desk} change={change} own={!!own}
    publish={!who.admin ? undefined : { of: own ? undefined : of, dashboards, again }} />;
}

/** What an admin can do with the dashboards of the instance, of which this may be one. */
interface Publishing { of: InstanceDashboard | undefined; dashboards: InstanceDashboard[]; again: () => void }

function Tiles(
  { sheet, desk, change, own, publish }: { sheet: Sheet; desk: boolean; change: (s: Sheet) => void; own: boolean;
    publish: Publishing | undefined },
) {
  const known = useKnown(desk), [arranging, arrange] = useState(false), [turn, again] = useState<Turn>({ n: 0 });
  const { values } = sheet, where = desk ? sheet.where : "source";
  const types = useTypes(sheet.cells.map(c => c.sql), known.ready);
  const filling = { values, types: types!, escapes: known.backticks };
  useEffect(() => { document.title = `${titleOf(sheet)} · da`; }, [titleOf(sheet)]);
  const every = sheet.every ?? 0;
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => { if (!document.hidden) again(t => ({ n: t.n + 1, unasked: true })); },
      every * 60_000);
    return () => clearInterval(timer);
  }, [every]);
  const put = (cells: Cell[]) => change({ ...sheet, cells });
  const tiles = sheet.cells.map((cell, at) => ({ cell, at })).filter(t => t.cell.text ?? t.cell.sql.trim());
  return <>
    <div class="head">
      <h1>{titleOf(sheet)}</h1>
      <div class="bar">
        <button onClick={() => again({ n: turn.n + 1 })}>{T.runAll}</button>
        <label class="pick" title={T.whatCostsNothingRuns}>
          <span>{T.refresh}</span>
          <select value={every} onChange={e => change({ ...sheet, every: Number(e.currentTarget.value) || undefined })}>
            {[...new Set([0, every, 1, 5, 60])].map(n => <option key={n} value={n}>{n === 0 ? T.byHand
              : say(T.every, { minutes: plural(n, T.nMinutes) })}</option>)}
          </select>
        </label>
        {own && <button aria-pressed={arranging} onClick={() => arrange(!arranging)}>{T.arrange}</button>}
        <a class="button" href={own ? link(["sql"], { open: sheet.id }) : addressOf(sheet, "sql")}>{T.openAsSheet}</a>
        <Copy text={() => location.href.replace(/#.*/, "") + addressOf(sheet, "dashboard")} label={T.copyLink} />
        {types && <Download sheet={sheet} where={where} filling={filling} />}
        <More of={titleOf(sheet)}>
          <SaveSheet sheet={sheet} />
          <button class="quiet" data-do={T.printDashboard} title={T.browserAlsoSavesIt} onClick={() => print()}>
            {T.printOrPDF}
          </button>
          {own && <SaveFile sheet={sheet} where={where} filling={filling} publish={publish} />}
          {publish?.of && <Unpublish of={publish.of} again={publish.again} />}
        </More>
      </div>
      {own && <p class="soft small">{T.addressIsOfThisBrowser}</p>}
    </div>
    <Parameters late sheet={sheet} types={types} change={v => change({ ...sheet, values: v })} />
    {!tiles.length && <Empty title={T.sheetHasNoStatement}><p>{T.openItAsSheet}</p></Empty>}
    {types && <div class="tiles">
      {tiles.map(({ cell, at }) =>
        <section key={cell.id} class={"tile" + (cell.wide || cell.text !== undefined ? " wide" : "")}
          aria-label={cell.title || cell.name}>
          {arranging && <div class="bar">
            <input aria-label={say(T.titleOf,
              { name: cell.name })} value={cell.title ?? ""} placeholder={cell.name} onInput={e =>
              put(sheet.cells.with(at, { ...cell, title: e.currentTarget.value }))} />
            <button class="quiet" aria-label={say(T.moveForward,
              { name: cell.name })} disabled={at === 0} onClick={() =>
              put(sheet.cells.toSpliced(at, 1).toSpliced(at - 1, 0, cell))}>
              ←
            </button>
            <button class="quiet" aria-label={say(T.moveBack,
              { name: cell.name })} disabled={at === sheet.cells.length - 1}
              onClick={() => put(sheet.cells.toSpliced(at, 1).toSpliced(at + 1, 0, cell))}>
              →
            </button>
            {cell.text === undefined && <button class="quiet" aria-pressed={!!cell.wide} onClick={() =>
              put(sheet.cells.with(at, { ...cell, wide: !cell.wide }))}>
              {T.wide}
            </button>}
          </div>}
          {cell.text === undefined
            ? <Tile cell={cell} where={where} turn={turn} {...compose(sheet.cells, at, filling)} />
            : <Words text={cell.text} />}
        </section>
      )}
    </div>}
    <p class="soft small">
      {T.eachStatementRunsUnder}
    </p>
  </>;
}

/** The file of a dashboard, with the tables that it reads: an admin puts it among those of the instance. */
function SaveFile({ sheet, where, filling, publish }: { sheet: Sheet; where: Where; filling: Filling;
  publish: Publishing | undefined })
{
  const [error, fail] = useState<Failure>(), [done, set] = useState(false);
  const id = titleOf(sheet).replace(/\W+/g, "-").replace(/^-+/, "").toLowerCase().slice(0, 80) || "sheet";
  const file = async () => (await fileOf(sheet, where, filling, new AbortController().signal)).sheet;
  const run = (work: Promise<unknown>) => {
    fail(undefined);
    work.catch(e => fail(asFailure(e)));
  };
  const save = async () =>
    download(`${id}.json`, "application/json", JSON.stringify(await file(), null, 1) + "\n");
  const put = async (replace: boolean) => {
    await ask("POST", "/api/admin/dashboards", { id, sheet: await file(), replace });
    publish!.again();
    set(true);
  };
  return <>
    <button class="quiet" title={T.forInstancesFolderOfDashboards}
      onClick={() => run(save())}>
      {T.saveForOthers}
    </button>
    {publish && <End label={T.publish} not={T.notNow}
      says={T.whoeverMayReadAll}
      end={() => run(put(false))} />}
    {done && <span class="small" role="status">{rich(T.publishedAs,
      { id: <a href={link(["dashboard", id])}>{id}</a> })}</span>}
    {error && <Notice error={error}>
      {error.kind === "dashboard_exists" && <p><button onClick={() => run(put(true))}>{T.replaceIt}</button></p>}
    </Notice>}
  </>;
}

/** Takes a dashboard of the instance back. */
function Unpublish({ of, again }: { of: InstanceDashboard; again: () => void }) {
  const [error, fail] = useState<Failure>();
  const run = (work: Promise<unknown>) => { work.then(again, e => fail(asFailure(e))); };
  return <>
    <End label={T.unpublish} says={T.nobodySeesItAmong} end={() => {
      run(ask("DELETE", `/api/admin/dashboards/${encodeURIComponent(of.id)}`));
      removed(say(T.dashboardIsTakenBack, { id: of.id }), () =>
        run(ask("POST", "/api/admin/dashboards", { id: of.id, sheet: of.sheet })));
    }} />
    {error && <Notice error={error} />}
  </>;
}

type MarkdownPart = typeof import("../ask/markdown");

function Words({ text }: { text: string }) {
  const code = useAsked<MarkdownPart>(() => part(() => import("../ask/markdown")), []);
  if (code.error) return <Notice error={code.error} />;
  return code.data ? <code.data.Markdown text={text} /> : <Waiting what={T.words} lines={1} />;
}

/** That tiles run once more; unasked: those that cost nothing. */
interface Turn { n: number; unasked?: boolean }

/** What came of a statement. It runs by itself if that costs nothing; otherwise it asks. */
function Tile({ cell, where, sql, fault, turn }: Composed & { cell: Cell; where: Where; turn: Turn }) {
  const [run, set] = useKept<Run>("run " + cell.id, {}), same = run.sql === sql && run.where === where;
  const price = useAsked(async signal => fault || same && run.rows ? undefined : costs(sql, where, signal),
    [sql, where]);
  const start = () => {
    if (fault) return;
    const stop = new AbortController();
    void begin(sql, where, stop, same ? run : { stop: run.stop }, set, async () => ({
      rows: await inTurn(stop.signal, () => query(sql, where, stop.signal)) }));
  };
  useEffect(() => {
    if (price.data?.free && !same) start();
  }, [price.data]);
  useEffect(() => {
    if (!turn.n || run.stop || fault) return undefined;
    const stop = new AbortController();
    if (!turn.unasked) start();
    else costs(sql, where, stop.signal).then(p => { if (p.free && !stop.signal.aborted) start(); },
      e => { if (!stop.signal.aborted) set({ ...run, error: asFailure(e) }); });
    return () => stop.abort();
  }, [turn]);
  const rows = same ? run.rows : undefined, error = fault ?? (same ? run.error : price.error);
  const [source, open] = useState(false);
  const of = rows && { name: cell.title || cell.name, sql, where, at: Number(run.at), caveats: rows.caveats };
  return <>
    <h2>{cell.title || (cell.look?.chart?.title ?? cell.name)}</h2>
    {error && <Notice error={error}><p><button onClick={start}>{T.tryAgain}</button></p></Notice>}
    {same && run.stop && <>
      <div class="bar"><Waits what={T.rowsCome} stop={run.stop} /></div>
      <Waiting what={T.rows} />
    </>}
    {same && run.stopped && <p class="soft small" role="status">
      {T.stopped2}{" "}<button class="quiet" onClick={start}>{T.run}</button>
    </p>}
    {!rows && !error && !(same && run.stop) && (!price.data ? <Waiting what={T.itsPrice} />
      : !price.data.free && <>
        <PriceLine price={price.data} left={"left-" + cell.id} />
        <p><button class="primary" aria-describedby={"left-" + cell.id} onClick={start}>{T.run}</button></p>
      </>)}
    {rows && <Origins.Provider value={of}>
      <Came key={run.at} id={run.at!} cell={cell} where={where} sql={sql} rows={rows}
        free={!!price.data?.free || where === "here"} />
    </Origins.Provider>}
    <details class="small" onToggle={e => open(e.currentTarget.open)}>
      <summary>{T.statement}{rows && say(T.run2,
        { age: age(new Date(Number(run.at)).toISOString()) })}</summary>
      {source && (of ? <FromWhere of={of} /> : <pre>{sql}</pre>)}
    </details>
  </>;
}

interface CameProps { id: string; cell: Cell; where: Where; sql: string; rows: PageRows; free: boolean }

function Came({ id, cell, where, sql, rows: r, free }: CameProps) {
  const cut = cutBy(r), drawn = cell.look?.view === "chart";
  const whole = { sql, ...(where === "source" ? {} : { here: true, fetch: where === "fetch" }) };
  const kept = useWhole(id, whole, drawn && r.more && !cut && free), all = kept.result;
  const windows = useWindows(all, everything), first = useMemo(() => here(r.rows), [r]);
  const group = useMemo(() => all && ((c: Parameters<typeof groupsOf>[2]) =>
    groupsOf(all, everything, c, all.columns.map((_, i) => i))), [all]);
  const rows = all ? windows.rows : first;
  const table = useRef<HTMLDivElement>(null), [beyond, tell] = useState(false);
  useEffect(() => {
    const grid = table.current?.querySelector(".grid");
    if (!grid) return undefined;
    const watch = new ResizeObserver(() => tell(grid.scrollWidth > grid.clientWidth));
    watch.observe(grid);
    return () => watch.disconnect();
  }, [drawn, r]);
  const [only, narrow] = useState<Condition[]>([]), [at, look] = useState<number>();
  const body = () => {
    if (drawn && cut) return <Note kind="warn">{T.noChartIsDrawn}</Note>;
    if (drawn && kept.stop) return <Waiting what={T.allRows} lines={8} />;
    if (drawn) {
      return <ChartOf id={id + r.columns.map((_, i) => i).join()} columns={r.columns} rows={rows} name={cell.name}
        bare group={group} more={r.more && !all} initial={placed(cell.look?.chart, r.columns)} narrow={narrow} />;
    }
    if (!r.shown) return <p class="soft">{r.more ? T.noRowsCame : T.noRows}</p>;
    if (r.shown === 1 && !r.more && r.columns.length <= mostFigures) {
      return <>
        <dl class="figures large">
          {r.columns.map((c, i) =>
            <div key={i}>
              <dt>{c.name}</dt>
              <dd>
                <button class="figure" title={T.whereThisComesFrom} aria-expanded={at === i} onClick={() =>
                  look(at === i ? undefined : i)}>{readable(r.rows[0]![i], c)}</button>
              </dd>
            </div>
          )}
        </dl>
        {at !== undefined && <FromHere value={r.rows[0]![at] ?? null} column={r.columns[at]!.name} row={0} />}
      </>;
    }
    return <>
      <div ref={table}>
        <Grid name={say(T.rowsOf, { title: cell.title || cell.name })} columns={r.columns} rows={first} />
      </div>
      <p class="soft small">{say(T.rows2, { shown: count(r.shown) })}{r.more && T.firstThereMayBe}
        {beyond && say(T.moreColumns, { columns: r.columns.length })}</p>
    </>;
  };
  return <>
    <Warnings caveats={all?.caveats ?? r.caveats} />
    {kept.error && <Notice error={kept.error} />}
    {body()}
    {drawn && only.length > 0 &&
      <Behind key={only.map(c => told(c, r.columns)).join()} all={all} rows={r} where={only}
        close={() => narrow([])} />}
  </>;
}

/** The rows behind a mark of a chart. */
function Behind({ all, rows: r, where, close }: { all: KeptResult | undefined; rows: PageRows; where: Condition[];
  close: () => void })
{
  const part = useMemo(() => ({ words: "", where }), [where]), windows = useWindows(all, part);
  const local = useMemo(() => here(arrange(r, part)), [r, part]), rows = all ? windows.rows : local;
  const name = where.map(c => told(c, r.columns)).join(", ");
  if (windows.error) return <Notice error={windows.error} />;
  return <section aria-label={T.rowsBehindChart} onKeyDown={e => { if (e.key === "Escape") close(); }}>
    <div class="bar">
      <span class="small grow" role="status">
        {rows ? say(T.with, { rows: plural(rows.count, T.nRows), name }) : T.rowsCome2}
      </span>
      <button class="quiet" onClick={close}>{T.close}</button>
    </div>
    {rows && <Grid name={say(T.rowsWith, { name })} columns={r.columns} rows={rows} />}
  </section>;
}
