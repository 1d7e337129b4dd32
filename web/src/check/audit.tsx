// Who asked for what, and how it ended: under filters, some at a time, and all of it as a file.
import { useState } from "preact/hooks";
import { get, type Failure } from "../api";
import { bytes, count, plural, time } from "../format";
import { link, replace, type Route } from "../route";
import { noFile } from "../files/transfer";
import { useAsked } from "../use";
import { download } from "../ui/copy";
import { lines } from "../ui/csv";
import { List } from "../ui/list";
import { Note, Notice, Waiting } from "../ui/notice";
import { Waits } from "../ui/waits";
import { Pick } from "./change";
import { aboutOf, auditColumns, auditRow, eventNames, isLook, outcomeOf, outcomes, tablesOf, whatOf,
  type AuditEvent } from "./types";
import { check as T } from "../texts/en/check";
import { say } from "../texts/say";

/** How long a call took; null: not measured. */
const took = (ms: number | null) => ms == null ? null : say(T.ms, { latencyMs: count(ms) });

const spans = { "1": T.n24Hours, "7": T.n7Days, "30": T.n30Days };
export const mostEvents = 100_000;
const notOk = Object.keys(outcomes).filter(s => s !== "ok").join(",");
const mostRows = 500; // of the list
const atOnce = 20_000; // events of a file that are asked for at a time

/** What the route asks for, as the API takes it. */
function asked(route: Route) {
  const days = Number(route.query.get("days") ?? 7), all = { user: "", table: "", status: "" };
  for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] = route.query.get(name) ?? "";
  const since = new Date(Date.now() - days * 86_400_000).toISOString(),
    given = Object.entries(all).filter(([, v]) => v);
  return { days: String(days), ...all, path: (more: Record<string, string>) =>
    `/api/admin/audit?${new URLSearchParams({ since, ...Object.fromEntries(given), ...more })}` };
}

/** Events of the last days, as the route filters them. */
export function useEvents(route: Route, limit: number) {
  const { path, ...of } = asked(route);
  const events = useAsked(signal => get<AuditEvent[]>(path({ limit: String(limit) }), signal),
    [...Object.values(of), limit]);
  return { ...of, events };
}

export function Span({ route, days }: { route: Route; days: string }) {
  const set = (d: string) =>
    replace(link(route.path.length > 1 ? route.path : ["check", "use"], { ...Object.fromEntries(route.query),
      days: d }));
  return <div class="segments" role="group" aria-label={T.spanOfTime}>
    {Object.entries(spans).map(([d, name]) =>
      <button key={d} aria-pressed={d === days} onClick={() => set(d)}>{name}</button>
    )}
  </div>;
}

export function Audit({ route }: { route: Route }) {
  const [most, setMost] = useState(1000), [from, setFrom] = useState(0);
  const { days, user, table, status, events } = useEvents(route, most);
  const what = route.query.get("what") ?? "";
  const filter = (change: Record<string, string>) => {
    setFrom(0);
    replace(link(["check", "audit"], { days, user, table, status, what, ...change }));
  };
  const wanted = (e: AuditEvent) => what === "all" || (what ? e.event_type === what : !isLook(e));
  const some = [...events.data ?? []].reverse(), list = some.filter(wanted),
    folded = what ? 0 : some.length - list.length;
  return <>
    <div class="bar">
      <Span route={route} days={days} />
      <Words label={T.user} value={user} set={user => filter({ user })} />
      <Words label={T.table} value={table} set={table => filter({ table })} />
      <Pick label={T.outcome} value={status} set={status => filter({ status })} none={T.all}
        all={[...Object.entries(outcomes).map(([s, [name]]): [string, string] => [s, name]), [notOk, T.allButOk]]} />
      <Pick label={T.what} value={what} set={what => filter({ what })} none={T.readsAndChanges}
        all={[["all", T.everything], ...Object.entries(eventNames)]} />
      <AllAsCSV route={route} wanted={wanted} />
    </div>
    {events.error && <Notice error={events.error} />}
    {!events.data && !events.error && <Waiting what={T.audit} lines={8} />}
    {events.data && events.data.length >= most &&
      <Note kind="warn">
        {say(T.onlyLastEventsOfThis, { most: count(most) })}{" "}
        {most < mostEvents && <button onClick={() => setMost(mostEvents)}>{say(T.show,
          { mostEvents: count(mostEvents) })}</button>}
      </Note>}
    {folded > 0 && <p class="soft small">
      {plural(folded, T.nLooks)}{" "}
      <button class="link" onClick={() => filter({ what: "all" })}>{T.showEverything}</button>
    </p>}
    {list.length > mostRows && <div class="bar">
      <span class="soft small" role="status">
        {say(T.toOfEventsLatest,
          { from: count(from + 1), upTo: count(Math.min(from + mostRows, list.length)), all: count(list.length) })}
      </span>
      <button disabled={from === 0} onClick={() => setFrom(from - mostRows)}>{T.later}</button>
      <button disabled={from + mostRows >= list.length} onClick={() => setFrom(from + mostRows)}>{T.earlier}</button>
    </div>}
    {events.data &&
      <List name={T.audit2} kind="audit" head={[T.time, T.user, T.what, T.table, T.outcome, T.rows, T.delivered,
        T.took]}
        rows={list.slice(from, from + mostRows)} empty={T.nothingWasAskedInThis} numbers={[5, 6, 7]}
        row={e => {
        const d = e.event_data, { text, tone } = outcomeOf(d);
        return [time(e.at), e.user_email, <details>
          <summary>{whatOf(e)} {!tablesOf(e) && d.subject && <code class="soft">{aboutOf(e)}</code>}</summary>
          <Details event={e} />
        </details>, tablesOf(e), <span class={"tag bare " + tone}>{text}</span>,
          d.actual_result_rows == null ? "" : count(d.actual_result_rows),
          d.actual_result_bytes == null ? "" : bytes(d.actual_result_bytes), took(d.latency_ms)];
      }} />}
  </>;
}

