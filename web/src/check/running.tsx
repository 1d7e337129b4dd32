// Scans and statements that run now, and a button that stops them.
import { useEffect, useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Notice, Waiting } from "../ui/notice";
import { eventNames, type RunningRequest } from "./types";
import { check as T } from "../texts/en/check";

const lookEvery = 2000;

export function Running() {
  const list = useAsked(signal => get<RunningRequest[]>("/api/admin/requests", signal), []);
  const [error, fail] = useState<Failure>();
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) list.again(); }, lookEvery);
    return () => clearInterval(timer);
  }, []);
  if (list.error) return <Notice error={list.error} />;
  if (!list.data) return <Waiting what={T.requests2} />;
  const stop = (id: string) => {
    ask("DELETE", `/api/admin/requests/${encodeURIComponent(id)}`).then(list.again, e => fail(asFailure(e)));
  };
  return <>
    {error && <Notice error={error} />}
    <List name={T.runningRequests} head={[T.user, T.what, T.tables2, T.by, T.for, ""]} rows={list.data}
      empty={T.nothingRunsAtThis} numbers={[4]}
      row={r => [r.user, <>
        {eventNames[r.event_type] ?? r.event_type}
        {r.statement && <pre class="small">{r.statement}</pre>}
      </>, r.tables.map((t, i) =>
        <>
          {i > 0 && ", "}
          <a href={link(["tables", t])}>{t}</a>
        </>
      ), r.client_agent ?? "", `${Math.max(0, Math.round((Date.now() - Date.parse(r.started_at)) / 1000))} s`,
        <End key={r.request_id} label={T.stop} end={() => stop(r.request_id)} />]} />
  </>;
}
