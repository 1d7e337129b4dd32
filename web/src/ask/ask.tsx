// Questions in words: conversations at the left, what is said in the middle, what is done at the right.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import type { PageProps } from "../app";
import { useAsked } from "../use";
import { useFiles } from "../files/panel";
import { Copy } from "../ui/copy";
import { Empty, Note, Notice, Waiting } from "../ui/notice";
import { useKept } from "../store";
import type { Show, Talk } from "./conversation";
import { Changes } from "./changes";
import { failedIn, saidBefore } from "./conversation";
import { nextQuestions } from "./next";
import { Question } from "./question";
import { Words } from "./receipt";
import { Share, Shared } from "./shared";
import { ChartView, FrameView } from "./shown";
import { Activity, Conversations } from "./side";
import { useTalk } from "./talk";
import type { PageTables } from "../types";
import type { Attached, Conversation, Frame, Health } from "./types";
import { versions } from "./versions";
import { ask as T } from "../texts/en/ask";
import { rich, say } from "../texts/say";

export function Ask({ route, desk }: PageProps) {
  const [, way, owner, shared] = route.path;
  return way === "shared" && owner && shared ? <Shared owner={owner} id={shared} />
    : <Own id={way ?? ""} desk={desk} />;
}

function Own({ id, desk }: { id: string; desk: boolean }) {
  const health = useAsked(signal => get<Health>("/api/agent/health", signal), []);
  if (health.error?.kind === "no_such_route" || health.data?.status === "off") return <Off />;
  if (health.error) return <Notice error={health.error} />;
  if (!health.data) return <Waiting what={T.model} />;
  return <Talking id={id} health={health.data} desk={desk} />;
}

function Off() {
  return <Empty whole title={T.noModelIsConfigured}>
    <p>{T.questionsInWordsNeed}</p>
    <p>
      {rich(T.nameItInSection)}
    </p>
  </Empty>;
}

/** Questions that the tables of this instance can answer. */
function tipsOf(tables: PageTables["tables"]): string[] {
  const [a, b] = tables;
  return a ? [say(T.whatIsIn,
    { id: a.id }), say(T.howManyRowsHas, { id: (b ?? a).id }), say(T.showBarChartOf, { id: a.id })] : [];
}

type Tab = "summary" | "data" | "charts";