/** All events under the filters as a file, also those that are not listed. */
function AllAsCSV({ route, wanted }: { route: Route; wanted: (e: AuditEvent) => boolean }) {
  const [error, fail] = useState<Failure>(), [busy, setBusy] = useState<AbortController>(), [said, tell] = useState("");
  const make = async () => {
    const stop = new AbortController(), { path } = asked(route), parts: string[] = [];
    setBusy(stop);
    fail(undefined);
    try {
      for (let before = "", n = 0;;) {
        tell(say(T.eventsSoFar, { what: count(n) }));
        const some = await get<AuditEvent[]>(path({ limit: String(atOnce), ...before ? { before } : {} }), stop.signal);
        const rows = some.filter(wanted).reverse().map(auditRow);
        parts.push(lines(auditColumns, rows, ",", !before));
        n += rows.length;
        if (some.length < atOnce) {
          download("audit.csv", "text/csv", new Blob(parts));
          tell(say(T.auditCsvHas, { events: plural(n, T.nEvents) }));
          break;
        }
        before = String(some[0]!.id);
      }
    } catch (e) {
      tell("");
      fail(noFile(e, stop.signal, () => { void make(); }));
    }
    setBusy(undefined);
  };
  return <>
    <button type="button" class="quiet" data-do={T.exportAuditAsCSV} disabled={!!busy} onClick={() => {
      void make();
    }}>
      {T.allAsCSV}
    </button>
    {busy ? <Waits what={said} stop={busy} /> : <span class="soft small" role="status">{said}</span>}
    {error && <Notice error={error} />}
  </>;
}

/** Words that are looked for once they are written. */
function Words({ label, value, set }: { label: string; value: string; set: (v: string) => void }) {
  return <label class="pick">
    <span>{label}</span>
    <input value={value} onChange={e => set(e.currentTarget.value.trim())} />
  </label>;
}

/** What the audit keeps of an event. Of statements and conditions that is a mark, by which equal ones are known. */
function Details({ event: { request_id, event_data: d } }: { event: AuditEvent }) {
  const facts: [string, string | undefined | null][] = [
    [T.columns, d.select?.join(", ")],
    [T.limit, d.limit == null ? null : count(d.limit)],
    [T.markOfStatement, d.statement_hash],
    [T.markOfCondition, d.where_hash],
    [T.estimatedToRead, d.estimated_scan_bytes == null ? null : bytes(d.estimated_scan_bytes)],
    [T.billedAtSource, d.actual_scan_bytes == null ? null : bytes(d.actual_scan_bytes)],
    [T.cost, d.cost == null ? null : d.cost.toFixed(4)],
    [T.rows, d.actual_result_rows == null ? null : count(d.actual_result_rows)],
    [T.delivered, d.actual_result_bytes == null ? null : bytes(d.actual_result_bytes)],
    [T.took, took(d.latency_ms)],
    [T.error, d.error_code],
    [T.failedBy, d.error_kind],
    [T.program, d.client_agent],
    [T.file, d.file_name && d.subject],
    [T.conversation, d.session],
    [T.request, request_id],
  ];
  return <dl class="small">
    {facts.map(([name, v]) =>
      v && <div key={name}>
        <dt class="soft">{name}</dt>
        <dd>
          <code>{v}</code>
        </dd>
      </div>
    )}
  </dl>;
}
