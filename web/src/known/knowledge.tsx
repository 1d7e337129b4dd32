// What people know of the tables: notes, terms, and questions with the statements that answer them.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import type { PageProps } from "../app";
import { age } from "../format";
import { addressOf, newSheet } from "../sql/sheets";
import { asFailure, useAsked } from "../use";
import { Field, Pick } from "../check/change";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import { removed } from "../ui/undo";
import type { Schema, WrittenNote } from "../types";
import { known as T } from "../texts/en/known";
import { say } from "../texts/say";

/** A question with its statement; api.SavedQuestion in Go. */
export interface Question {
  name: string; question: string; also?: string[]; sql: string; params?: Record<string, unknown>; remote?: boolean;
  owner: string; tables: string[]; definition: string; approved?: { by: string; at: string; definition: string };
  changed?: string[];
}
export interface Known { questions: Question[]; notes: WrittenNote[]; curates: boolean }

export const askKnown = (signal: AbortSignal) => get<Known>("/api/v2/known", signal);

/** The sheet of a question; desk: on the user's own machine, where tables can be fetched. */
export function sheetOf(q: Question, desk: boolean): string {
  const values = Object.fromEntries(Object.entries(q.params ?? {}).map(([k, v]) => [k, String(v)]));
  return addressOf({ ...newSheet(q.sql, desk && !q.remote ? "fetch" : "source"), name: q.name, values }, "sql");
}

export function KnownPage({ desk }: PageProps) {
  return <>
    <nav class="crumbs" aria-label={T.way}>
      <a href="#/tables">{T.tables}</a>
    </nav>
    <div class="head">
      <div>
        <h1>{T.whatPeopleKnow}</h1>
        <p class="soft">{T.questionsThatAreAnswered}</p>
      </div>
    </div>
    <KnownOf desk={desk} />
  </>;
}

/** All of it, or what is about one table. */
export function KnownOf({ schema, desk }: { schema?: Schema; desk: boolean }) {
  const all = useAsked(askKnown, [schema?.table_id]), [error, fail] = useState<Failure>();
  if (all.error) return <Notice error={all.error} />;
  if (!all.data) return <Waiting what={T.whatPeopleKnow2} />;
  const { curates } = all.data, id = schema?.table_id;
  const notes = all.data.notes.filter(n => !id || n.table_id === id),
    questions = all.data.questions.filter(q => !id || q.tables.includes(id));
  const run = (work: Promise<unknown>, done?: () => void) => {
    fail(undefined);
    work.then(() => { done?.(); all.again(); }, e => fail(asFailure(e)));
  };
  const drop = (n: WrittenNote) =>
    run(ask("DELETE", `/api/v2/notes/${n.id}`), () =>
      removed(T.noteIsRemoved, () => run(put(n))));
  const forget = (q: Question) =>
    run(ask("DELETE", `/api/v2/questions/${encodeURIComponent(q.name)}`), () =>
      removed(say(T.questionIsRemoved, { name: q.name }), () => run(ask("POST", "/api/v2/questions", { name: q.name,
        question: q.question, also: q.also, sql: q.sql, params: q.params, remote: q.remote }))));
  return <>
    {error && <Notice error={error} />}
    <section>
      <h2>{T.savedQuestions}</h2>
      <List name={T.savedQuestions} head={[T.question, T.name, T.approved, ""]} rows={questions}
        empty={id ? T.noneNamesThisTable
          : T.thereAreNoneYet} row={q => [
        <a href={sheetOf(q, desk)}>{q.question}</a>, <code>{q.name}</code>, <Approved of={q} />,
        <>
          {curates && !(q.approved && !q.changed) && <End key={q.definition} label={T.approve} of={q.name}
            says={T.everybodyWhoMayRead}
            end={() => run(ask("POST", `/api/v2/questions/${encodeURIComponent(q.name)}/approval`,
              { definition: q.definition }))} />}
          <End label={T.remove} of={q.name} says={q.approved ? T.undoBringsItBack : ""}
            end={() => forget(q)} />
        </>]} />
    </section>
    <section>
      <h2>{id ? T.notes : T.notesAndTerms}</h2>
      <List name={T.notes} head={[T.about, T.note, T.by, ""]} rows={notes}
        empty={curates ? T.thereAreNoneYet2 : T.thereAreNoneYetAdmins} row={n => [
        n.term ? <strong>{n.term}</strong> : <code>{(id ? n.column : aboutOf(n)) || n.table_id}</code>, n.text,
        <span class="soft">{[n.author, age(n.at)].filter(Boolean).join(", ")}</span>,
        curates && <End label={T.remove} of={T.noteOn + aboutOf(n)}
          end={() => drop(n)} />]} />
      {curates && <NewNote schema={schema} add={note => run(put(note))} />}
    </section>
  </>;
}

/** What a note is about, in a word or two. */
export const aboutOf = (n: WrittenNote) => n.term ?? [n.table_id, n.column].filter(Boolean).join(".");

const put = (n: Partial<WrittenNote>) =>
  ask("POST", "/api/v2/notes", { text: n.text, ...(n.term ? { term: n.term } : { table_id: n.table_id,
    ...(n.column ? { column: n.column } : {}) }) });

function Approved({ of: q }: { of: Question }) {
  if (!q.approved) return <span class="soft">{T.no}</span>;
  if (q.changed) return <span class="tag bare warn" title={q.changed.join(", ")}>{T.changedSince}</span>;
  return <span title={age(q.approved.at)}>{say(T.by2, { by: q.approved.by })}</span>;
}

function NewNote({ schema, add }: { schema: Schema | undefined; add: (n: Partial<WrittenNote>) => void }) {
  const [about, setAbout] = useState(""), [text, setText] = useState("");
  return <form class="bar" aria-label={T.addNote} onSubmit={e => {
    e.preventDefault();
    add({ text, ...(schema ? { table_id: schema.table_id, column: about } : { term: about }) });
    setText("");
  }}>
    {schema ? <Pick label={T.about} value={about} set={setAbout} none={T.table}
      all={schema.columns.map(c => [c.name, c.name])} />
      : <Field label={T.term} value={about} set={setAbout} placeholder={T.late} />}
    <label class="pick grow">
      <span>{T.note}</span>
      <input class="grow" value={text} maxLength={1000} onInput={e => setText(e.currentTarget.value)} />
    </label>
    <button disabled={!text.trim() || !schema && !about.trim()}>{T.add}</button>
  </form>;
}
