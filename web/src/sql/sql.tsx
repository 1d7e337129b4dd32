// Worksheets: statements in cells, with what they can name beside them.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { link, replace, type Route } from "../route";
import { kept, place } from "../store";
import { Copy } from "../ui/copy";
import { More } from "../ui/more";
import { Note } from "../ui/notice";
import { removed } from "../ui/undo";
import { CellView, TextCell, type Handle } from "./cell";
import { History } from "./history";
import { columnsOf, joinsOf, repeatsOf, tablesLike, useKnown, valuesOf } from "./known";
import { saved, type Came, type Stated } from "./saved";
import { Schema } from "./schema";
import { Parameters, SaveSheet, useTypes } from "./parameters";
import { addressOf, alike, blank, fromLink, newSheet, nextName, titleOf, useSheets, type Cell, type Sheet,
  type Where } from "./sheets";
import { compose, parametersIn } from "./text";
import type { Names } from "./complete";
import type { Run } from "./run";
import { sql as T } from "../texts/en/sql";
import { rich, say } from "../texts/say";

const places: Record<Where, [label: string, title: string]> = {
  source: [T.atSource, T.tablesOwnEngineRuns], here: [T.here, T.overSnapshotsOfThis],
  fetch: [T.fetchThenHere, T.whatItNeedsIs],
};

/** The sheet that an address holds. */
function linked(route: Route): Sheet | undefined {
  const q = route.query.get("q"), at = route.query.get("at"),
    where: Where = at === "here" || at === "fetch" ? at : "source";
  return fromLink(route.query.get("sheet")) ?? (q || at ? newSheet(q ?? "", where) : undefined);
}

