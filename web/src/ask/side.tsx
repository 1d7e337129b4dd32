// Beside a conversation: the others, files and tables at the left, what is done at the right.
import { useMemo, useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { Drop } from "../files/panel";
import type { FileList } from "../files/types";
import { bytes, count, plural, time } from "../format";
import { link } from "../route";
import { asFailure, useAsked, useSettled, type Loaded } from "../use";
import { End } from "../ui/end";
import { Note, Notice } from "../ui/notice";
import { Rename } from "../ui/rename";
import type { PageTables } from "../types";
import { sheetOf, sheetOfAll, StepAnswer } from "./step";
import type { Step, Talk } from "./conversation";
import type { Answer, Attached, Conversation, Limits } from "./types";
import { ask as T } from "../texts/en/ask";
import { say } from "../texts/say";

type List = Loaded<{ conversations: Conversation[] }>;

export function Conversations(
  { list, here, files, attach }: { list: List; here: string; files: Loaded<FileList>;
    attach: (file: Attached) => void },
) {
  const [error, fail] = useState<Failure>();
  const [words, setWords] = useState(""), wanted = useSettled(words.trim(), 250);
  const found = useAsked(async signal => wanted
    ? (await get<{ conversations: Conversation[] }>(`/api/agent/conversations?q=${encodeURIComponent(wanted)}`, signal))
      .conversations : undefined, [wanted]);
  const shown = wanted && found.data ? found.data : list.data?.conversations;
  const run = (work: Promise<unknown>) => { fail(undefined); work.then(list.again, e => fail(asFailure(e))); };
  return <aside class="ask-side" aria-label={T.conversations}>
    <div class="bar"><h2>{T.conversations}</h2><span class="grow" /><a class="button" href="#/ask">{T.new}</a></div>
    {error && <Notice error={error} />}
    {found.error && <Notice error={found.error} />}
    {(list.data?.conversations.length ?? 0) > 1 &&
      <label class="find">
        <span class="hidden">{T.findInConversations}</span>
        <input type="search" placeholder={T.findInWhatWas} value={words}
          onInput={e => setWords(e.currentTarget.value)} />
      </label>}
    {wanted && <p class="soft small" role="status">
      {found.data ? plural(found.data.length, T.nConversations) : "…"}
    </p>}
    {list.data?.conversations.length === 0 && <p class="soft small">{T.noneYet}</p>}
    <ul>
      {shown?.map(c =>
        <Entry key={c.id} entry={c} here={c.id === here} rename={title =>
          run(ask("POST", "/api/agent/rename", { conversation: c.id, title }))} remove={() =>
          run(ask("POST", "/api/agent/reset", { conversation: c.id }).then(() => {
            if (c.id === here)
              location.hash = "#/ask";
          }))} />
      )}
    </ul>
    <Files files={files} attach={attach} />
    <Tables />
  </aside>;
}

function Entry(
  { entry: c, here, rename, remove }: { entry: Conversation; here: boolean; rename: (title: string) => void;
    remove: () => void },
) {
  const name = c.title || c.question || "…";
  return <li class={here ? "here" : ""}>
    <a class="kept" href={link(["ask", c.id])} aria-current={here ? "page" : undefined}>
      <span>{name}</span>
      <span class="soft small">{time(c.last)}{c.from && T.branched}</span>
    </a>
    {here && <span class="bar">
      <Rename name={name} label={say(T.rename, { name })} most={100} rename={rename} />
      <End label={T.delete} end={remove} />
    </span>}
  </li>;
}

/** The files that the user keeps, and a place to send more, which come with the next question. */
function Files({ files, attach }: { files: Loaded<FileList>; attach: (file: Attached) => void }) {
  if (!files.data) return null; // the page of files says why
  return <section><h2>{T.files}</h2>
    <Drop done={f => { files.again(); attach({ id: f.id, name: f.name }); }} most={files.data.usage.max_file_bytes} />
    <Chips names={files.data.files.map(f => f.name)}
      at={name => link(["files", files.data!.files.find(f => f.name === name)!.id])} all="#/files" />
  </section>;
}

/** The tables that the model can find. */
function Tables() {
  const tables = useAsked(signal => get<PageTables>(`/api/page/tables?limit=${mostChips}`, signal), []);
  return <section>
    <h2>{T.tables}</h2>
    <Chips names={tables.data?.tables.map(t => t.id) ?? []} total={tables.data?.all} at={id => link(["tables", id])}
      all="#/tables" />
  </section>;
}

const mostChips = 12;

function Chips(
  { names, total = names.length, at, all }: { names: string[]; total?: number | undefined; at: (name: string) => string;
    all: string },
) {
  return <p class="chips small">
    {names.slice(0, mostChips).map(n => <a key={n} class="button chip" href={at(n)}>{n}</a>)}
    {total > mostChips && <a href={all}>{say(T.more, { total: count(total - mostChips) })}</a>}
  </p>;
}

/** A figure of what an answer took, which may be less where a reply broke off. */
const most = (a: Answer, n: string) => a.reserved_tokens ? say(T.atMost, { n }) : n;

export function Activity(
  { talk, busy, limits, name }: { talk: Talk; busy: boolean; limits: Limits | null; name: string },
) {
  const a = talk.answer, of = (limit: string | undefined) => limit ? <span class="soft small">{" "}{say(T.of3,
    { limit })}</span> : null;
  const calls = talk.steps.length - talk.before;
  const sheet = useMemo(() => busy ? undefined : sheetOfAll(talk, name), [talk, busy, name]);
  return <aside class="ask-side activity" aria-label={T.activity}><h2>{T.activity}</h2>
    {(a || calls > 0) && <dl class="figures">
      <div>
        <dt>{T.toolCalls}</dt>
        <dd>{count(calls)}{of(limits ? count(limits.max_tool_calls) : undefined)}</dd>
      </div>
      {a && <div>
        <dt>{T.tokens}</dt>
        <dd>{most(a, count(a.total_tokens))}{of(limits ? count(limits.max_tokens) : undefined)}</dd>
      </div>}
      {a?.total_cost != null && <div>
        <dt>{T.costInYourProviders}</dt>
        <dd>{most(a, a.total_cost.toFixed(4))}{of(limits?.budget != null ? limits.budget.toFixed(2) : undefined)}</dd>
      </div>}
    </dl>}
    {sheet && <p><a class="button" href={sheet}>{T.openStatementsAsSheet}</a></p>}
    {talk.steps.length === 0 &&
      <p class="soft small">{busy ? T.nothingYet : T.toolCallsWithTheir}</p>}
    <ol>
      {talk.steps.map((s, i) =>
        <li key={i} class={s.state}>
          <strong>{s.tool}</strong>
          <span class="soft small">
            {s.state === "running" ? T.running
              : say(T.ms, { what: s.state === "failed" ? T.failed : "", ms: s.ms ?? 0,
                what2: s.bytes ? `, ${bytes(s.bytes)}` : "" })}
          </span>
          {s.why && <p class="small bad-text">{s.why}</p>}
          {s.args && <Arguments text={s.args} />}
          <StepMore step={s} />
        </li>
      )}
    </ol>
    {talk.notes.map((n, i) => <Note key={i}>{n}</Note>)}
  </aside>;
}

/** What a step answered, once somebody asks for it, and its statement as a sheet. */
function StepMore({ step }: { step: Step }) {
  const [open, set] = useState(false), sheet = sheetOf(step);
  if (!step.answer || step.state === "running") return null;
  return <details onToggle={e => set(e.currentTarget.open)}>
    <summary class="small">{T.answer}</summary>
    {open && <StepAnswer step={step} />}
    {sheet && <p class="small"><a href={sheet}>{T.openInSheet}</a></p>}
  </details>;
}

const longest = 400; // characters of an argument that are shown
const clip = (text: string) => text.length > longest ? text.slice(0, longest) + "…" : text;

/** The arguments of a call, each in a line of its own if they can be told apart. */
function Arguments({ text }: { text: string }) {
  let all: unknown;
  try { all = JSON.parse(text); } catch { /* what a model writes need not be JSON */ }
  if (!all || typeof all !== "object") return <code class="small">{clip(text)}</code>;
  return <dl>
    {Object.entries(all).map(([name, v]) =>
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <code class="small">{clip(typeof v === "string" ? v : JSON.stringify(v))}</code>
        </dd>
      </div>
    )}
  </dl>;
}
