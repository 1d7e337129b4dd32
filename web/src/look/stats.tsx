// Figures of each column. They are of one statement, which runs with the rights, limits and
// audit of its caller like any other: a rule on rows holds for them too.
import { useMemo, useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { bytes, count, isNumber, text } from "../format";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { List } from "../ui/list";
import { useWhole } from "../ui/kept";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Summaries } from "../ui/summaries";
import { costs, PriceLine } from "../sql/price";
import { quoted } from "../sql/text";
import type { Condition } from "../ui/arrange";
import type { Column, PageRows, QueryPrice, Schema, Value } from "../types";

const most = 50; // columns of one statement
const mostExact = 2_000_000; // rows whose different values are counted exactly

const isText = (type: string) =>
  /^(character|char|varchar|text|string|enum|nvarchar|bpchar|citext|tinytext|mediumtext|longtext)/i.test(type) &&
  !/\[\]$/.test(type);
const isTime = (type: string) => /^(date|time)/i.test(type) && !/\[\]$/.test(type);
const ordered = (c: Column) =>
  !c.fields?.length && (isNumber(c.type) && !/\[\]$/.test(c.type) || isText(c.type) || isTime(c.type));

/**
 * Whether values are counted about: exactly takes memory for each of them. Rows of files are counted by their size
 * until they are known.
 */
const approximates = (s: Schema) =>
  s.sql_flavor === "duckdb" && (s.row_count ?? s.estimated_row_count ?? (s.size_bytes ?? Infinity) / 20) > mostExact;

/** The statement that counts, and what its columns are of: one row, four values for each column. */
export function statement(s: Schema, columns: Column[]): string {
  const quote = /mysql|bigquery/.test(s.sql_flavor) ? (n: string) => "`" + n.replaceAll("`", "``") + "`"
    : (n: string) => `"${n.replaceAll('"', '""')}"`;
  const distinct = approximates(s) ? (c: string) => `approx_count_distinct(${c})`
    : (c: string) => `count(DISTINCT ${c})`;
  const parts = columns.flatMap((c, i) => {
    const name = quote(c.name);
    return [`count(${name}) AS n${i}`,
      ...(ordered(c) ? [`${distinct(name)} AS d${i}`, `min(${name}) AS low${i}`, `max(${name}) AS high${i}`] : [])];
  });
  return `SELECT count(*) AS n, ${parts.join(", ")} FROM ${quote(s.table_id)}`;
}

const mostLooked = 1_000_000; // rows that are looked at unasked, where that costs nothing

/** What the columns of a table hold, as its rows show: all of them, or what one statement counts. */
export function Statistics({ schema: s }: { schema: Schema }) {
  const rows = s.row_count ?? s.estimated_row_count, whole = { scan: { table_id: s.table_id } };
  const sql = `SELECT * FROM ${quoted(s.table_id, /mysql|bigquery/.test(s.sql_flavor))}`;
  const price = useAsked(signal => costs(sql, "source", signal), [sql]);
  const small = rows != null && rows <= mostLooked && !!price.data?.free;
  const kept = useWhole("table " + s.table_id, whole, small), all = kept.result;
  if (all) {
    return <>
      <p class="soft small" role="status">
        Of all {count(all.rows)} rows that you may read, as they are now. A click on a value or a
        range shows its rows.
      </p>
      <Warnings caveats={all.caveats} />
      <Summaries columns={all.columns} of={{ result: all, part: { words: "", where: [] } }}
        places={all.columns.map((_, i) => i)} narrow={c => {
        location.hash = link(["tables", s.table_id, "part"], { where: condition(c, s) });
      }} />
    </>;
  }
  if (kept.stop || !price.data && !price.error || small && !kept.error) return <Waiting what="the rows" lines={6} />;
  return <>
    {kept.error && <Notice error={kept.error} />}
    {!kept.error && <div class="bar">
      <button onClick={kept.bring}>Look at all rows</button>
      <span class="soft small">
        How values are spread, and which come most. It reads {bytes(price.data?.estimated_scan_bytes ?? null)} at the
        source.
      </span>
    </div>}
    <Counts schema={s} />
  </>;
}

