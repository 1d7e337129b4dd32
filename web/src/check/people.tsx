// Users and groups: who there is, and what changes that.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { bytes } from "../format";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import { removed } from "../ui/undo";
import { Change, Field, Pick } from "./change";
import type { Grant, Group, QuotaRule, Token, User } from "./types";

const of = encodeURIComponent;

export function People() {
  const all = useAsked(async signal => {
    const [users, groups, grants, tokens, rules] = await Promise.all([get<User[]>("/api/admin/users", signal),
      get<Group[]>("/api/admin/groups", signal), get<Grant[]>("/api/admin/grants", signal),
      get<Token[]>("/api/admin/tokens", signal), get<QuotaRule[]>("/api/admin/quota/rules", signal)]);
    return { users, groups, grants, rules, tokens: tokens.filter(t => !t.revoked_at) };
  }, []);
  const [error, fail] = useState<Failure>();
  if (all.error) return <Notice error={all.error} />;
  if (!all.data) return <Waiting what="the users" />;
  const { users, groups, grants, tokens, rules } = all.data;
  const run = (method: string, path: string, done?: () => void) => {
    fail(undefined);
    ask(method, path).then(() => { done?.(); all.again(); }, e => fail(asFailure(e)));
  };
  const many = (n: number, one: string) => `${n} ${n === 1 ? one : one + "s"}`;
  const loses = (tokens: number, grants: number) => `loses ${many(tokens, "token")} and ${many(grants, "grant")}`;
  return <>
    {error && <Notice error={error} />}
    <section>
      <h2>Users</h2>
      <List name="Users" head={["User", "Groups", "Tokens", "Grants", ""]} rows={users} numbers={[2, 3]}
        empty="There are no users." row={u => {
        const own = tokens.filter(t => t.user === u.name).length, given = grants.filter(g => g.user === u.name).length;
        return [<><a href={link(["check", "grants"], { user: u.name })}>{u.name}</a>
          {u.admin && <span class="tag">admin</span>}</>, u.groups.join(", "), own, given,
          <End key={u.name} label="Remove" of={u.name} says={`${u.name} ${loses(own, given)}, and cannot sign in.`}
            end={() => run("DELETE", `/api/admin/users/${of(u.name)}`)} />];
      }} />
      <NewUser done={all.again} />
    </section>
    <section>
      <h2>Groups</h2>
      <List name="Groups" head={["Group", "Members", "Grants", ""]} rows={groups} numbers={[2]}
        empty="There are no groups." row={g => {
        const given = grants.filter(x => x.group === g.name);
        return [g.name, g.members.map(m =>
          <div key={m}>
            {m} <End label="Take out" of={`${m} of ${g.name}`}
              says={`${m} no longer reads what ${g.name} may: ${given.map(x => x.table_id).join(", ") || "nothing"}.`}
              end={() => {
              const path = `/api/admin/groups/${of(g.name)}/members/${of(m)}`;
              run("DELETE", path, () => removed(`${m} is no longer of ${g.name}`, () => run("PUT", path)));
            }} />
          </div>
        ), given.length, <End key={g.name} label="Remove" of={g.name}
          says={`${many(g.members.length, "member")} no longer read ${
            given.map(x => x.table_id).join(", ") || "anything"
          } through it.`} end={() => run("DELETE", `/api/admin/groups/${of(g.name)}`)} />];
      }} />
      <NewGroup done={all.again} />
      {groups.length > 0 && <NewMember users={users} groups={groups} grants={grants} done={all.again} />}
    </section>
    <section>
      <h2>Quotas</h2>
      <p class="soft small">
        In place of what the instance allows everybody. A user's own counts first, and then the highest of their groups.
      </p>
      {rules.length > 0 && <List name="Quotas of their own" head={["For", "Bytes a day", "Requests at once", ""]}
        rows={rules} numbers={[1, 2]} empty="" row={q => [q.user ?? `group ${q.group}`, q.daily_bytes == null ? ""
          : bytes(q.daily_bytes), q.running ?? "", <End key={q.user ?? q.group} label="Remove"
          of={`the quota of ${q.user ?? q.group}`} says={`${q.user ?? `The group ${q.group}`} has what everybody has.`}
          end={() => {
          const put = (more: object) => ask("POST", "/api/admin/quota/rules", { user: q.user, group: q.group, ...more })
            .then(all.again, e => fail(asFailure(e)));
          void put({ daily_bytes: null, running: null });
          removed("The quota is removed", () => { void put(q); });
        }} />]} />}
      <NewQuota users={users} groups={groups} done={all.again} />
    </section>
  </>;
}

