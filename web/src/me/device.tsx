// A machine that shows a code asks to be signed in: what a person sees of it before they answer.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import type { PageProps } from "../app";
import { time } from "../format";
import { link } from "../route";
import { asFailure, useFocus } from "../use";
import { Note, Notice } from "../ui/notice";
import type { Device } from "../types";
import { device as T } from "../texts/en/device";
import { rich, say } from "../texts/say";

export function DevicePage({ who }: PageProps) {
  const [code, setCode] = useState(""), [asks, setAsks] = useState<Device>(), [said, setSaid] = useState<boolean>();
  const [error, fail] = useState<Failure>(), [busy, setBusy] = useState(false);
  const first = useFocus<HTMLButtonElement>(!!asks);
  const run = (request: Promise<void>) => {
    setBusy(true);
    fail(undefined);
    request.catch(e => {
      setAsks(undefined);
      fail(asFailure(e));
    }).finally(() => setBusy(false));
  };
  const look = (e: Event) => {
    e.preventDefault();
    run(ask<Device>("POST", "/api/page/device", { user_code: code }).then(setAsks));
  };
  const answer = (approve: boolean) =>
    run(ask<void>("POST", "/api/page/device/answer", { user_code: code, approve }).then(() => setSaid(approve)));
  if (asks && said !== undefined)
    return <div role="status">
      <h1>{say(said ? T.isIn : T.isRefused, { name: asks.name })}</h1>
      {said ? <p>{T.closePage}<a href={link(["me"])}>{T.account}</a>.</p> : <p>{T.ifNotYou}</p>}
    </div>;
  if (!asks)
    return <form class="change" onSubmit={look}>
      <h1>{T.signInMachine}</h1>
      <p>{rich(T.typeCode)}</p>
      <label class="field">
        <span>{T.code}</span>
        <input value={code} required autocomplete="off" spellcheck={false} maxLength={20} placeholder={T.lettersOfCode}
          onInput={e => setCode(e.currentTarget.value)} />
      </label>
      {error && <Notice error={error} />}
      <p><button class="primary" disabled={busy || !code.trim()}>{T.goOn}</button></p>
    </form>;
  return <section aria-labelledby="asks">
    <h1 id="asks"><q>{asks.name}</q> {say(T.asks, { user: who.user })}</h1>
    <Note kind="warn"><p>{rich(T.onlyIfYou)}</p></Note>
    <dl class="figures">
      <div><dt>{T.callsItself}</dt><dd>{asks.name}</dd></div>
      <div><dt>{T.asksFrom}</dt><dd>{asks.address}, {asks.elsewhere ? T.otherAddress : T.sameAddress}</dd></div>
      <div><dt>{T.since}</dt><dd>{time(asks.asked_at)}</dd></div>
      <div><dt>{T.may}</dt><dd>{say(who.admin ? T.mayAsAdmin : T.mayAsUser, { user: who.user })}</dd></div>
      <div><dt>{T.until}</dt><dd>{say(T.orEarlier, { time: time(asks.token_ends_at) })}</dd></div>
    </dl>
    <p class="bar">
      <button ref={first} disabled={busy} onClick={() => answer(false)}>{T.refuse}</button>
      <button class="primary" disabled={busy} onClick={() => answer(true)}>{T.letIn}</button>
    </p>
  </section>;
}
