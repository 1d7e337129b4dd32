// One table: its columns, a sample, and what a part of it would cost.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import type { PageProps } from "../app";
import { bytes, count, isNumber, time } from "../format";
import { part, useAsked } from "../use";
import { Grid } from "../ui/grid";
import { here } from "../ui/rows";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Tabs } from "../ui/tabs";
import { mine, opened, star } from "./mine";
import { Statistics } from "./stats";
import { Part } from "./where";
import { link } from "../route";
import { quoted } from "../sql/text";
import type { Column, Sample, Schema } from "../types";

export function TablePage({ route, desk }: PageProps) {
  const id = route.path[1]!;
  const schema = useAsked(signal => get<Schema>(`/api/v2/schema/${encodeURIComponent(id)}`, signal), [id]);
  const s = schema.data?.table_id === id ? schema.data : undefined; // not that of the table before
  useEffect(() => { if (s) opened(id); }, [s && id]);
  const tabs: [id: string, label: string][] = [["columns", `Columns ${s?.columns.length}`], ["sample", "Sample"],
    ["statistics", "Statistics"], ["part", "Rows and price"], ["figures", "Figures"], ["related", "Related"]];
  const tab = (tabs.find(([id]) => id === route.path[2]) ?? tabs[0]!)[0];
  return <>
    <nav class="crumbs" aria-label="Way">
      <a href="#/tables">Tables</a>
    </nav>
    <div class="head">
      <div>
        <h1>{id}</h1>
        {s?.description && <p class="soft">{s.description}</p>}
        {s?.notes?.filter(n => !n.column).map(n => <p key={n.id} title={n.author}>{n.text}</p>)}
      </div>
      {s && <div class="bar">
        <Star id={id} />
        <a class="button" href={link(["sql"], { q: first(s) })}>Open in SQL</a>
      </div>}
    </div>
    {schema.error && <Notice error={schema.error}>
      {schema.error.status !== 403 && <p>
        <button onClick={schema.again}>Try again</button>
      </p>}
    </Notice>}
    {!s && !schema.error && <Waiting what="the table" />}
    {s && <>
      <Facts schema={s} />
      {s.row_rule && <Note kind="warn">A rule limits which rows you see: counts and samples are of those alone.</Note>}
      <Tabs base={["tables", id]} active={tab} tabs={tabs} />
      {tab === "columns" && <Columns schema={s} />}
      {tab === "sample" && <SampleRows id={id} schema={s} />}
      {tab === "statistics" && <Statistics key={id} schema={s} />}
      {tab === "figures" && <Later key={"figures " + id} load={async () => (await import("./figures")).Figures}
        props={{ schema: s, route }} />}
      {tab === "related" && <Later key={"related " + id} load={async () => (await import("./related")).Related}
        props={{ schema: s, desk }} />}
      {tab === "part" && <Part key={id} schema={s} route={route} desk={desk} />}
    </>}
  </>;
}

/** What comes when it is asked for. */
function Later<P extends object>({ load, props }: { load: () => Promise<FunctionComponent<P>>; props: P }) {
  const code = useAsked(() => part(load).then(Show => ({ Show })), []);
  if (code.error) return <Notice error={code.error} />;
  return code.data ? <code.data.Show {...props} /> : <Waiting what="this part" />;
}

function Star({ id }: { id: string }) {
  const [, turn] = useState(0), starred = mine("starred").includes(id);
  return <button aria-pressed={starred} onClick={() => {
    star(id, !starred);
    turn(n => n + 1);
  }}>
    {starred ? "★ Starred" : "☆ Star"}
  </button>;
}

/** A statement to begin with. */
const first = (s: Schema) => `SELECT *\nFROM ${quoted(s.table_id, /mysql|bigquery/.test(s.sql_flavor))}\nLIMIT 100`;

function Facts({ schema: s }: { schema: Schema }) {
  const facts: [string, string][] = [
    ["Rows",
      s.row_count != null ? count(s.row_count)
        : s.estimated_row_count != null ? `about ${count(s.estimated_row_count)}` : "unknown"],
    ["Size", bytes(s.size_bytes)],
    ["Source", s.file_format ? `${s.source_type}, ${s.file_format}` : s.source_type],
  ];
  if (s.partition_by.length) facts.push(["Partitioned by", s.partition_by.join(", ")]);
  if (s.clustered_by.length) facts.push(["Clustered by", s.clustered_by.join(", ")]);
  if (s.as_of) facts.push(["As of", time(s.as_of)]);
  return <dl class="figures">{facts.map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

function Columns({ schema }: { schema: Schema }) {
  const described = schema.columns.some(c => c.description || notesOf(schema, c).length);
  return <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
    <table class="list">
      <thead>
        <tr>
          <th>Column</th>
          <th>Type</th>
          <th>NULL</th>
          {described && <th>Description</th>}
        </tr>
      </thead>
      <tbody>
        {schema.columns.map(c => <ColumnRow key={c.name} column={c} schema={schema} described={described} />)}
      </tbody>
    </table>
  </div>;
}

const notesOf = (s: Schema, c: Column) => s.notes?.filter(n => n.column === c.name) ?? [];

function ColumnRow({ column: c, schema, described }: { column: Column; schema: Schema; described: boolean }) {
  return <tr>
    <th scope="row">
      <code>{c.name}</code>
      {schema.partition_by.includes(c.name) && <span class="tag">partition</span>}
      {c.masked && <span class="tag warn">masked: {c.masked}</span>}
    </th>
    <td>
      <code class="type">{c.type}</code>
    </td>
    <td class="soft">{c.nullable ? "yes" : "no"}</td>
    {described && <td>
      {c.description}
      {notesOf(schema, c).map(n => <p key={n.id} title={n.author}>{n.text}</p>)}
    </td>}
  </tr>;
}

function SampleRows({ id, schema }: { id: string; schema: Schema }) {
  const sample = useAsked(signal => get<Sample>(`/api/v2/sample/${encodeURIComponent(id)}?n=100`, signal), [id]);
  const s = sample.data;
  if (sample.error) {
    return <Notice error={sample.error}>
      <p>
        <button onClick={sample.again}>Try again</button>
      </p>
    </Notice>;
  }
  if (!s) return <Waiting what="the sample" lines={8} />;
  if (s.rows.length === 0) return <><Warnings caveats={s.caveats} /><Empty title="The table has no rows" /></>;
  const types = new Map(schema.columns.map(c => [c.name, c.type]));
  return <>
    <p class="soft small">
      {count(s.rows.length)} rows, as they come first: not drawn at random. A sample costs no scan.
    </p>
    <Warnings caveats={s.caveats} />
    <Grid name={`Sample of ${id}`}
      columns={s.columns.map(name => ({ name, type: types.get(name) ?? "", numeric: isNumber(types.get(name) ?? "") }))}
      rows={here(s.rows.map(r => s.columns.map(c => r[c] ?? null)))} />
  </>;
}
