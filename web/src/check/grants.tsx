// Who may read what, and what a user sees of it.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { count, time } from "../format";
import { isNumber } from "../values";
import { link, replace, type Route } from "../route";
import { asFailure, useAsked, useSettled } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Grid } from "../ui/grid";
import { here } from "../ui/rows";
import { removed } from "../ui/undo";
import { Change, Field, Pick } from "./change";
import type { Grant, Group, User, VisibleTable } from "./types";
import type { PageRows, PageTables, Sample, Schema } from "../types";
import { check as T } from "../texts/en/check";
import { say } from "../texts/say";

export function Grants({ route }: { route: Route }) {
  const users = useAsked(signal => get<User[]>("/api/admin/users", signal), []);
  const who = route.query.get("user") ?? "", table = route.query.get("table") ?? "";
  if (users.error) return <Notice error={users.error} />;
  if (!users.data) return <Waiting what={T.users} />;
  const user = users.data.find(u => u.name === who);
  return <>
    <div class="bar">
      <label class="pick">
        <span>{T.whatUserSees}</span>
        <select value={who} onChange={e => replace(link(["check", "grants"], { user: e.currentTarget.value }))}>
          <option value="">{T.allGrants}</option>
          {users.data.map(u => <option key={u.id} value={u.name}>{u.name}{u.admin ? T.admin2 : ""}</option>)}
        </select>
      </label>
    </div>
    {user?.admin && <Note>{say(T.isAdminWhoSees, { name: user.name })}</Note>}
    {who ? <Seen key={who} user={who} table={table} /> : <AllGrants users={users.data} />}
  </>;
}

function AllGrants({ users }: { users: User[] }) {
  const grants = useAsked(signal => get<Grant[]>("/api/admin/grants", signal), []);
  const [error, fail] = useState<Failure>();
  if (grants.error) return <Notice error={grants.error} />;
  if (!grants.data) return <Waiting what={T.grants2} />;
  const run = (work: Promise<unknown>, done?: () => void) => {
    fail(undefined);
    work.then(() => { done?.(); grants.again(); }, e => fail(asFailure(e)));
  };
  return <>
    {error && <Notice error={error} />}
    <NewGrant users={users} done={grants.again} />
    <List name={T.grants} head={[T.to, T.table, T.columns, T.rows, T.masks, T.since, T.by, ""]} rows={grants.data}
      empty={T.thereAreNoGrants}
      row={g => [g.user ?? say(T.group, { group: g.group }), <a href={link(["tables", g.table_id])}>{g.table_id}</a>,
        g.columns ? g.columns.join(", ") : T.all, g.rows ? <code>{g.rows}</code> : T.all,
        masksOf(g.masks), time(g.created_at),
        g.created_by, <End key={g.id} label={T.takeBack} of={say(T.from,
          { tableId: g.table_id, user: g.user ?? g.group })}
          says={say(T.noLongerReadsThrough,
            { user: g.user ?? say(T.group2, { group: g.group }), tableId: g.table_id })} end={() => {
          run(ask("DELETE", `/api/admin/grants/${g.id}`), () =>
            removed(T.grantIsTakenBack, () => run(ask("POST", "/api/admin/grants", {
              [g.user ? "user" : "group"]: g.user ?? g.group, table_id: g.table_id, rows: g.rows,
              ...(g.columns ? { columns: g.columns } : {}), ...(g.masks ? { masks: g.masks } : {}) }))));
        }} />]} />
  </>;
}

const mostPreviewed = 20; // rows

/** What a mask shows, in words; api.Masks in Go. */
const masksBy: Record<string, string> = { null: "NULL", constant: "****", hash: T.hash, last4: T.itsLastFour,
  "date:year": T.itsYear, "date:month": T.itsMonth, "date:day": T.itsDay, "number:10": T.tens,
  "number:1000": T.thousands };

