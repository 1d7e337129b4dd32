// The tables that the caller may read, some of them at a time.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { count } from "../format";
import { link, replace, type Route } from "../route";
import { place, useKept } from "../store";
import { useAsked, useSettled } from "../use";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { mine } from "./mine";
import type { Facet, InstanceDashboard, PageTables } from "../types";

const step = 60; // cards at a time
const mostFound = 1000; // tables that a search lists

export function Catalog({ route, dashboards }: { route: Route; dashboards: InstanceDashboard[] }) {
  const [words, setWords] = useState(route.query.get("q") ?? "");
  const settled = useSettled(words.trim(), 150), q = route.query.get("q") ?? "",
    from = Number(route.query.get("from")) || 0;
  const type = route.query.get("type") ?? "", group = route.query.get("group") ?? "";
  useEffect(() => {
    if (settled !== q) replace(link(["tables"], { q: settled, type, group }));
  }, [settled]);
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
  const last = t && Math.min(t.found, q ? mostFound : t.found);
  const go = (to: number) => {
    location.hash = link(["tables"], { q, type, group, from: to > 0 ? String(to) : undefined });
    scrollTo(0, 0);
  };
  return <>
    <div class="head">
      <div>
        <h1>Tables</h1>
        <p class="soft" role="status">
          {!t || old ? " "
            : q || type || group ? `${count(t.found)} of ${count(t.all)} tables` : `${count(t.all)} that you may read`}
        </p>
      </div>
      <a class="button quiet" href="#/known">What people know</a>
      <label class="search">
        <span class="hidden">Search tables and columns</span>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21" />
        </svg>
        <input type="search" placeholder="Search tables and columns" value={words}
          onInput={e => setWords(e.currentTarget.value)} />
      </label>
    </div>
    {tables.error && <Notice error={tables.error}><p><button onClick={tables.again}>Try again</button></p></Notice>}
    {!t && !tables.error && <Waiting what="the tables" />}
    {t && <>
      {!old && <Warnings caveats={t.caveats} />}
      {t.all === 0 && <Empty title="No tables yet">
        <p>
          An admin grants you tables with <code>da admin grant add</code>.
        </p>
      </Empty>}
      {!old && t.all > 0 && t.found === 0 && <Empty title="Nothing matches">
        <p>No table or known column has one of these words.</p>
      </Empty>}
      <Facets name="Source" all={t.types} chosen={type} to={type => ({ q, type })} />
      <Facets name="Beginning with" all={t.groups} chosen={group} to={group => ({ q, type, group })} />
      {!q && !type && !group && from === 0 && <>
        <Mine name="Dashboards" part="dashboard"
          ids={dashboards.filter(d => !d.problem).map(d => [d.id, d.name || d.id])} />
        {dashboards.map(d => d.problem && <Note key={d.id} kind="warn">
          {d.id ? `${d.id}.json in the folder of dashboards cannot be shown` : "The dashboards cannot be listed"}:{" "}
          {d.problem}
        </Note>)}
        <Mine name="Starred" ids={mine("starred").map(id => [id, id])} />
        <Mine name="Lately" ids={mine("recent").filter(id => !mine("starred").includes(id)).map(id => [id, id])} />
      </>}
      <ul class={"cards" + (old ? " before" : "")}>
        {t.tables.map(t => <Card key={t.id} table={t} columns={t.columns ?? []} />)}
      </ul>
      {last! > step && <nav class="bar" aria-label="More tables">
        <button disabled={from <= 0} onClick={() => go(from - step)}>Earlier</button>
        <span class="soft small">
          {count(Math.min(from + 1, last!))} to {count(from + t.tables.length)} of {count(t.found)}
        </span>
        <button disabled={from + step >= last!} onClick={() => go(from + step)}>Later</button>
        {t.found > last! &&
          <span class="soft small">A search lists its best {count(mostFound)}: more words find fewer tables.</span>}
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
    <p class={t.description ? "" : "soft"}>{t.description || "No description"}</p>
    {columns.length > 0 && <p class="found small">{columns.slice(0, 6).map(c => <code key={c}>{c}</code>)}</p>}
    <p class="facts small">
      <span>{t.source_type}</span>
      <span>{t.query_mode === "local" ? "copied whole to your machine" : "read at its source"}</span>
      {t.row_count != null ? <span>{count(t.row_count)} rows</span>
        : t.rough_size_hint && <span>{t.rough_size_hint}</span>}
      {t.row_rule && <span class="tag">some rows</span>}
    </p>
  </li>;
}