function Talking({ id, health, desk }: { id: string; health: Health; desk: boolean }) {
  const list = useAsked(signal =>
    get<{ conversations: Conversation[]; owner?: string }>("/api/agent/conversations", signal), []);
  const { talk, busy, say: tell, stop, branch } = useTalk(id, list.again);
  const [after, setAfter] = useState<number>(), field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => setAfter(undefined), [id]);
  const [tab, setTab] = useState<Tab>("summary");
  const [text, setText] = useKept("ask question", "");
  const all = useFiles(), [files, setFiles] = useState<Attached[]>([]);
  const attach = (f: Attached) => setFiles(old => [...old.filter(o => o.id !== f.id), f]);
  const [, run] = useKept("ask running", "");
  const mine = list.data?.conversations.find(c => c.id === talk.id), title = mine?.title || mine?.question || "";
  useEffect(() => {
    if (busy && talk.id) run(talk.id);
    else if (!busy) run("");
  }, [busy, talk.id]);
  useEffect(() => {
    if (id) document.title = [title.slice(0, 60), T.ask, "da"].filter(Boolean).join(" · ");
  }, [id, title]);
  const submit = () => {
    const message = text.trim();
    if (!message || busy) return;
    setText("");
    setFiles([]);
    setTab("summary");
    if (after === undefined) tell(message, files);
    else branch(message, after, files);
    setAfter(undefined);
  };
  const choice = (t: Tab, label: string, n = 0) =>
    <button aria-pressed={tab === t} onClick={() => setTab(t)}>{label} {n || ""}</button>;
  return <div class="ask">
    <Conversations list={list} here={talk.id} files={all} attach={attach} />
    <div class="ask-main">
      <div class="head">
        <div>
          <h1>{T.ask}</h1>
          <p class="soft">{health.model}{" "}{T.worksWithYourRights}</p>
        </div>
        {mine && !desk && !busy && mine.turns > 0 && <div class="bar">
          <Share key={mine.id} entry={mine} owner={list.data?.owner ?? ""} changed={list.again} />
        </div>}
      </div>
      <div class="segments" role="group" aria-label={T.show}>
        {choice("summary", T.summary)}
        {choice("data", T.data, talk.frames.length)}
        {choice("charts", T.charts, talk.charts.length)}
      </div>
      {tab === "summary" &&
        <Summary talk={after === undefined ? talk : { ...talk, said: saidBefore(talk.said, after) }} busy={busy}
          put={text => {
          setText(text);
          field.current?.focus();
        }} all={list.data?.conversations ?? []} again={branch} branch={turns => {
          setAfter(turns);
          field.current?.focus();
        }} />}
      {tab === "data" &&
        (talk.frames.length ? talk.frames.map((f, i) => <FrameView key={talk.frames.length - i} frame={f} />)
          : <Empty title={T.noTablesYet}>
            <p>{T.tablesThatModelShows}</p>
          </Empty>)}
      {tab === "charts" &&
        (talk.charts.length ? talk.charts.map((c, i) => <ChartView key={talk.charts.length - i} chart={c} />)
          : <Empty title={T.noChartsYet}>
            <p>{T.chartsThatModelDraws}</p>
          </Empty>)}
      {talk.failure && <Notice error={talk.failure}>
        {talk.id && !busy && <p>
          <button onClick={() => tell("")}>{T.goOn}</button>
        </p>}
      </Notice>}
      {talk.cut && !talk.failure && <Note kind="warn">
        {T.lastTurnDidNot}{" "}<button disabled={busy} onClick={() => tell("")}>{T.goOn}</button>
      </Note>}
      {after !== undefined && <Note>
        {T.yourNextQuestionGoes}{" "}
        <button class="quiet" onClick={() => setAfter(undefined)}>{T.backToAllOfIt}</button>
      </Note>}
      <form class="say" onSubmit={e => {
        e.preventDefault();
        submit();
      }}>
        {files.length > 0 && <p class="chips small" aria-label={T.filesThatComeWithIt}>
          {files.map(f =>
            <button key={f.id} type="button" class="chip" aria-label={say(T.leaveOut, { name: f.name })}
              onClick={() => setFiles(files.filter(o => o !== f))}>{f.name} ×</button>
          )}
        </p>}
        {all.data && all.data.files.length > 0 &&
          <select aria-label={T.attachFile} value="" onChange={e => {
            const f = all.data!.files.find(f => f.id === e.currentTarget.value);
            if (f) attach({ id: f.id, name: f.name });
            e.currentTarget.value = "";
          }}>
            <option value="">{T.attach}</option>
            {all.data.files.map(f => <option key={f.id} value={f.id}>{f.name}</option>)}
          </select>}
        <label class="grow">
          <span class="hidden">{T.yourQuestion}</span>
          <textarea rows={2} placeholder={T.askAboutYourData} value={text} ref={field}
            onInput={e => setText(e.currentTarget.value)} onKeyDown={e => {
            if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
              e.preventDefault();
              submit();
            }
          }} />
        </label>
        {busy ? <button type="button" class="danger" onClick={stop}>{T.stop}</button>
          : <button class="primary" disabled={!text.trim()}>{T.ask}</button>}
      </form>
    </div>
    <Activity talk={talk} busy={busy} limits={health.limits} name={title.slice(0, 60)} />
  </div>;
}

interface SummaryProps {
  talk: Talk; busy: boolean; all: Conversation[]; put: (text: string) => void;
  again: (text: string, after: number, files?: Attached[]) => void; branch: (turns: number) => void;
}

