// Keeps a statement as the answer to a question in words.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { asFailure, useFocus } from "../use";
import { isList, listOf, parametersIn, valueOf, type Meant } from "../sql/text";
import { Notice } from "../ui/notice";
import { known as T } from "../texts/en/known";
import { rich } from "../texts/say";

interface SaveProps { sql: string; values: Record<string, string>; /** It runs at its source. */ remote: boolean }

export function SaveQuestion({ sql, values, remote }: SaveProps) {
  const [open, set] = useState(false), [question, setQuestion] = useState(""), [named, setName] = useState<string>();
  const [error, fail] = useState<Failure>(), [kept, tell] = useState("");
  const first = useFocus<HTMLElement>(open);
  const name = named ?? question.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "").slice(0, 40);
  const save = (replace: boolean) => {
    fail(undefined);
    const keep = async () => {
      const plain = (m: Meant) => m.number ? Number(m.text) : m.text;
      const params = Object.fromEntries(parametersIn([sql]).map(p => [p,
        isList([sql], p) ? listOf(p, values[p] ?? "").map(plain) : plain(valueOf(values[p] ?? ""))]));
      await ask("POST", "/api/v2/questions", { name, question, sql, params, remote, replace });
      set(false);
      tell(name);
    };
    keep().catch(e => fail(asFailure(e)));
  };
  if (!open) {
    return <>
      <button class="quiet" disabled={!sql} ref={first as { current: HTMLButtonElement | null }} onClick={() => {
        tell("");
        set(true);
      }}>
        {T.saveAsQuestion}
      </button>
      {kept && <span class="soft small" role="status">
        {rich(T.savedAs, { kept: <a href="#/known">{kept}</a> })}
      </span>}
    </>;
  }
  return <form class="bar change" aria-label={T.saveAsQuestion} onSubmit={e => {
    e.preventDefault();
    save(false);
  }} onKeyDown={e => { if (e.key === "Escape") set(false); }}>
    <label class="pick grow">
      <span>{T.question}</span>
      <input class="grow" value={question} maxLength={500} placeholder={T.howManyFlightsWere}
        ref={first as { current: HTMLInputElement | null }} onInput={e => setQuestion(e.currentTarget.value)} />
    </label>
    <label class="pick">
      <span>{T.name}</span>
      <input value={name} spellcheck={false} onInput={e => setName(e.currentTarget.value)} />
    </label>
    <button class="primary" disabled={!question.trim() || !name}>{T.save}</button>
    <button type="button" class="quiet" onClick={() => set(false)}>{T.notNow}</button>
    {error && <Notice error={error}>
      {/exists/.test(error.kind || error.code) && <p>
        <button type="button" onClick={() => save(true)}>{T.replaceIt}</button>
      </p>}
    </Notice>}
  </form>;
}
