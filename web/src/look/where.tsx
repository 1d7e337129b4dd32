// A part of a table: the condition is checked and priced while it is typed.
import { useEffect, useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { bytes, count, plural, usd } from "../format";
import { isNumber, isTime, shell } from "../values";
import { link, parse, replace, type Route } from "../route";
import { asFailure, useAsked, useSettled } from "../use";
import { Below } from "../ui/below";
import { Left } from "../ui/left";
import { Copy } from "../ui/copy";
import { Note, Notice } from "../ui/notice";
import { Picker } from "../ui/picker";
import { Pointer } from "../ui/pointer";
import { Result, type Shown } from "../ui/result";
import type { Condition } from "../ui/arrange";
import { kept, useKept } from "../store";
import { costs, isFree } from "../sql/price";
import { quoted } from "../sql/text";
import { most, mostTicks, Ticks } from "../ui/ticks";
import { Waits } from "../ui/waits";
import { valuesIn, withoutValues, withValues } from "./predicate";
import { Keep } from "../snapshots/keep";
import type { Estimate, PageRows, PageTables, Schema } from "../types";
import { look as T } from "../texts/en/look";
import { say } from "../texts/say";

const mostCounted = 300e6; // bytes of a table whose rows are counted
const mostShown = 2000; // rows of a part; MaxPageRows in Go
const mostColumns = 40; // shown until all are asked for

export function Part({ schema, route, desk }: { schema: Schema; route: Route; desk: boolean }) {
  const id = schema.table_id;
  const linked = route.query.get("where") ?? "", named = route.query.get("select") ?? "";
  const columnsOf = (names: string) => names.split(",").filter(c => schema.columns.some(k => k.name === c));
  const [where, setWhere] = useState(linked), [select, setSelect] = useState(() => columnsOf(named));
  useEffect(() => {
    const follow = (e: HashChangeEvent) => {
      if (!e.isTrusted) return; // this field has changed the address
      const { path, query } = parse(location.hash); // another link in the same tab
      if (path[1] !== id) return;
      const given = query.get("where") ?? "";
      setWhere(given);
      arrive(given);
      setSelect(columnsOf(query.get("select") ?? ""));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [id]);
  const settled = useSettled(where.trim(), 250);
  const request = (condition: string) => ({ table_id: id, ...(condition ? { where: condition } : {}),
    ...(select.length ? { select } : {}) });
  const asked = JSON.stringify(request(where.trim())), of = JSON.stringify(request(settled));
  const price = useAsked(async signal => ({ of,
    ...await ask<Estimate>("POST", "/api/v2/scan/estimate", request(settled), signal) }), [of]);
  // A count is exact; it is asked for where an estimate says little and reading costs little.
  const e = price.data?.of === asked ? price.data : undefined, // not that of what was asked before
    countable = schema.sql_flavor === "duckdb" && !!settled && !!e && e.estimated_result_rows == null &&
      (e.estimated_scan_bytes ?? Infinity) <= mostCounted && !e.estimated_billed_bytes;
  const counted = useAsked(
    async signal =>
      countable
        ? Number((await ask<PageRows>("POST", "/api/page/query", {
          sql: `SELECT count(*) AS n FROM "${id.replaceAll('"', '""')}" WHERE (${settled}\n)`,
        }, signal)).rows[0]?.[0] ?? NaN) : NaN,
    [of, countable],
  );
  const known = countable ? counted.data : undefined; // NaN: it was not counted
  const found = useAsked(
    signal => get<PageTables>(`/api/page/tables?${new URLSearchParams({ q: id, limit: "20" })}`, signal),
    [id],
  );
  const table = found.data?.tables.find(t => t.id === id);
  const [all, showAll] = useState(schema.columns.length <= mostColumns);
  const [last, setRun] = useKept<Run>(`part ${id}`, {});
  const { rows, error, failed, busy } = last;
  const [look] = useState(() => lookIn(route.query.get("look")));
  const [arrived, arrive] = useState(look || linked || named ? linked : undefined);
  const keep = (w: string, s: string[], look?: Shown) => replace(link(["tables", id, "part"], { where: w,
    select: s.join(","), look: look && JSON.stringify(look) }));
  const run = () => {
    const stop = new AbortController(), latest = (r: Run) => { if (kept<Run>(`part ${id}`)?.busy === stop) setRun(r); };
    busy?.abort();
    arrive(undefined);
    setRun({ rows, of: last.of, busy: stop });
    ask<PageRows>("POST", "/api/page/rows", request(where.trim()), stop.signal)
      .then(rows => latest({ rows, of: asked }), e => {
        const error = asFailure(e);
        latest(error.status ? { error, of: asked } : { rows, of: rows && last.of, error, failed: asked });
      });
  };
  // A link to a part shows its rows, where that costs nothing.
  const free = !!e && isFree(e);
  useEffect(() => { if (arrived === where && free && last.of !== asked) run(); }, [arrived, free, asked]);
  const toggle = (name: string) => {
    const next = schema.columns.map(c => c.name).filter(c => c === name ? !select.includes(c) : select.includes(c));
    setSelect(next);
    keep(where, next);
  };
  const command = ["da fetch", shell(id), ...(select.length ? ["--select", shell(select.join(","))] : []),
    ...(where.trim() ? ["--where", shell(where.trim())] : [])].join(" ");
  return <div class="part">
    <label class="field">
      <span>{T.rowsForWhich}</span>
      <textarea class="code" rows={2} spellcheck={false}
        placeholder={table?.where_examples[0] ?? T.conditionEmptyAllRows} value={where}
        aria-invalid={price.error ? "true" : undefined} aria-describedby="price" onInput={e => {
        setWhere(e.currentTarget.value);
        keep(e.currentTarget.value, select);
      }} onKeyDown={e => {
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
          e.preventDefault();
          run();
        }
      }} />
    </label>
    {!!table?.where_examples.length && <p class="chips small">
      <span class="soft">{T.suchAs}</span>
      {table.where_examples.map(w =>
        <button key={w} class="chip" onClick={() => {
          setWhere(w);
          keep(w, select);
        }}>
          <code>{w}</code>
        </button>
      )}
    </p>}
    <Values schema={schema} where={where} narrow={c => {
      const next = withValues(where, c, schema);
      setWhere(next);
      keep(next, select);
    }} />
    <fieldset class="chips">
      <legend>{say(T.columns3, { what: select.length
        ? say(T.of2, { select: select.length, columns: schema.columns.length }) : T.all })}</legend>
      {schema.columns.filter((c, i) => all || i < mostColumns || select.includes(c.name)).map(c =>
        <button key={c.name} class="chip" type="button" aria-pressed={select.includes(c.name)} onClick={() =>
          toggle(c.name)}>
          <code>{c.name}</code>
        </button>
      )}
      {!all &&
        <button type="button" class="quiet" onClick={() => showAll(true)}>
          {say(T.showAll, { columns: count(schema.columns.length) })}
        </button>}
    </fieldset>
    <div id="price" aria-live="polite">
      {price.error ? <WhereError error={price.error} where={settled} again={price.again} />
        : <Price estimate={e} counted={known} />}
    </div>
    {!busy && <Left of={e && shownOf(e)} id="left" />}
    <div class="bar">
      <button class="primary" aria-describedby="left" onClick={run} disabled={!!busy || !!price.error}>
        {busy ? T.reading : T.showRows}
      </button>
      {busy && <Waits what={T.rowsCome} stop={busy} />}
      <code class="command" role="group" aria-label={T.daCommand} tabIndex={0}>{command}</code>
      <Copy text={() => command} label={T.copyDaCommand} />
      <a class="button quiet" href={link(["tables", id, "figures"], { of: JSON.stringify({ where: where.trim() }) })}>
        {T.figuresOfThese}
      </a>
    </div>
    {desk &&
      <Keep key={id} scan={request(where.trim())} name={where.trim() || select.length ? `${id}_part` : id}
        disabled={!!price.error} />}
    {error && (failed ?? last.of) === asked && <Notice error={error}>
      <Pointer text={where.trim()} error={error} />
    </Notice>}
    {rows && <Below of={partIn(last.of!)} now={partIn(asked)}
      instead={<button onClick={run} disabled={!!busy || !!price.error}>{T.showRowsOfThis}</button>}>
      <Result key={last.of} id={last.of!} rows={rows} name={id} whole={{ scan: JSON.parse(last.of!) as object }}
        total={last.of !== asked ? undefined : known || (settled || schema.row_rule ? undefined : schema.row_count)}
        free={last.of === asked && free} before={look} looked={shown => keep(where, select, shown)} />
    </Below>}
  </div>;
}

/** A column whose values are counted and ticked; they become a condition. */
function Values({ schema: s, where, narrow }: { schema: Schema; where: string; narrow: (c: Condition) => void }) {
  const [at, choose] = useState(-1), c = s.columns[at], [from, start] = useState(""), [to, end] = useState("");
  const settled = useSettled(where, 250), rest = c ? withoutValues(settled, at, s) : "";
  const range = { ...(from ? { from } : {}), ...(to ? { to, last: true } : {}) };
  const limit = (label: string, value: string, set: (v: string) => void) => <>
    <label class="pick"><span>{label}</span><input value={value} placeholder={c!.type} spellcheck={false}
      onInput={e => set(e.currentTarget.value)} /></label>
    <Picker of={label.toLowerCase()} type={c!.type} value={value} set={set} />
  </>;
  const of = async (signal: AbortSignal) => {
    const q = (name: string) => quoted(name, /mysql|bigquery/.test(s.sql_flavor)), name = q(c!.name);
    const sql = `SELECT ${name}, count(*) AS n FROM ${q(s.table_id)} WHERE ${name} IS NOT NULL` +
      `${rest && ` AND (${rest}\n)`} GROUP BY ${name} ORDER BY n DESC LIMIT ${mostTicks}`;
    const price = await costs(sql, "source", signal);
    if (!price.free) throw new Error(say(T.toCountThemReads,
      { estimatedScanBytes: bytes(price.estimated_scan_bytes) }));
    const { rows } = await ask<PageRows>("POST", "/api/page/query", { sql }, signal);
    return most(rows.map(r => ({ value: r[0] ?? null, n: Number(r[1]) })));
  };
  return <>
    <label class="pick">
      <span>{T.valuesOf}</span>
      <select value={at} onChange={e => choose(Number(e.currentTarget.value))}>
        <option value={-1}>{T.column2}</option>
        {s.columns.map((c, i) => <option key={c.name} value={i}>{c.name}</option>)}
      </select>
    </label>
    {c && isTime(c) && <div class="bar">
      {limit(T.from, from, start)}{limit(T.upTo, to, end)}
      <button type="button" disabled={!from && !to} onClick={() => {
        choose(-1);
        narrow({ at, ...range });
      }}>{T.onlyThisRange}</button>
    </div>}
    {c && <Ticks key={`${at} ${rest}`} column={{ ...c, numeric: isNumber(c.type) }} of={of} where={rest}
      now={valuesIn(where, at, s)} pick={given => {
      choose(-1);
      narrow({ at, ...given });
    }} />}
  </>;
}

/** How rows are looked at, by a link. */
function lookIn(text: string | null): Shown | undefined {
  try {
    const look = JSON.parse(text ?? "") as Shown;
    return /^(rows|summary|chart)$/.test(look.view) ? look : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a condition, and where; or that its price did not come. */
function WhereError({ error, where, again }: { error: Failure; where: string; again: () => void }) {
  return <Notice error={error}>
    <Pointer text={where} error={error} />
    {(error.status === 0 || error.status >= 500) && <p><button onClick={again}>{T.tryAgain}</button></p>}
  </Notice>;
}

/** What was asked for, in words. */
function partIn(request: string): string {
  const { where, select } = JSON.parse(request) as { where?: string; select?: string[] };
  return `${where ?? T.allRows}${select ? `, ${select.join(", ")}` : ""}`;
}

/** The last rows that were asked for, and of what; busy: others are on their way. */
interface Run { rows?: PageRows | undefined; error?: Failure; of?: string | undefined;
  busy?: AbortController | undefined;
  /** Of the rows that were asked for after these, and did not come. */ failed?: string }

/** An estimate, scaled to the rows that the page shows. */
const shownOf = (e: Estimate) => ({ ...e, estimated_result_bytes: e.estimated_result_bytes == null ? null
  : Math.ceil(e.estimated_result_bytes * Math.min(1, mostShown / (e.estimated_result_rows || 1))) });

function Price({ estimate: e, counted }: { estimate: Estimate | undefined; counted: number | undefined }) {
  const rows = !e ? "…"
    : counted != null && !isNaN(counted) ? say(T.counted, { counted: count(counted) })
    : e.estimated_result_rows != null ? count(e.estimated_result_rows)
    : e.rows_low != null && e.rows_high != null
      ? say(T.to2, { rowsLow: count(e.rows_low), rowsHigh: count(e.rows_high) })
    : e.rows_upper_bound != null ? say(T.atMost, { rowsUpperBound: count(e.rows_upper_bound) }) : T.unknown;
  return <>
    <dl class="figures">
      <div>
        <dt>{T.rows}</dt>
        <dd>{rows}</dd>
      </div>
      <div>
        <dt>{T.readAtSource}</dt>
        <dd>{e ? bytes(e.estimated_scan_bytes) : "…"}</dd>
      </div>
      {e?.estimated_result_bytes != null && <div>
        <dt>{T.result}</dt>
        <dd>{bytes(e.estimated_result_bytes)}</dd>
      </div>}
      <div>
        <dt>{T.billed}</dt>
        <dd>
          {!e ? "…" : e.bq_cost_estimate_usd != null ? usd(e.bq_cost_estimate_usd) : bytes(e.estimated_billed_bytes)}
        </dd>
      </div>
    </dl>
    {e?.cut_by &&
      <Note kind="warn">
        {T.thisIsMoreThan}{" "}
        {e.cut_by.unit === "rows" ? plural(e.cut_by.limit, T.nRows) : bytes(e.cut_by.limit)} ({e.cut_by.key}).
      </Note>}
  </>;
}
