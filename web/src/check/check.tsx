// What operators look at: use and cost, the audit, grants, sources, tokens and sign-ins.
import { useMemo, useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import type { PageProps } from "../app";
import { bytes, count, time } from "../format";
import { link, type Route } from "../route";
import { asFailure, useAsked } from "../use";
import { Chart } from "../chart/chart";
import { Copy } from "../ui/copy";
import { Empty, Note, Notice, Waiting } from "../ui/notice";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Tabs } from "../ui/tabs";
import { Audit, mostEvents, Span, useEvents } from "./audit";
import { Grants } from "./grants";
import { NewToken, People } from "./people";
import { Running } from "./running";
import type { AuditEvent, SourceState, Token } from "./types";
import type { Quota, SignIn } from "../types";
import { check as T } from "../texts/en/check";
import { rich, say } from "../texts/say";

const tabs: [string, string][] = [["use", T.use], ["audit", T.audit2], ["running", T.running], ["people", T.people], [
  "grants",
  T.grants,
], ["sources", T.sources], ["tokens", T.tokens], ["sign-ins", T.signIns]];

export function Check({ route, desk }: PageProps) {
  const tab = route.path[1] ?? "use";
  return <>
    <div class="head">
      <div>
        <h1>{T.admin}</h1>
        <p class="soft">
          {rich(T.whatIsUsedByWhom)}{" "}
          <a href={docs + "access.md"} target="_blank" rel="noreferrer">{T.usersGrantsQuotasAudit}</a>,{" "}
          <a href={docs + "operating.md"} target="_blank" rel="noreferrer">{T.operating}</a>,{" "}
          <a href={docs + "http.md"} target="_blank" rel="noreferrer">{T.api}</a>.
        </p>
      </div>
    </div>
    <Tabs base={["check"]} active={tab} tabs={tabs.filter(([id]) => !desk || !/^(tokens|people)$/.test(id))} />
    {tab === "use" && <Use route={route} desk={desk} />}
    {tab === "audit" && <Audit route={route} />}
    {tab === "running" && <Running />}
    {tab === "people" && <People />}
    {tab === "grants" && <Grants route={route} />}
    {tab === "sources" && <Sources />}
    {tab === "tokens" && <Tokens />}
    {tab === "sign-ins" && <AllSignIns />}
  </>;
}

const docs = "https://github.com/agnes-data/da/blob/main/docs/";

function Use({ route, desk }: { route: Route; desk: boolean }) {
  const { days, events } = useEvents(route, mostEvents);
  const quotas = useAsked(signal => get<Quota[]>("/api/admin/quota", signal), []);
  const list = events.data ?? [];
  const byUser = useMemo(() => sum(list, e => e.user_email), [list]);
  const byTable = useMemo(() => sum(list, e => e.table_id || (e.event_data.tables ?? []).join(", ")), [list]);
  const perDay = useMemo(() => {
    const all = new Map<string, [string, string, number]>();
    for (const e of list) {
      const day = e.at.slice(0, 10), row = all.get(day + e.user_email) ?? [day, e.user_email, 0];
      row[2] += e.event_data.actual_result_bytes ?? 0;
      all.set(day + e.user_email, row);
    }
    return [...all.values()].sort((a, b) => a[0] < b[0] ? -1 : 1);
  }, [list]);
  if (events.error) return <Notice error={events.error} />;
  return <>
    <div class="bar"><Span route={route} days={days} /></div>
    {!events.data && <Waiting what={T.use2} />}
    {list.length >= mostEvents && <Note kind="warn">{say(T.onlyLastEventsAre,
      { mostEvents: count(mostEvents) })}</Note>}
    {events.data && <>
      <section>
        <h2>{T.byUser}</h2>
        <Sums rows={byUser} what={T.user} filter="user" />
      </section>
      <section>
        <h2>{T.byTable}</h2>
        <Sums rows={byTable} what={T.table} filter="table" />
      </section>
      {perDay.length > 1 && <section>
        <h2>{T.deliveredByDay}</h2>
        <Chart id="use" name="use" rows={perDay} initial={{ kind: "bar", x: 0, y: 2, by: 1, how: "sum" }}
          columns={[{ name: "day", type: "day", numeric: false }, { name: "user", type: "text", numeric: false }, {
            name: "bytes",
            type: "integer",
            numeric: true,
          }]} />
      </section>}
    </>}
    <section><h2>{T.quotasToday}</h2>
      {quotas.error && <Notice error={quotas.error} />}
      {quotas.data &&
        <List name={T.quotas} head={[T.user, T.delivered, T.limit, T.billedAtSources, T.running]} rows={quotas.data}
          empty={T.nobodyHasUsedAnything} numbers={[1, 2, 3, 4]}
          row={q => [q.user, bytes(q.result_bytes),
            desk || q.daily_bytes_limit == null ? T.none : bytes(q.daily_bytes_limit), bytes(q.scan_bytes),
            `${count(q.running)}${q.running_limit != null
              ? say(T.of, { runningLimit: count(q.running_limit) }) : ""}`]} />}
    </section>
  </>;
}

