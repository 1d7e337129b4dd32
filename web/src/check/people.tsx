// Users and groups: who there is, and what changes that.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { bytes, plural } from "../format";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import { removed } from "../ui/undo";
import { Change, Field, Pick } from "./change";
import type { Grant, Group, QuotaRule, Token, User } from "./types";
import { check as T } from "../texts/en/check";
import { say } from "../texts/say";

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
  if (!all.data) return <Waiting what={T.users} />;
  const { users, groups, grants, tokens, rules } = all.data;
  const run = (method: string, path: string, done?: () => void) => {
    fail(undefined);
    ask(method, path).then(() => { done?.(); all.again(); }, e => fail(asFailure(e)));
  };
  const loses = (tokens: number, grants: number) => say(T.losesAnd,
    { tokens: plural(tokens, T.nTokens), grants: plural(grants, T.nGrants) });
  return <>
    {error && <Notice error={error} />}
    <section>
      <h2>{T.users2}</h2>
      <List name={T.users2} head={[T.user, T.groups, T.tokens, T.grants, ""]} rows={users} numbers={[2, 3]}
        empty={T.thereAreNoUsers} row={u => {
        const own = tokens.filter(t => t.user === u.name).length, given = grants.filter(g => g.user === u.name).length;
        return [<><a href={link(["check", "grants"], { user: u.name })}>{u.name}</a>
          {u.admin && <span class="tag">{T.admin3}</span>}</>, u.groups.join(", "), own, given,
          <End key={u.name} label={T.remove} of={u.name} says={say(T.andCannotSignIn,
            { name: u.name, own: loses(own, given) })}
            end={() => run("DELETE", `/api/admin/users/${of(u.name)}`)} />];
      }} />
      <NewUser done={all.again} />
    </section>
    <section>
      <h2>{T.groups}</h2>
      <List name={T.groups} head={[T.group5, T.members, T.grants, ""]} rows={groups} numbers={[2]}
        empty={T.thereAreNoGroups} row={g => {
        const given = grants.filter(x => x.group === g.name);
        return [g.name, g.members.map(m =>
          <div key={m}>
            {m} <End label={T.takeOut} of={say(T.of3, { m, name: g.name })}
              says={say(T.noLongerReadsWhat,
                { m, name: g.name, given: given.map(x => x.table_id).join(", ") || T.nothing })}
              end={() => {
              const path = `/api/admin/groups/${of(g.name)}/members/${of(m)}`;
              run("DELETE", path, () => removed(say(T.isNoLongerOf, { m, name: g.name }), () => run("PUT", path)));
            }} />
          </div>
        ), given.length, <End key={g.name} label={T.remove} of={g.name}
          says={say(T.noLongerReadThrough, { members: plural(g.members.length, T.nMembers), given: given.map(x =>
            x.table_id).join(", ") || T.anything })} end={() => run("DELETE", `/api/admin/groups/${of(g.name)}`)} />];
      }} />
      <NewGroup done={all.again} />
      {groups.length > 0 && <NewMember users={users} groups={groups} grants={grants} done={all.again} />}
    </section>
    <section>
      <h2>{T.quotas}</h2>
      <p class="soft small">
        {T.inPlaceOfWhat}
      </p>
      {rules.length > 0 && <List name={T.quotasOfTheirOwn} head={[T.for, T.bytesDay, T.requestsAtOnce, ""]}
        rows={rules} numbers={[1, 2]} empty="" row={q => [q.user ?? say(T.group,
          { group: q.group }), q.daily_bytes == null ? ""
          : bytes(q.daily_bytes), q.running ?? "", <End key={q.user ?? q.group} label={T.remove}
          of={say(T.quotaOf, { user: q.user ?? q.group })} says={say(T.hasWhatEverybodyHas,
            { user: q.user ?? say(T.group2, { group: q.group }) })}
          end={() => {
          const put = (more: object) => ask("POST", "/api/admin/quota/rules", { user: q.user, group: q.group, ...more })
            .then(all.again, e => fail(asFailure(e)));
          void put({ daily_bytes: null, running: null });
          removed(T.quotaIsRemoved, () => { void put(q); });
        }} />]} />}
      <NewQuota users={users} groups={groups} done={all.again} />
    </section>
  </>;
}

