// The tables that the caller may read, some of them at a time.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { count, plural } from "../format";
import { link, replace, type Route } from "../route";
import { place, useKept } from "../store";
import { useAsked, useSettled } from "../use";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { mine } from "./mine";
import type { Facet, InstanceDashboard, PageTables } from "../types";
import { frame as T } from "../texts/en/frame";
import { rich, say } from "../texts/say";

const step = 60; // cards at a time

export function Catalog({ route, dashboards }: { route: Route; dashboards: InstanceDashboard[] }) {
  const [words, setWords] = useState(route.query.get("q") ?? "");
  const settled = useSettled(words.trim(), 150), q = route.query.get("q") ?? "",
    from = Number(route.query.get("from")) || 0;
  const type = route.query.get("type") ?? "", group = route.query.get("group") ?? "";
  const own = useRef(q); // what was typed here
  useEffect(() => {
    if (settled !== q) replace(link(["tables"], { q: own.current = settled, type, group }));
  }, [settled]);
  useEffect(() => { if (q !== own.current) setWords(own.current = q); }, [q]);
  // What was here stays while another part is shown: who comes back is where they were.
  const [kept, keep] = useKept<{ of: string; data: PageTables } | undefined>("tables", undefined);
  const of = [q, from, type, group].join("\n");
  const tables = useAsked(async signal => {
    const data = await get<PageTables>(
      `/api/page/tables?${
        new URLSearchParams({ q: q.slice(0, 200), from: String(from), limit: String(step), type, group })
      }`,
      signal,
    );
    keep({ of, data });
    return data;
  }, [of]);
  const t = tables.data ?? kept?.data, old = !tables.data && kept?.of !== of;
  place("tables " + of, !!t && !old);
  const go = (to: number) => {
    location.hash = link(["tables"], { q, type, group, from: to > 0 ? String(to) : undefined });
    scrollTo(0, 0);
  };
  return <>
    <div class="head">
      <div>
        <h1>{T.tables}</h1>
        <p class="soft" role="status">
          {!t || old ? " "
            : q || type || group ? say(T.ofTables, { found: count(t.found), all: count(t.all) })
              : say(T.thatYouMayRead, { all: count(t.all) })}
        </p>
      </div>
      <a class="button quiet" href="#/known">{T.whatPeopleKnow}</a>
      <label class="search">
        <span class="hidden">{T.searchTablesAndColumns}</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21" />
        </svg>
        <input type="search" placeholder={T.searchTablesAndColumns} value={words}
          onInput={e => setWords(e.currentTarget.value)} />
      </label>
    </div>
    {tables.error && <Notice error={tables.error}><p><button onClick={tables.again}>{T.tryAgain}</button></p></Notice>}
    {!t && !tables.error && <Waiting what={T.tables2} />}
    {t && <>
      {!old && <Warnings caveats={t.caveats} />}
      {t.all === 0 && <Empty title={T.noTablesYet}>
        <p>
          {rich(T.adminGrantsYouTables)}
        </p>
      </Empty>}
      {!old && t.all > 0 && t.found === 0 && <Empty title={T.nothingMatches}>
        <p>{T.noTableOrKnown}</p>
      </Empty>}
      <Facets name={T.source} all={t.types} chosen={type} to={type => ({ q, type })} />
      <Facets name={T.beginningWith} all={t.groups} chosen={group} to={group => ({ q, type, group })} />
      {!q && !type && !group && from === 0 && <>
        <Mine name={T.dashboards} part="dashboard"
          ids={dashboards.filter(d => !d.problem).map(d => [d.id, d.name || d.id])} />
        {dashboards.map(d => d.problem && <Note key={d.id} kind="warn">
          {d.id ? say(T.jsonInFolderOfDashboards, { id: d.id }) : T.dashboardsCannotBeListed}:{" "}
          {d.problem}
        </Note>)}
        <Mine name={T.starred} ids={mine("starred").map(id => [id, id])} />
        <Mine name={T.lately} ids={mine("recent").filter(id => !mine("starred").includes(id)).map(id => [id, id])} />
      </>}
      <ul class={"cards" + (old ? " before" : "")}>
        {t.tables.map(t => <Card key={t.id} table={t} columns={t.columns ?? []} />)}
      </ul>
      {t.found > step && <nav class="bar" aria-label={T.moreTables}>
        <button disabled={from <= 0} onClick={() => go(from - step)}>{T.earlier}</button>
        <span class="soft small">
          {say(T.fromToOf,
            { from: count(Math.min(from + 1, t.found)), upTo: count(from + t.tables.length), found: count(t.found) })}
        </span>
        <button disabled={from + step >= t.found} onClick={() => go(from + step)}>{T.later}</button>
      </nav>}
    </>}
  </>;
}

/** What divides the tables; the chosen one is pressed, and lets go. */
function Facets(
  { name, all, chosen, to }: { name: string; all: Facet[]; chosen: string;
    to: (name: string | undefined) => Record<string, string | undefined> },
) {
  if (all.length < 2 && !chosen) return null;
  return <p class="chips small">
    <span class="soft">{name}</span>
    {all.map(f => {
      const here = f.name === chosen;
      return <button key={f.name} class="chip" aria-pressed={here} onClick={() => {
        location.hash = link(["tables"], to(here ? undefined : f.name));
      }}>
        {f.name} <span class="soft">{count(f.tables)}</span>
      </button>;
    })}
  </p>;
}

/** Ways to things by their ids and names. */
function Mine({ name, ids, part = "tables" }: { name: string; ids: [id: string, name: string][]; part?: string }) {
  if (!ids.length) return null;
  return <p class="chips small">
    <span class="soft">{name}</span>
    {ids.map(([id, name]) => <a key={id} class="button chip" href={link([part, id])}>{name}</a>)}
  </p>;
}

function Card({ table: t, columns }: { table: PageTables["tables"][number]; columns: string[] }) {
  return <li class="card">
    <h2><a href={link(["tables", t.id])}>{t.id}</a></h2>
    <p class={t.description ? "" : "soft"}>{t.description || T.noDescription}</p>
    {columns.length > 0 && <p class="found small">{columns.slice(0, 6).map(c => <code key={c}>{c}</code>)}</p>}
    <p class="facts small">
      <span>{t.source_type}</span>
      <span>{t.query_mode === "local" ? T.copiedWholeToYour : T.readAtItsSource}</span>
      {t.row_count != null ? <span>{plural(t.row_count, T.rows)}</span>
        : t.rough_size_hint && <span>{t.rough_size_hint}</span>}
      {t.row_rule && <span class="tag">{T.someRows}</span>}
    </p>
  </li>;
}