const masksOf = (masks: Record<string, string> = {}) =>
  Object.entries(masks).map(([c, m]) => say(T.as, { c, masksBy: masksBy[m] ?? m })).join(", ");

/** The masks that a type can have. */
const kindsOf = (type: string): [string, string][] =>
  Object.entries(masksBy).filter(([m]) => m.startsWith("date:") ? /^(date|timestamp)/i.test(type)
    : m.startsWith("number:") ? isNumber(type)
    : m === "hash" || m === "last4" ? !/float|double|real|decimal|numeric|\[|bool/i.test(type) : true);

/** Grants some columns and rows of a table, which can be looked at before. */
function NewGrant({ users, done }: { users: User[]; done: () => void }) {
  const groups = useAsked(signal => get<Group[]>("/api/admin/groups", signal), []);
  const [to, setTo] = useState(""), [table, setTable] = useState(""), [rows, setRows] = useState("");
  const [left, setLeft] = useState<string[]>([]), [looked, look] = useState<object>(),
    [masks, mask] = useState<Record<string, string>>({});
  const settled = useSettled(table.trim(), 250);
  const found = useAsked(signal => get<PageTables>(`/api/page/tables?${new URLSearchParams({ q: settled,
    limit: "20" })}`, signal), [settled]);
  const known = found.data?.tables.some(t => t.id === settled);
  const schema = useAsked(async signal =>
    known ? get<Schema>(`/api/v2/schema/${encodeURIComponent(settled)}`, signal) : undefined, [settled, known]);
  const all = schema.data?.columns.map(c => c.name) ?? [], columns = all.filter(c => !left.includes(c));
  const [kind, name] = [to.slice(0, 1), to.slice(1)];
  const part = { table_id: settled, ...(columns.length < all.length ? { select: columns } : {}),
    ...(rows.trim() ? { where: rows.trim() } : {}), limit: mostPreviewed };
  const preview = useAsked(async signal =>
    looked ? ask<PageRows>("POST", "/api/page/rows", looked, signal) : undefined, [looked]);
  const masked = Object.entries(masks).filter(([c]) => columns.includes(c));
  const who = kind === "g" ? say(T.everyMemberOf, { name }) : name;
  return <>
    <Change title={T.grantPartOfTable} label={T.grant} says={name && all.length && columns.length
      ? say(T.readsOf, {
        who,
        columns: columns.length === all.length ? T.allColumns : columns.join(", "),
        settled,
        what: rows.trim() ? say(T.where, { rows: rows.trim() }) : T.allRows,
        masked: masked.map(([c, m]) => say(T.as2, { c, masksBy: masksBy[m] })).join(""),
      }) : ""} run={async () => {
      await ask("POST", "/api/admin/grants", { [kind === "g" ? "group" : "user"]: name, table_id: settled,
        ...(columns.length < all.length ? { columns } : {}), ...(rows.trim() ? { rows: rows.trim() } : {}),
        ...(masked.length ? { masks: Object.fromEntries(masked) } : {}) });
      setTo("");
      done();
    }}>
      <Pick label={T.to} value={to} set={setTo} none="…" all={[
        ...users.filter(u => !u.admin).map((u): [string, string] => ["u" + u.name, u.name]),
        ...(groups.data ?? []).map((g): [string, string] => ["g" + g.name, say(T.group3, { name: g.name })]),
      ]} />
      <Field label={T.table} value={table} set={t => {
        setTable(t);
        setLeft([]);
        mask({});
        look(undefined);
      }} list="grant-tables" placeholder={T.orders} />
      <datalist id="grant-tables">{found.data?.tables.map(t => <option key={t.id} value={t.id} />)}</datalist>
      <Field label={T.onlyRowsWhere} value={rows} set={setRows} placeholder={T.allRows2} />
      {all.length > 0 && <button type="button" onClick={() => look({ ...part })}>{T.preview}</button>}
      {all.length > 0 && <fieldset class="parameters">
        <legend class="small soft">{T.columns}</legend>
        {all.map(c =>
          <label key={c} class="pick">
            <input type="checkbox" checked={!left.includes(c)} onChange={() =>
              setLeft(left => left.includes(c) ? left.filter(l => l !== c) : [...left, c])} />
            <code>{c}</code>
          </label>
        )}
      </fieldset>}
      {columns.length > 0 && <fieldset class="parameters">
        <legend class="small soft">{T.inPlaceOfValues}</legend>
        <Pick label={T.mask} value="" none={T.column} all={columns.filter(c => !masks[c]).map(c => [c, c])}
          set={c => { if (c) mask({ ...masks, [c]: "null" }); }} />
        {masked.map(([c, m]) => <Pick key={c} label={c} value={m} none={T.noMask} all={kindsOf(
          schema.data!.columns.find(k => k.name === c)!.type)} set={kind => {
          const { [c]: _, ...rest } = masks;
          mask(kind ? { ...rest, [c]: kind } : rest);
        }} />)}
      </fieldset>}
    </Change>
    {schema.error && <Notice error={schema.error} />}
    {preview.error && <Notice error={preview.error} />}
    {preview.data && <>
      <p class="soft small" role="status">
        {preview.data.shown ? say(T.firstRowsThatThis, { shown: count(preview.data.shown) })
          : T.itWouldShowNo}
      </p>
      <Grid name={T.whatThisWouldShow} columns={preview.data.columns} rows={here(preview.data.rows.map(r =>
        r.map((v, i) => {
          const kind = masks[preview.data!.columns[i]!.name];
          return kind ? `(${masksBy[kind]})` : v;
        })
      ))} />
    </>}
  </>;
}

/** The tables that a user sees, and rows of one of them under that user's rights. */
function Seen({ user, table }: { user: string; table: string }) {
  const path = `/api/admin/users/${encodeURIComponent(user)}/tables`;
  const tables = useAsked(signal => get<VisibleTable[]>(path, signal), [user]);
  if (tables.error) return <Notice error={tables.error} />;
  if (!tables.data) return <Waiting what={T.tables} />;
  return <>
    <List name={T.tables2} head={[T.table, T.columns, T.rows, T.masks, T.through, ""]} rows={tables.data}
      empty={say(T.seesNoTables, { user })}
      row={t => [t.table_id, t.columns ? t.columns.join(", ") : T.all,
        t.whole || t.parts.some(p => !p.rows) ? T.all : <>
          {t.parts.map((p, i) =>
            <div key={i}>
              <code>{p.rows}</code>
            </div>
          )}
        </>,
        t.whole ? "" : t.parts.map((p, i) => <div key={i}>{masksOf(p.masks)}</div>),
        t.public ? T.public
          : t.parts.length ? [...new Set(t.parts.map(p => p.through
            ? say(T.group4, { through: p.through }) : T.grant2))].join(", ")
          : T.allOfIt, <a href={link(["check", "grants"], { user, table: t.table_id })}>{T.preview}</a>]} />
    {table && <Preview key={table} path={`${path}/${encodeURIComponent(table)}`} user={user} table={table} />}
  </>;
}

function Preview({ path, user, table }: { path: string; user: string; table: string }) {
  const sample = useAsked(signal => get<Sample>(path, signal), [path]);
  return <section><h2>{say(T.asSeesIt, { table, user })}</h2>
    {sample.error && <Notice error={sample.error} />}
    {!sample.data && !sample.error && <Waiting what={T.rows2} />}
    <Warnings caveats={sample.data?.caveats} />
    {sample.data &&
      (sample.data.rows.length
        ? <Grid name={say(T.asSeesIt, { table, user })}
          columns={sample.data.columns.map(name => ({ name, type: "", numeric: false }))}
          rows={here(sample.data.rows.map(r => sample.data!.columns.map(c => r[c] ?? null)))} />
        : <Empty title={T.noRows} />)}
  </section>;
}
