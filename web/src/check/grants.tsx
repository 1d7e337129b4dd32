// Who may read what, and what a user sees of it.
import { get } from "../api";
import { time } from "../format";
import { link, replace, type Route } from "../route";
import { useAsked } from "../use";
import { List } from "../ui/list";
import { Empty, Note, Notice, Waiting, Warnings } from "../ui/notice";
import { Grid } from "../ui/grid";
import { here } from "../ui/rows";
import type { Grant, User, VisibleTable } from "./types";
import type { Sample } from "../types";

export function Grants({ route }: { route: Route }) {
  const users = useAsked(signal => get<User[]>("/api/admin/users", signal), []);
  const who = route.query.get("user") ?? "", table = route.query.get("table") ?? "";
  if (users.error) return <Notice error={users.error} />;
  if (!users.data) return <Waiting what="the users" />;
  const user = users.data.find(u => u.name === who);
  return <>
    <div class="bar">
      <label class="pick">
        <span>What a user sees</span>
        <select value={who} onChange={e => replace(link(["check", "grants"], { user: e.currentTarget.value }))}>
          <option value="">all grants</option>
          {users.data.map(u => <option key={u.id} value={u.name}>{u.name}{u.admin ? " (admin)" : ""}</option>)}
        </select>
      </label>
    </div>
    {user?.admin && <Note>{user.name} is an admin, who sees every table whole.</Note>}
    {who ? <Seen key={who} user={who} table={table} /> : <AllGrants />}
  </>;
}

function AllGrants() {
  const grants = useAsked(signal => get<Grant[]>("/api/admin/grants", signal), []);
  if (grants.error) return <Notice error={grants.error} />;
  if (!grants.data) return <Waiting what="the grants" />;
  return <List name="Grants" head={["To", "Table", "Columns", "Rows", "Since", "By"]} rows={grants.data}
    empty="There are no grants."
    row={g => [g.user ?? `group ${g.group}`, <a href={link(["tables", g.table_id])}>{g.table_id}</a>,
      g.columns ? g.columns.join(", ") : "all", g.rows ? <code>{g.rows}</code> : "all", time(g.created_at),
      g.created_by]} />;
}

/** The tables that a user sees, and rows of one of them under that user's rights. */
function Seen({ user, table }: { user: string; table: string }) {
  const path = `/api/admin/users/${encodeURIComponent(user)}/tables`;
  const tables = useAsked(signal => get<VisibleTable[]>(path, signal), [user]);
  if (tables.error) return <Notice error={tables.error} />;
  if (!tables.data) return <Waiting what="the tables" />;
  return <>
    <List name="Tables" head={["Table", "Columns", "Rows", "Through", ""]} rows={tables.data}
      empty={`${user} sees no tables.`}
      row={t => [t.table_id, t.columns ? t.columns.join(", ") : "all",
        t.whole || t.parts.some(p => !p.rows) ? "all" : <>
          {t.parts.map((p, i) =>
            <div key={i}>
              <code>{p.rows}</code>
            </div>
          )}
        </>,
        t.public ? "public"
          : t.parts.length ? [...new Set(t.parts.map(p => p.through ? `group ${p.through}` : "a grant"))].join(", ")
          : "all of it", <a href={link(["check", "grants"], { user, table: t.table_id })}>Preview</a>]} />
    {table && <Preview key={table} path={`${path}/${encodeURIComponent(table)}`} user={user} table={table} />}
  </>;
}

function Preview({ path, user, table }: { path: string; user: string; table: string }) {
  const sample = useAsked(signal => get<Sample>(path, signal), [path]);
  return <section><h2>{table} as {user} sees it</h2>
    {sample.error && <Notice error={sample.error} />}
    {!sample.data && !sample.error && <Waiting what="the rows" />}
    <Warnings caveats={sample.data?.caveats} />
    {sample.data &&
      (sample.data.rows.length
        ? <Grid name={`${table} as ${user} sees it`}
          columns={sample.data.columns.map(name => ({ name, type: "", numeric: false }))}
          rows={here(sample.data.rows.map(r => sample.data!.columns.map(c => r[c] ?? null)))} />
        : <Empty title="No rows" />)}
  </section>;
}
