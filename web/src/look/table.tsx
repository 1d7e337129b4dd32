// One table: its columns, a sample, and what a part of it would cost.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import type { PageProps } from "../app";
import { bytes, count, time } from "../format";
import { isNumber } from "../values";
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
import { look as T } from "../texts/en/look";
import { say } from "../texts/say";

export function TablePage({ route, desk }: PageProps) {
  const id = route.path[1]!;
  const schema = useAsked(signal => get<Schema>(`/api/v2/schema/${encodeURIComponent(id)}`, signal), [id]);
  const s = schema.data?.table_id === id ? schema.data : undefined; // not that of the table before
  useEffect(() => { if (s) opened(id); }, [s && id]);
  const tabs: [id: string, label: string][] = [["columns", say(T.columns,
    { columns: s?.columns.length })], ["sample", T.sample],
    ["statistics", T.statistics], ["part", T.rowsAndPrice], ["figures", T.figures], ["related", T.related]];
  const tab = (tabs.find(([id]) => id === route.path[2]) ?? tabs[0]!)[0];
  return <>
    <nav class="crumbs" aria-label={T.way}>
      <a href="#/tables">{T.tables}</a>
    </nav>
    <div class="head">
      <div>
        <h1>{id}</h1>
        {s?.description && <p class="soft">{s.description}</p>}
        {s?.notes?.filter(n => !n.column).map(n => <p key={n.id} title={n.author}>{n.text}</p>)}
      </div>
      {s && <div class="bar">
        <Star id={id} />
        <a class="button" href={link(["sql"], { q: first(s) })}>{T.openInSQL}</a>
      </div>}
    </div>
    {schema.error && <Notice error={schema.error}>
      {schema.error.status !== 403 && <p>
        <button onClick={schema.again}>{T.tryAgain}</button>
      </p>}
    </Notice>}
    {!s && !schema.error && <Waiting what={T.table} />}
    {s && <>
      <Facts schema={s} />
      {s.row_rule && <Note kind="warn">{T.ruleLimitsWhichRows}</Note>}
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
  return code.data ? <code.data.Show {...props} /> : <Waiting what={T.thisPart} />;
}

function Star({ id }: { id: string }) {
  const [, turn] = useState(0), starred = mine("starred").includes(id);
  return <button aria-pressed={starred} onClick={() => {
    star(id, !starred);
    turn(n => n + 1);
  }}>
    {starred ? T.starred : T.star}
  </button>;
}

/** A statement to begin with. */
const first = (s: Schema) => `SELECT *\nFROM ${quoted(s.table_id, /mysql|bigquery/.test(s.sql_flavor))}\nLIMIT 100`;

function Facts({ schema: s }: { schema: Schema }) {
  const facts: [string, string][] = [
    [T.rows,
      s.row_count != null ? count(s.row_count)
        : s.estimated_row_count != null
          ? say(T.about, { estimatedRowCount: count(s.estimated_row_count) }) : T.unknown],
    [T.size, bytes(s.size_bytes)],
    [T.source, s.file_format ? `${s.source_type}, ${s.file_format}` : s.source_type],
  ];
  if (s.partition_by.length) facts.push([T.partitionedBy, s.partition_by.join(", ")]);
  if (s.clustered_by.length) facts.push([T.clusteredBy, s.clustered_by.join(", ")]);
  if (s.as_of) facts.push([T.asOf, time(s.as_of)]);
  return <dl class="figures">{facts.map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

function Columns({ schema }: { schema: Schema }) {
  const described = schema.columns.some(c => c.description || notesOf(schema, c).length);
  return <div class="scroll" tabIndex={0} role="region" aria-label={T.columns2}>
    <table class="list">
      <thead>
        <tr>
          <th>{T.column}</th>
          <th>{T.type}</th>
          <th>{T.null}</th>
          {described && <th>{T.description}</th>}
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
      {schema.partition_by.includes(c.name) && <span class="tag">{T.partition}</span>}
      {c.masked && <span class="tag warn">{say(T.masked, { masked: c.masked })}</span>}
    </th>
    <td>
      <code class="type">{c.type}</code>
    </td>
    <td class="soft">{c.nullable ? T.yes : T.no}</td>
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
        <button onClick={sample.again}>{T.tryAgain}</button>
      </p>
    </Notice>;
  }
  if (!s) return <Waiting what={T.sample2} lines={8} />;
  if (s.rows.length === 0) return <><Warnings caveats={s.caveats} /><Empty title={T.tableHasNoRows} /></>;
  const types = new Map(schema.columns.map(c => [c.name, c.type]));
  return <>
    <p class="soft small">
      {say(T.rowsAsTheyCome, { rows: count(s.rows.length) })}
    </p>
    <Warnings caveats={s.caveats} />
    <Grid name={say(T.sampleOf, { id })}
      columns={s.columns.map(name => ({ name, type: types.get(name) ?? "", numeric: isNumber(types.get(name) ?? "") }))}
      rows={here(s.rows.map(r => s.columns.map(c => r[c] ?? null)))} />
  </>;
}