function NewQuota({ users, groups, done }: { users: User[]; groups: Group[]; done: () => void }) {
  const [to, setTo] = useState(""), [daily, setDaily] = useState(""), [running, setRunning] = useState("");
  const name = to.slice(1), who = to[0] === "g" ? say(T.eachMemberOf, { name }) : name, good = (n: string) =>
    n === "" || /^\d+(\.\d+)?$/.test(n);
  const size = daily === "" ? null : Math.round(Number(daily) * 1e6), many = running === "" ? null : Number(running);
  const all = [size != null && say(T.readsAtMostDay,
    { size: bytes(size) }), many != null && say(T.runsAtMostAt, { many })]
    .filter(Boolean).join(T.and);
  return <Change title={T.setQuota} label={T.set} says={name && all && good(daily) && /^([1-9]\d*)?$/.test(running)
    ? `${who} ${all}.` : ""} run={async () => {
    await ask("POST", "/api/admin/quota/rules", { [to[0] === "g" ? "group" : "user"]: name, daily_bytes: size,
      running: many });
    setTo("");
    done();
  }}>
    <Pick label={T.for} value={to} set={setTo} none="…" all={[
      ...users.map((u): [string, string] => ["u" + u.name, u.name]),
      ...groups.map((g): [string, string] => ["g" + g.name, say(T.group3, { name: g.name })]),
    ]} />
    <Field label={T.mbDay} value={daily} set={setDaily} placeholder={T.asEverybody} />
    <Field label={T.requestsAtOnce} value={running} set={setRunning} placeholder={T.asEverybody} />
  </Change>;
}

function NewUser({ done }: { done: () => void }) {
  const [name, setName] = useState(""), [admin, setAdmin] = useState(false), who = name.trim();
  return <Change title={T.addUser} label={T.add} says={who && (admin
    ? say(T.becomesAdminWhoSees, { who })
    : say(T.seesPublicTablesUntil, { who }))} run={async () => {
    await ask("POST", "/api/admin/users", { name: who, ...(admin ? { admin } : {}) });
    setName("");
    done();
  }}>
    <Field label={T.name} value={name} set={setName} placeholder={T.annExampleCom} />
    <label class="pick">
      <input type="checkbox" checked={admin} onChange={e => setAdmin(e.currentTarget.checked)} />
      <span>{T.admin}</span>
    </label>
  </Change>;
}

function NewGroup({ done }: { done: () => void }) {
  const [name, setName] = useState(""), group = name.trim();
  return <Change title={T.addGroup} label={T.add} says={group && say(T.beginsWithoutMembersAndGrants, { group })}
    run={async () => {
    await ask("POST", "/api/admin/groups", { name: group });
    setName("");
    done();
  }}>
    <Field label={T.name} value={name} set={setName} placeholder={T.sales} />
  </Change>;
}

function NewMember(
  { users, groups, grants, done }: { users: User[]; groups: Group[]; grants: Grant[]; done: () => void },
) {
  const [user, setUser] = useState(""), [group, setGroup] = useState("");
  const more = grants.filter(g => g.group === group).map(g => g.table_id + (g.columns || g.rows ? T.part : ""));
  return <Change title={T.putUserIntoGroup} label={T.put} says={user && group
    ? say(T.readsWhatMay, { user, group, more: more.join(", ") || T.nothingYet }) : ""} run={async () => {
    await ask("PUT", `/api/admin/groups/${of(group)}/members/${of(user)}`);
    setUser("");
    done();
  }}>
    <Pick label={T.user} value={user} set={setUser} none="…" all={users.map(u => [u.name, u.name])} />
    <Pick label={T.group5} value={group} set={setGroup} none="…" all={groups.map(g => [g.name, g.name])} />
  </Change>;
}

const lives: [string, string][] = [["30", T.n30Days], ["90", T.n90Days], ["365", T.year], ["0", T.forEver]];

/** Makes a token, whose secret is shown once. */
export function NewToken({ made }: { made: (secret: string) => void }) {
  const users = useAsked(signal => get<User[]>("/api/admin/users", signal), []);
  const [user, setUser] = useState(""), [note, setNote] = useState(""), [days, setDays] = useState("90");
  const long = days === "0" ? T.untilItIsRevoked : say(T.for2, { lives: lives.find(l => l[0] === days)![1] });
  return <Change title={T.makeToken} label={T.make} says={user && say(T.whoeverHoldsItIs, { user, long })}
    run={async () => {
    const token = await ask<{ token: string }>("POST", "/api/admin/tokens",
      { user, ...(note ? { note } : {}), ...(days === "0" ? {} : { expires_seconds: Number(days) * 86_400 }) });
    setUser("");
    made(token.token);
  }}>
    <Pick label={T.for} value={user} set={setUser} none="…" all={users.data?.map(u => [u.name, u.name]) ?? []} />
    <Field label={T.note} value={note} set={setNote} placeholder={T.laptop} />
    <Pick label={T.valid} value={days} set={setDays} all={lives} />
  </Change>;
}
