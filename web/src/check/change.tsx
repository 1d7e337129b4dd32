// A change of people and rights: it says what it will do, and asks, before it is done and audited.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Failure } from "../api";
import { asFailure, useFocus } from "../use";
import { Notice } from "../ui/notice";
import { check as T } from "../texts/en/check";
import { say } from "../texts/say";

/** Fields, and a button that first says what it does. says: empty while something is missing. */
export function Change(
  { title, label, says, run, children }: { title: string; label: string; says: string; run: () => Promise<unknown>;
    children: ComponentChildren },
) {
  const [sure, ask] = useState(false), [busy, setBusy] = useState(false), [error, fail] = useState<Failure>();
  const [done, tell] = useState("");
  const first = useFocus<HTMLButtonElement>(sure);
  const submit = (e: Event) => {
    e.preventDefault();
    fail(undefined);
    if (!sure) return ask(true);
    setBusy(true);
    run().then(() => tell(says)).catch(e => fail(asFailure(e))).finally(() => {
      setBusy(false);
      ask(false);
    });
  };
  return <form class="change" aria-label={title} aria-busy={busy} onSubmit={submit}
    onInput={() => { ask(false); tell(""); }}
    onKeyDown={e => { if (e.key === "Escape") ask(false); }}>
    <h2>{title}</h2>
    <div class="bar">{children}</div>
    {error && <Notice error={error} />}
    <p class="small" role="status" hidden={!done}>{say(T.done, { what: done })}</p>
    <div class="bar">
      {sure && <span role="status">{says}</span>}
      <button class="primary" ref={first} disabled={busy || !says}>{sure ? T.yesDoIt : label}</button>
      {sure && <button type="button" class="quiet" onClick={() => ask(false)}>{T.notNow}</button>}
    </div>
  </form>;
}

export function Field(
  { label, value, set, placeholder = "", list, wide }: { label: string; value: string; set: (v: string) => void;
    placeholder?: string; list?: string; wide?: boolean },
) {
  return <label class={"pick" + (wide ? " wide" : "")}>
    <span>{label}</span>
    <input value={value} spellcheck={false} autocomplete="off" placeholder={placeholder} list={list}
      onInput={e => set(e.currentTarget.value)} />
  </label>;
}

/** One of some names; the first entry stands for none of them. */
export function Pick(
  { label, value, set, none, all }: { label: string; value: string; set: (v: string) => void; none?: string;
    all: [value: string, text: string][] },
) {
  return <label class="pick">
    <span>{label}</span>
    <select value={value} onInput={e => set(e.currentTarget.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {all.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
    </select>
  </label>;
}