function Summary({ talk, busy, all, put, again, branch }: SummaryProps) {
  let turns = 0; // before the one whose words come next
  const end = useInView([talk.said, talk.status], busy);
  const tables = useAsked(signal => get<PageTables>("/api/page/tables?limit=2", signal), []);
  return <div class="talk" role="log" aria-label={T.conversation} aria-busy={busy}>
    {talk.said.length === 0 && !busy && <Empty title={T.askAboutYourData}>
      <p>{T.modelLooksForTables}</p>
      <p class="chips">
        {tipsOf(tables.data?.tables ?? []).map(t => <button key={t} class="chip" onClick={() => put(t)}>{t}</button>)}
      </p>
    </Empty>}
    {talk.said.map((s, i) => {
      const next = talk.said[i + 1];
      if (s.who === "user") {
        const before = turns++;
        return <Question key={i} text={s.text} files={s.files ?? []} busy={busy || !talk.id} here={talk.id}
          versions={versions(all, talk.id, before)} again={text => again(text, before, s.files)} />;
      }
      const here = turns, ends = next ? next.who === "user" : !busy && !!talk.id;
      return <div key={i} class="said model">
        <span class="hidden">{T.model2}</span>
        <Words said={s} steps={talk.steps} />
        {s.note && <Note kind="warn">{s.note}</Note>}
        {ends && failedIn(talk.steps, here - 1).map(f =>
          <Note key={f.id} kind="warn">{say(T.callFailed, { tool: f.tool, why: f.why ?? "" })}</Note>)}
        <Shown all={s.shows} talk={talk} />
        {ends && <p class="bar ways">
          <Copy text={() => s.text} label={T.copy} />
          <button class="quiet" disabled={busy} onClick={() => branch(here)}>{T.branchFromHere}</button>
        </p>}
      </div>;
    })}
    <Shown all={talk.pending} talk={talk} />
    {!busy && <Next frames={lastFrames(talk)} put={put} />}
    {talk.id && !busy && <Changes key={talk.id + talk.said.length} conversation={talk.id} />}
    {talk.status && <p class="soft" role="status">{talk.status}</p>}
    <div class="talk-end" ref={end} />
  </div>;
}

/** Tables and charts of an answer, the first one first. */
function Shown({ all, talk }: { all: Show[] | undefined; talk: Talk }) {
  return <>{all?.map(s => {
    const frame = s.what === "data" && talk.frames.at(-1 - s.n);
    const chart = s.what === "charts" && talk.charts.at(-1 - s.n);
    const key = `${talk.id} ${s.what} ${s.n}`;
    return frame ? <FrameView key={key} frame={frame} folded /> : chart ? <ChartView key={key} chart={chart} folded />
      : null;
  })}</>;
}

/** The tables and the rows of charts of the last answer. */
const lastFrames = (talk: Talk) =>
  (talk.said.at(-1)?.shows ?? []).flatMap(s =>
    (s.what === "data" ? talk.frames.at(-1 - s.n) : talk.charts.at(-1 - s.n)?.data) ?? []
  );

/** Questions that go on from the tables of the last answer. */
function Next({ frames, put }: { frames: Frame[]; put: (text: string) => void }) {
  const all = nextQuestions(frames);
  return all.length
    ? <p class="chips" role="group" aria-label={T.askNext}>
      {all.map(text => <button key={text} class="chip" onClick={() => put(text)}>{text}</button>)}
    </p> : null;
}

/** The end of something that grows: it stays in view unless the reader has scrolled away from it. When nothing
    grows any more, the beginning of what came last is in view. */
function useInView(grows: unknown[], busy: boolean) {
  const end = useRef<HTMLDivElement>(null), near = useRef(true);
  useEffect(() => {
    let at = scrollY;
    const look = () => { // what grows above the end moves it out of view, and is no reader
      near.current = !!end.current && end.current.getBoundingClientRect().top < innerHeight ||
        near.current && scrollY >= at;
      at = scrollY;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => { if (busy) near.current = true; }, [busy]);
  useLayoutEffect(() => { if (busy && near.current) end.current?.scrollIntoView({ block: "nearest" }); }, grows);
  useLayoutEffect(() => {
    const last = [...end.current?.parentElement?.querySelectorAll(".said.model") ?? []].at(-1);
    if (!busy && near.current && last) last.scrollIntoView({ block: tall(last) ? "start" : "nearest" });
  }, [busy]);
  return end;
}

/** Whether something does not fit above the field for a question. */
const tall = (e: Element) => e.getBoundingClientRect().height > innerHeight - 200;
