// The tables that the caller may read.
import { useState } from "preact/hooks";
import { get } from "../api";
import { count } from "../format";
import { link, replace, type Route } from "../route";
import { useAsked, useSettled } from "../use";
import { Empty, Notice, Waiting } from "../ui/notice";
import type { SearchHit, Table } from "../types";

export function Catalog({ route }: { route: Route }) {
  const [words, setWords] = useState(route.query.get("q") ?? "");
  const tables = useAsked(signal => get<{ tables: Table[] }>("/api/v2/catalog", signal), []);
  const settled = useSettled(words.trim(), 150);
  const hits = useAsked(async signal => settled ? (await get<{ hits: SearchHit[] }>(`/api/v2/catalog/search?limit=1000&q=${encodeURIComponent(settled.slice(0, 200))}`, signal)).hits : null, [settled]);
  const type = (text: string) => {
    setWords(text);
    replace(link(["tables"], { q: text }));
  };
  const all = tables.data?.tables ?? [];
  const shown = !hits.data ? all : hits.data.flatMap(h => all.filter(t => t.id === h.id));
  const columns = new Map(hits.data?.map(h => [h.id, h.matches.filter(m => m.column).map(m => m.column!)]));
  return <>
    <div class="head">
      <div><h1>Tables</h1>
        <p class="soft" role="status">{tables.data ? settled && hits.data ? `${shown.length} of ${all.length} tables` : `${all.length} that you may read` : " "}</p></div>
      <label class="search"><span class="hidden">Search tables and columns</span>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21" /></svg>
        <input type="search" placeholder="Search tables and columns" value={words} onInput={e => type(e.currentTarget.value)} /></label>
    </div>
    {tables.error && <Notice error={tables.error}><p><button onClick={tables.again}>Try again</button></p></Notice>}
    {hits.error && <Notice error={hits.error} />}
    {!tables.data && !tables.error && <Waiting what="the tables" />}
    {tables.data && all.length === 0 && <Empty title="No tables yet"><p>An admin grants you tables with <code>da admin grant add</code>.</p></Empty>}
    {all.length > 0 && shown.length === 0 && <Empty title="Nothing matches"><p>No table or known column has all of these words.</p></Empty>}
    <ul class="cards">{shown.map(t => <Card key={t.id} table={t} columns={columns.get(t.id) ?? []} />)}</ul>
  </>;
}

function Card({ table: t, columns }: { table: Table; columns: string[] }) {
  return <li class="card">
    <h2><a href={link(["tables", t.id])}>{t.id}</a></h2>
    <p class={t.description ? "" : "soft"}>{t.description || "No description"}</p>
    {columns.length > 0 && <p class="found small">{columns.slice(0, 6).map(c => <code key={c}>{c}</code>)}</p>}
    <p class="facts small">
      <span>{t.source_type}</span>
      <span>{t.query_mode === "local" ? "kept whole by da sync" : "read at its source"}</span>
      {t.row_count != null ? <span>{count(t.row_count)} rows</span> : t.rough_size_hint && <span>{t.rough_size_hint}</span>}
      {t.row_rule && <span class="tag">some rows</span>}
    </p>
  </li>;
}