interface Sum { name: string; requests: number; refused: number; rows: number; bytes: number; scanned: number }

function sum(events: AuditEvent[], of: (e: AuditEvent) => string): Sum[] {
  const all = new Map<string, Sum>();
  for (const e of events) {
    const name = of(e);
    if (!name) continue;
    const s = all.get(name) ?? { name, requests: 0, refused: 0, rows: 0, bytes: 0, scanned: 0 };
    s.requests++;
    if (e.event_data.status !== "ok" && e.event_data.status !== "truncated") s.refused++;
    s.rows += e.event_data.actual_result_rows ?? 0;
    s.bytes += e.event_data.actual_result_bytes ?? 0;
    s.scanned += e.event_data.actual_scan_bytes ?? 0;
    all.set(name, s);
  }
  return [...all.values()].sort((a, b) => b.bytes - a.bytes || b.requests - a.requests);
}

function Sums({ rows, what, filter }: { rows: Sum[]; what: string; filter: "user" | "table" }) {
  return <List name={say(T.useBy, { what: what.toLowerCase() })}
    head={[what, T.requests, T.refusedOrFailed, T.rows, T.delivered, T.billedAtSources]} rows={rows}
    empty={T.nothingWasAskedInThis}
    row={s => [
      filter === "table" && s.name.includes(", ") ? s.name
        : <a href={link(["check", "audit"], { [filter]: s.name })}>{s.name}</a>,
      count(s.requests),
      count(s.refused),
      count(s.rows),
      bytes(s.bytes),
      bytes(s.scanned),
    ]} numbers={[1, 2, 3, 4, 5]} />;
}

function Sources() {
  const sources = useAsked(signal => get<SourceState[]>("/api/admin/sources", signal), []);
  if (sources.error) return <Notice error={sources.error} />;
  if (!sources.data) return <Waiting what={T.sources2} />;
  return <>
    <div class="bar">
      <button onClick={sources.again} disabled={sources.loading}>{sources.loading ? T.trying : T.tryAgain}</button>
    </div>
    <List name={T.sources} head={[T.source, T.type, T.state, T.why]} rows={sources.data} empty={T.thereAreNoSources}
      row={s => [s.name, s.source_type,
        <span class={"tag bare " + (s.status === "failed" ? "bad" : "")}>{s.status}</span>,
        s.failure ? `${s.failure.message}. ${s.failure.hint ?? ""}` : ""]} />
  </>;
}

function Tokens() {
  const tokens = useAsked(signal => get<Token[]>("/api/admin/tokens", signal), []);
  const [error, fail] = useState<Failure>(), [secret, show] = useState("");
  if (tokens.error) return <Notice error={tokens.error} />;
  if (!tokens.data) return <Waiting what={T.tokens2} />;
  const revoke = (id: string) => {
    ask("DELETE", `/api/admin/tokens/${encodeURIComponent(id)}`).then(tokens.again, e => fail(asFailure(e)));
  };
  return <>
    {error && <Notice error={error} />}
    <NewToken made={secret => {
      show(secret);
      tokens.again();
    }} />
    {secret && <Note>
      {rich(T.tokenWhichIsShown, { secret: <code>{secret}</code> })}{" "}<Copy text={() => secret} />
    </Note>}
    <List name={T.tokens} head={[T.user, T.beginsWith, T.note, T.made, T.lastUsed, T.expires, ""]} rows={tokens.data}
      empty={T.thereAreNoTokens}
      row={t => [t.user, <code>{t.prefix}…</code>, t.note ?? "", time(t.created_at), time(t.last_used_at),
        time(t.expires_at),
        t.revoked_at ? <span class="tag bare bad">{T.revoked}</span>
          : <End key={t.id} label={T.revoke} of={say(T.of2, { prefix: t.prefix, user: t.user })}
            says={say(T.whatSignedInWithByIt, { user: t.user })} end={() => revoke(t.id)} />]} />
  </>;
}

function AllSignIns() {
  const list = useAsked(signal => get<SignIn[]>("/api/page/sign-ins?all=true", signal), []);
  const [error, fail] = useState<Failure>();
  if (list.error) return <Notice error={list.error} />;
  if (!list.data) return <Waiting what={T.signIns2} />;
  if (!list.data.length) return <Empty title={T.nobodyIsSignedIn} />;
  const end = (id: string) => {
    ask("DELETE", `/api/page/sign-ins/${encodeURIComponent(id)}`).then(list.again, e => fail(asFailure(e)));
  };
  return <>
    {error && <Notice error={error} />}
    <List name={T.signIns} head={[T.user, T.browser, T.since, T.lastUsed, T.ends, ""]} rows={list.data} empty=""
      row={s => [s.user, s.browser || T.unknown, time(s.created_at), time(s.last_used_at), time(s.expires_at),
        s.current ? <span class="tag bare">{T.thisOne}</span> : <End label={T.end} end={() => end(s.id)} />]} />
  </>;
}
