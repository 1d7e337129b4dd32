// The caller's account: what is left, where one is signed in, and how the page looks.
import { useState } from "preact/hooks";
import { ask, get } from "../api";
import type { PageProps } from "../app";
import { bytes, count, time } from "../format";
import { signOut } from "../session";
import { setTheme, theme, type Theme } from "../theme";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import type { Failure } from "../api";
import type { Token } from "../check/types";
import type { Quota, SignIn } from "../types";
import { me as T } from "../texts/en/me";
import { say } from "../texts/say";

export function Me({ who, desk }: PageProps) {
  const quota = useAsked(signal => get<Quota>("/api/v2/quota", signal), []);
  const [look, setLook] = useState(theme());
  const choose = (t: Theme) => { setTheme(t); setLook(t); };
  return <>
    <div class="head"><div><h1>{who.user}</h1><p class="soft">{who.admin ? T.admin : T.user}</p></div>
      <button onClick={() => { void signOut(); }}>{T.signOut}</button></div>
    <section><h2>{T.usedToday}</h2>
      {quota.error && <Notice error={quota.error} />}
      {!quota.data && !quota.error && <Waiting what={T.figures} lines={1} />}
      {quota.data && <dl class="figures">
        <div>
          <dt>{T.delivered}</dt>
          <dd>{bytes(quota.data.result_bytes)}</dd>
        </div>
        <div>
          <dt>{T.billedAtSources}</dt>
          <dd>{bytes(quota.data.scan_bytes)}</dd>
        </div>
        <div>
          <dt>{T.leftToday}</dt>
          <dd>{quota.data.remaining.quota_bytes == null ? T.noLimit : bytes(quota.data.remaining.quota_bytes)}</dd>
        </div>
        <div>
          <dt>{T.running}</dt>
          <dd>
            {count(quota.data.running)}
            {quota.data.running_limit != null && say(T.of, { runningLimit: count(quota.data.running_limit) })}
          </dd>
        </div>
      </dl>}
    </section>
    <section>
      <h2>{T.appearance}</h2>
      <div class="segments" role="group" aria-label={T.appearance}>
        {(["system", "light", "dark"] as const).map(t =>
          <button key={t} aria-pressed={look === t} onClick={() => choose(t)}>
            {T[t]}
          </button>
        )}
      </div>
    </section>
    <section><h2>{T.signedInOn}</h2><SignIns /></section>
    {!desk && <section><h2>{T.tokens}</h2><Tokens /></section>}
  </>;
}

/** The machines and programs that act for the user. */
function Tokens() {
  const list = useAsked(signal => get<Token[]>("/api/page/tokens", signal), []);
  const [error, fail] = useState<Failure>();
  const end = (id: string) => {
    ask("DELETE", `/api/page/tokens/${encodeURIComponent(id)}`).then(list.again, e => fail(asFailure(e)));
  };
  if (list.error) return <Notice error={list.error} />;
  if (!list.data) return <Waiting what={T.tokens2} lines={2} />;
  return <>
    {error && <Notice error={error} />}
    <List name={T.tokens} head={[T.note, T.since, T.lastUsed, T.ends, ""]} rows={list.data} empty={T.noTokens}
      row={t => [t.note || <code>{t.prefix}…</code>, time(t.created_at),
        t.last_used_at ? time(t.last_used_at) : T.never, t.expires_at ? time(t.expires_at) : T.never,
        <End key={t.id} label={T.end} of={t.note || t.prefix} says={T.endsToken} end={() => end(t.id)} />]} />
  </>;
}

function SignIns() {
  const list = useAsked(signal => get<SignIn[]>("/api/page/sign-ins", signal), []);
  const [error, fail] = useState<Failure>();
  const end = (id: string) => {
    ask("DELETE", `/api/page/sign-ins/${encodeURIComponent(id)}`).then(list.again, e => fail(asFailure(e)));
  };
  if (list.error) return <Notice error={list.error} />;
  if (!list.data) return <Waiting what={T.signIns} lines={2} />;
  const others = list.data.filter(s => !s.current);
  return <>
    {error && <Notice error={error} />}
    {others.length > 1 && <p>
      <End label={say(T.endAllOthers, { others: others.length })} end={() => others.forEach(s => end(s.id))} />
    </p>}
    <div class="scroll" tabIndex={0} role="region" aria-label={T.signIns2}>
      <table class="list">
        <thead>
          <tr>
            <th>{T.browser}</th>
            <th>{T.since}</th>
            <th>{T.lastUsed}</th>
            <th>{T.ends}</th>
            <th>
              <span class="hidden">{T.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.data.map(s =>
            <tr key={s.id}>
              <td>{s.browser || T.unknown}{s.current && <span class="tag">{T.thisOne}</span>}</td>
              <td>{time(s.created_at)}</td>
              <td>{time(s.last_used_at)}</td>
              <td>{time(s.expires_at)}</td>
              <td class="end">{!s.current && <End label={T.end} end={() => end(s.id)} />}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  </>;
}