function NewQuota({ users, groups, done }: { users: User[]; groups: Group[]; done: () => void }) {
  const [to, setTo] = useState(""), [daily, setDaily] = useState(""), [running, setRunning] = useState("");
  const name = to.slice(1), who = to[0] === "g" ? `Each member of ${name}` : name, good = (n: string) =>
    n === "" || /^\d+(\.\d+)?$/.test(n);
  const size = daily === "" ? null : Math.round(Number(daily) * 1e6), many = running === "" ? null : Number(running);
  const all = [size != null && `reads at most ${bytes(size)} a day`, many != null && `runs at most ${many} at once`]
    .filter(Boolean).join(", and ");
  return <Change title="Set a quota" label="Set" says={name && all && good(daily) && /^([1-9]\d*)?$/.test(running)
    ? `${who} ${all}.` : ""} run={async () => {
    await ask("POST", "/api/admin/quota/rules", { [to[0] === "g" ? "group" : "user"]: name, daily_bytes: size,
      running: many });
    setTo("");
    done();
  }}>
    <Pick label="For" value={to} set={setTo} none="…" all={[
      ...users.map((u): [string, string] => ["u" + u.name, u.name]),
      ...groups.map((g): [string, string] => ["g" + g.name, `group ${g.name}`]),
    ]} />
    <Field label="MB a day" value={daily} set={setDaily} placeholder="as everybody" />
    <Field label="Requests at once" value={running} set={setRunning} placeholder="as everybody" />
  </Change>;
}

function NewUser({ done }: { done: () => void }) {
  const [name, setName] = useState(""), [admin, setAdmin] = useState(false), who = name.trim();
  return <Change title="Add a user" label="Add" says={who && (admin
    ? `${who} becomes an admin, who sees every table whole and changes rights.`
    : `${who} sees public tables, until more is granted.`)} run={async () => {
    await ask("POST", "/api/admin/users", { name: who, ...(admin ? { admin } : {}) });
    setName("");
    done();
  }}>
    <Field label="Name" value={name} set={setName} placeholder="ann@example.com" />
    <label class="pick">
      <input type="checkbox" checked={admin} onChange={e => setAdmin(e.currentTarget.checked)} />
      <span>Admin</span>
    </label>
  </Change>;
}

function NewGroup({ done }: { done: () => void }) {
  const [name, setName] = useState(""), group = name.trim();
  return <Change title="Add a group" label="Add" says={group && `${group} begins without members and grants.`}
    run={async () => {
    await ask("POST", "/api/admin/groups", { name: group });
    setName("");
    done();
  }}>
    <Field label="Name" value={name} set={setName} placeholder="sales" />
  </Change>;
}

function NewMember(
  { users, groups, grants, done }: { users: User[]; groups: Group[]; grants: Grant[]; done: () => void },
) {
  const [user, setUser] = useState(""), [group, setGroup] = useState("");
  const more = grants.filter(g => g.group === group).map(g => g.table_id + (g.columns || g.rows ? " (a part)" : ""));
  return <Change title="Put a user into a group" label="Put" says={user && group
    ? `${user} reads what ${group} may: ${more.join(", ") || "nothing yet"}.` : ""} run={async () => {
    await ask("PUT", `/api/admin/groups/${of(group)}/members/${of(user)}`);
    setUser("");
    done();
  }}>
    <Pick label="User" value={user} set={setUser} none="…" all={users.map(u => [u.name, u.name])} />
    <Pick label="Group" value={group} set={setGroup} none="…" all={groups.map(g => [g.name, g.name])} />
  </Change>;
}

const lives: [string, string][] = [["30", "30 days"], ["90", "90 days"], ["365", "a year"], ["0", "for ever"]];

/** Makes a token, whose secret is shown once. */
export function NewToken({ made }: { made: (secret: string) => void }) {
  const users = useAsked(signal => get<User[]>("/api/admin/users", signal), []);
  const [user, setUser] = useState(""), [note, setNote] = useState(""), [days, setDays] = useState("90");
  const long = days === "0" ? ", until it is revoked" : ` for ${lives.find(l => l[0] === days)![1]}`;
  return <Change title="Make a token" label="Make" says={user && `Whoever holds it is ${user}${long}.`}
    run={async () => {
    const token = await ask<{ token: string }>("POST", "/api/admin/tokens",
      { user, ...(note ? { note } : {}), ...(days === "0" ? {} : { expires_seconds: Number(days) * 86_400 }) });
    setUser("");
    made(token.token);
  }}>
    <Pick label="For" value={user} set={setUser} none="…" all={users.data?.map(u => [u.name, u.name]) ?? []} />
    <Field label="Note" value={note} set={setNote} placeholder="laptop" />
    <Pick label="Valid" value={days} set={setDays} all={lives} />
  </Change>;
}