/** A condition on a column of a table, as a predicate has it. */
export function condition(c: Condition, s: Schema): string {
  const of = s.columns[c.at]!, name = quoted(of.name, /mysql|bigquery/.test(s.sql_flavor));
  const value = (v: string) =>
    isNumber(of.type) ? v : (/^(date|timestamp)/i.exec(of.type)?.[0].toUpperCase().concat(" ") ?? "")
      + (/^bool/i.test(of.type) ? v : `'${v.replaceAll("'", "''")}'`);
  if (c.null) return `${name} IS NULL`;
  if (c.is !== undefined) return `${name} = ${value(c.is)}`;
  return [c.from !== undefined && `${name} >= ${value(c.from)}`,
    c.to !== undefined && `${name} ${c.last ? "<=" : "<"} ${value(c.to)}`].filter(Boolean).join(" AND ");
}

function Counts({ schema }: { schema: Schema }) {
  const [from, setFrom] = useState(0);
  const columns = useMemo(() => schema.columns.slice(from, from + most), [schema, from]);
  const parts = Array.from({ length: Math.ceil(schema.columns.length / most) }, (_, i) => i * most);
  return <>
    <p class="soft small">Counted by a statement at the source, of the rows that you may read.</p>
    {parts.length > 1 && <label class="pick">
      <span>Columns</span>
      <select value={from} onChange={e => setFrom(Number(e.currentTarget.value))}>
        {parts.map(p =>
          <option key={p} value={p}>
            {count(p + 1)} to {count(Math.min(p + most, schema.columns.length))} of {count(schema.columns.length)}
          </option>
        )}
      </select>
    </label>}
    <Counted key={from} schema={schema} columns={columns} />
  </>;
}

/** Figures of some columns, counted when the user says so. */
function Counted({ schema, columns }: { schema: Schema; columns: Column[] }) {
  const sql = useMemo(() => statement(schema, columns), [schema, columns]);
  const price = useAsked(signal => ask<QueryPrice>("POST", "/api/page/price", { sql }, signal), [sql]);
  const [rows, setRows] = useState<PageRows>();
  const [error, fail] = useState<Failure>();
  const [busy, setBusy] = useState<AbortController>();
  const run = () => {
    const stop = new AbortController();
    setBusy(stop);
    fail(undefined);
    ask<PageRows>("POST", "/api/page/query", { sql }, stop.signal).then(setRows, e => {
      if (!stop.signal.aborted) fail(asFailure(e));
    }).finally(() => setBusy(undefined));
  };
  return <>
    {price.error ? <Notice error={price.error} /> : <PriceLine price={price.data} />}
    <div class="bar">
      <button class="primary" onClick={run} disabled={!!busy || !!price.error}>{busy ? "Counting…" : "Count"}</button>
      {busy && <button onClick={() => busy.abort()}>Stop</button>}
    </div>
    {error && <Notice error={error} />}
    {rows && <Figures schema={schema} columns={columns} rows={rows} />}
  </>;
}

function Figures({ schema, columns, rows }: { schema: Schema; columns: Column[]; rows: PageRows }) {
  const at = (name: string): Value | undefined => {
    const i = rows.columns.findIndex(c => c.name === name);
    return i < 0 ? undefined : rows.rows[0]?.[i];
  };
  const all = Number(at("n") ?? 0);
  const nulls = (i: number) => {
    const n = all - Number(at(`n${i}`) ?? 0);
    return n === 0 ? "0" : `${count(n)} (${(100 * n / all).toFixed(1)}%)`;
  };
  const value = (v: Value | undefined) => v == null ? "" : <code>{text(v).slice(0, 80)}</code>;
  const approximate = approximates(schema);
  if (rows.shown === 0) {
    return <>
      <Note kind="warn">The statistics did not come: the result was cut before its only row.</Note>
      <Warnings caveats={rows.caveats} />
    </>;
  }
  return <>
    <p role="status">{count(all)} rows</p>
    <List name="Statistics"
      head={["Column", "Type", "NULL", approximate ? "Distinct, about" : "Distinct", "Smallest", "Largest"]}
      numbers={[2, 3]} empty="There are no columns." rows={columns.map((c, i) => ({ c, i }))}
      row={(
        { c, i },
      ) => [<code>{c.name}</code>, <code class="type">{c.type}</code>, nulls(i),
        at(`d${i}`) == null ? "" : count(Number(at(`d${i}`))), value(at(`low${i}`)), value(at(`high${i}`))]} />
    <Warnings caveats={rows.caveats} />
  </>;
}
