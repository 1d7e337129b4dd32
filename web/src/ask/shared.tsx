// A conversation that somebody shared, and how one's own is shared.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { Copy } from "../ui/copy";
import { End } from "../ui/end";
import { Note, Notice, Waiting } from "../ui/notice";
import { recall } from "./conversation";
import { Words } from "./receipt";
import { ChartView, FrameView } from "./shown";
import type { AgentEvent, Conversation, Kept } from "./types";
import { ask as T } from "../texts/en/ask";
import { rich, say } from "../texts/say";

/** Reads it under the rights of whoever looks, each time. */
export function Shared({ owner, id }: { owner: string; id: string }) {
  const at = `/api/agent/shared/${encodeURIComponent(owner)}/${encodeURIComponent(id)}`;
  const kept = useAsked(async signal => {
    const { info, records } = await get<Kept>(at, signal), shown = new Map<string, AgentEvent | undefined>();
    for (const r of records) {
      if (!r.shown || !r.message_id) continue;
      shown.set(r.message_id, await get<AgentEvent>(`${at}/shown/${encodeURIComponent(r.message_id)}`, signal)
        .catch(() => undefined));
    }
    return { info, talk: recall(id, records, shown) };
  }, [at]);
  if (kept.error) return <Notice error={kept.error} />;
  if (!kept.data) return <Waiting what={T.conversation2} />;
  const { info, talk } = kept.data;
  return <>
    <div class="head">
      <div>
        <h1>{info.title || info.question}</h1>
        <p class="soft">{rich(T.sharedWithYouWho, { askYourself: <a href="#/ask">{T.askYourself}</a> })}</p>
      </div>
    </div>
    <div class="talk" role="log" aria-label={T.conversation}>
      {talk.said.map((s, i) =>
        <div key={i} class={"said " + s.who}>
          <span class="hidden">{s.who === "user" ? T.question : T.model2}</span>
          {s.who === "user" ? <p>{s.text}</p>
            : <Words said={s} at={`${at}/receipts/${s.receipt?.split("-").pop()}`} steps={talk.steps} />}
          {s.note && <Note kind="warn">{s.note}</Note>}
          {s.shows?.map(w => {
            const frame = w.what === "data" && talk.frames.at(-1 - w.n),
              chart = w.what === "charts" && talk.charts.at(-1 - w.n);
            return frame ? <FrameView key={w.what + w.n} frame={frame} />
              : chart ? <ChartView key={w.what + w.n} chart={chart} /> : null;
          })}
        </div>
      )}
    </div>
  </>;
}

/** Shares a conversation of the caller, and ends that. */
export function Share(
  { entry: c, owner, changed }: { entry: Conversation; /** The part of its address. */ owner: string;
    changed: () => void },
) {
  const copy = <Copy label={T.copyLink} text={() => location.href.replace(/#.*/, "") +
    link(["ask", "shared", owner, c.id])} />;
  const [error, fail] = useState<Failure>(), [made, set] = useState<{ tables: string[] }>();
  const share = (shared: boolean) =>
    ask<{ tables: string[] }>("POST", "/api/agent/share", { conversation: c.id, shared }).then(r => {
      set(shared ? r : undefined);
      changed();
    }, e => fail(asFailure(e)));
  return <>
    <End label={c.shared ? T.shareWhatCameSince : T.share} does={T.share} not={T.notNow}
      says={T.whoeverHasLinkAndMay}
      end={() => { void share(true); }} />
    {c.shared && !made && copy}
    {c.shared && <button class="quiet" onClick={() => { void share(false); }}>{T.shareNoLonger}</button>}
    {error && <Notice error={error} />}
    {made && <Note>
      <p role="status">
        {say(T.sharedWithWhoMay, { tables: made.tables.length ? made.tables.join(", ") : T.whatIsPublic })}{" "}{copy}
      </p>
    </Note>}
  </>;
}