export function Sql({ route, desk }: PageProps) {
  const s = useSheets(), { sheet } = s;
  const { snapshots, ready, backticks } = useKnown(desk);
  // Where there is no room beside the editor nothing is open above it.
  const [side, setSide] = useState<"" | "schema" | "history">(matchMedia("(max-width: 700px)").matches ? "" : "schema");
  const turn = (to: typeof side) => setSide(side === to ? "" : to);
  const [list, setList] = useState(saved.list());
  const handles = useRef(new Map<string, Handle>()), last = useRef("");
  const [running, setRunning] = useState(false);
  const stopped = useRef(false), [opened, setOpened] = useState(""); // the sheet that came by a link
  const own = useRef(""); // the address that was written here
  useEffect(() => {
    const asked = s.all.find(o => o.id === route.query.get("open"));
    if (asked) {
      s.put({ ...asked, closed: false }, true);
      replace("#/sql");
      return;
    }
    if (route.query.has("new")) {
      if (!blank(sheet)) s.put(newSheet("", sheet.where), true);
      replace("#/sql");
      return;
    }
    const given = location.hash === own.current ? undefined : linked(route);
    if (!given) return;
    const known = s.open.find(o => alike(o, given));
    if (known) {
      const now = s.now(known.id); // a cell may have been added since this was drawn
      // What the link says of how rows are looked at holds.
      s.put({ ...now, cells: now.cells.map((c, i) => given.cells[i]?.look ? { ...c, look: given.cells[i]!.look }
        : c) }, true);
    } else if (blank(given)) s.put({ ...sheet, where: given.where });
    else if (blank(sheet)) s.put({ ...given, id: sheet.id });
    else s.put(given, true);
    setOpened(known?.id ?? (blank(sheet) ? sheet.id : given.id));
  }, [route.query.toString()]);
  // The address is of what is shown, once no key was pressed for a moment.
  useEffect(() => {
    const timer = setTimeout(() => /^#\/sql\b/.test(location.hash) && replace(own.current = address()), 200);
    return () => clearTimeout(timer);
  }, [sheet]);
  place("sql " + sheet.id, true);
  const where = desk ? sheet.where : "source";
  const statements = sheet.cells.map(c => c.sql), parameters = parametersIn(statements);
  const types = useTypes(statements, ready);
  const composed = useMemo(() => sheet.cells.map((_, i) => ({
    ...compose(sheet.cells, i, { values: sheet.values, types, escapes: backticks }),
    text: compose(sheet.cells, i).sql })), [sheet.cells, sheet.values, types, backticks]);
  const latest = () => s.now(sheet.id); // a cell may have changed since this was drawn
  const change = (more: Partial<Sheet>) => s.put({ ...latest(), ...more });
  const setCell = (c: Cell) => change({ cells: latest().cells.map(o => o.id === c.id ? c : o) });
  const names = (at: number): Names => ({
    tables: async words => {
      const { tables, many } = where === "here" ? { tables: [], many: false } : await tablesLike(words);
      return { many, all: [...tables.map(t => ({ name: t.id, detail: T.table2 })),
        ...where !== "source" ? snapshots.map(x => ({ name: x.name, detail: T.snapshot2 })) : [],
        ...sheet.cells.slice(0, at).map(c => ({ name: "@" + c.name, detail: T.cell }))] };
    },
    columns: async t => {
      const cell = t.startsWith("@") && sheet.cells.slice(0, at).find(c => c.name === t.slice(1));
      return cell ? kept<Run>("run " + cell.id)?.rows?.columns : columnsOf(t);
    },
    joins: async t => {
      const here = (name: string) => where !== "here" || snapshots.some(x => x.name === name);
      return (await joinsOf(t)).filter(j => here(j.table) && here(j.to));
    },
    values: valuesOf, repeats: repeatsOf, backticks: () => backticks,
  });
  const address = () =>
    sheet.cells.length === 1 && !parameters.length && !sheet.cells[0]!.look && sheet.cells[0]!.text === undefined
      ? link(["sql"], { q: sheet.cells[0]!.sql.trim(), at: sheet.where === "source" ? undefined : sheet.where })
      : addressOf(sheet, "sql");
  const ran = (stated: Stated, came: Came) => setList(saved.ran(stated, came));
  const runFrom = async (at: number) => {
    setRunning(true);
    stopped.current = false;
    for (const c of sheet.cells.slice(at))
      if (c.text === undefined && (stopped.current || !await handles.current.get(c.id)?.run())) break;
    setRunning(false);
  };
  const stop = () => {
    stopped.current = true;
    handles.current.forEach(h => h.stop());
  };
  /** What moves and removes a cell. */
  const arrange = (i: number) => ({ at: i, of: sheet.cells.length, move: (by: number) => {
    const cells = [...latest().cells];
    cells.splice(i + by, 0, ...cells.splice(i, 1));
    change({ cells });
  }, remove: () => {
    const before = latest(), gone = before.cells[i]!;
    const cells = before.cells.filter(o => o.id !== gone.id);
    change({ cells: cells.length ? cells : newSheet().cells });
    removed(say(T.isRemoved, { name: gone.name }), () => s.put({ ...s.now(before.id), cells: before.cells }));
  } });
  const add = (more: Partial<Cell>) =>
    change({ cells: [...latest().cells, { id: newSheet().id, name: nextName(latest().cells), sql: "", ...more }] });
  const target = () => handles.current.get(last.current) ?? handles.current.get(sheet.cells.at(-1)!.id);
  const insert = (text: string) => target()?.editor.current?.insert(text);
  /** A statement that somebody else has written: in the cell that is used, or in a new one. */
  const take = (sql: string) => {
    const { cells } = latest(), at = cells.find(c => c.id === last.current) ?? cells.at(-1)!;
    if (at.text === undefined && !at.sql.trim()) target()?.editor.current?.put(sql);
    else add({ sql });
  };
  /** A statement of before, with its values. */
  const put = ({ sql, values }: Stated) => {
    target()?.editor.current?.put(sql);
    const now = latest(); // with what was just put into the editor
    if (values) s.put({ ...now, values: { ...now.values, ...values } });
  };
  return <>
    <div class="head sheet-head">
      <h1>{T.sql}</h1>
      <nav class="sheets" aria-label={T.sheets}>
        {s.open.map(o =>
          <Tab key={o.id} sheet={o} active={o.id === sheet.id} show={() => s.show(o.id)} close={() => s.close(o)}
            rename={name => s.put({ ...o, name })} />
        )}
        <button class="quiet" aria-label={T.newSheet} title={T.newSheet} onClick={() =>
          s.put(newSheet("", sheet.where), true)}>
          +
        </button>
      </nav>
    </div>
    {s.full &&
      <Note kind="warn">
        {T.thisBrowserHasNo}
      </Note>}
    <div class="sql">
      <aside class="sql-aside" aria-label={T.tablesAndStatements}>
        <div class="segments" role="group" aria-label={T.besideEditor}>
          <button aria-pressed={side === "schema"} onClick={() => turn("schema")}>{T.tables}</button>
          <button aria-pressed={side === "history"} onClick={() => turn("history")}>{T.statements}</button>
        </div>
        {side === "schema"
          ? <Schema where={where} snapshots={snapshots} insert={insert} backticks={backticks} take={take} />
          : side && <History list={list} changed={setList} put={put} closed={s.all.filter(o => o.closed)}
            reopen={o => s.put({ ...o, closed: false }, true)} drop={s.drop} />}
      </aside>
      <div class="sql-main" key={sheet.id}>
        <div class="bar">
          {desk &&
            <div class="segments" role="group" aria-label={T.whereItRuns}>
              {(Object.keys(places) as Where[]).map(w =>
                <button key={w} data-do={places[w][0]} aria-pressed={where === w} title={places[w][1]} onClick={() =>
                  change({ where: w })}>
                  {places[w][0]}
                </button>
              )}
            </div>}
          {sheet.cells.length > 1 && <>
            <button data-do={T.runAll} disabled={running} onClick={() => { void runFrom(0); }}>{T.runAll}</button>
            {running && <button onClick={stop}>{T.stopAll}</button>}</>}
          <span class="grow" />
          <span class="soft small hint">{rich(T.runs,
            { ctrl: <kbd>{T.ctrl}</kbd>, enter: <kbd>{T.enter}</kbd> })}</span>
          <a class="button quiet" href={link(["dashboard", sheet.id])} title={T.tilesInPlaceOfCells}>{T.dashboard}</a>
          <More of={T.sheet}>
            <SaveSheet sheet={sheet} />
            <Copy text={() => location.href.replace(/#.*/, "") + address()} label={T.copyLink} />
          </More>
        </div>
        <Parameters sheet={sheet} types={types} change={values => change({ values })}
          run={of => { void runFrom(sheet.cells.findIndex(c => parametersIn([c.sql]).includes(of))); }} />
        {sheet.cells.map((c, i) => c.text !== undefined
          ? <TextCell key={c.id} cell={c} change={setCell} {...arrange(i)} />
          : <CellView key={c.id} {...arrange(i)} cell={c} where={where}
            name={titleOf(sheet) + (sheet.cells.length > 1 ? ` ${c.name}` : "")} auto={opened === sheet.id && !!types}
            composed={composed[i]!} values={sheet.values}
            names={names(i)} change={setCell} handle={h => {
            if (h) handles.current.set(c.id, h);
            else handles.current.delete(c.id);
          }} focused={() => { last.current = c.id; }} ran={ran} runFrom={running ? undefined : () => void runFrom(i)}
             save={stated => setList(saved.keep(stated))} fetchHere={() => {
            change({ where: "fetch" });
            void handles.current.get(c.id)?.run("fetch");
          }} />
        )}
        <p>
          <button class="quiet" onClick={() => add({})}>{T.addCell}</button>
          <button class="quiet" onClick={() => add({ text: "" })}>{T.addWords}</button>
          {sheet.cells.length > 1 &&
            <span class="soft small">
              {say(T.cellReadsRowsOfOne,
                { name: (sheet.cells.find(c => c.text === undefined) ?? sheet.cells[0]!).name })}
            </span>}
        </p>
      </div>
    </div>
  </>;
}

/** A sheet's tab: a second press on it names it. */
function Tab(
  { sheet, active, show, close, rename }: { sheet: Sheet; active: boolean; show: () => void; close: () => void;
    rename: (name: string) => void },
) {
  const [naming, name] = useState(false), title = titleOf(sheet);
  if (naming) {
    return <input class="sheet-name" aria-label={T.nameOfSheet} autofocus value={sheet.name} placeholder={title}
      ref={el => el?.focus()} onBlur={e => { rename(e.currentTarget.value.trim()); name(false); }}
      onKeyDown={e => { if (e.key === "Enter" || e.key === "Escape") e.currentTarget.blur(); }} />;
  }
  return <span class={"sheet" + (active ? " here" : "")}>
    <button aria-pressed={active} title={active ? T.pressToNameIt : title}
      onClick={() => active ? name(true) : show()}>
      {title}
    </button>
    <button class="quiet" aria-label={say(T.close2, { title })} onClick={close}>×</button>
  </span>;
}
