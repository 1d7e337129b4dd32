// All rows of something as a file, also those that are not shown.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, send, type Failure } from "../api";
import { count } from "../format";
import { canChoose, noFile, offerAnswer, saveAnswer } from "../files/transfer";
import { More } from "./more";
import { Notice, Warnings } from "./notice";
import { fileName } from "./copy";
import { Waits } from "./waits";
import type { Caveat, Whole } from "../types";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

const formats = { csv: "CSV", xlsx: "XLSX", parquet: T.parquet };

const said = { more: T.allRows2, also: "", all: T.allRows2, these: T.theseRows };

/** how: all rows of more than are shown; all that are shown; all of a kept result, or those that its filters leave. */
export function WholeFile({ of, name, how, children }: { of: Whole; name: string; how: keyof typeof said;
  /** What stands before its buttons. */ children?: ComponentChildren })
{
  const [busy, setBusy] = useState<{ stop: AbortController; watch: string }>(), [written, setWritten] = useState(0);
  const [error, fail] = useState<Failure>();
  const [told, tell] = useState<Caveat[]>([]);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setInterval(() => {
      ask<{ rows: number | null }>("GET", `/api/page/file/${busy.watch}`).then(p => setWritten(w => p.rows ?? w),
        () => {});
    }, 500); // what fails is told by the file itself
    return () => clearInterval(timer);
  }, [busy]);
  const make = (format: string) => {
    const stop = new AbortController(), watch = crypto.getRandomValues(new Uint32Array(4)).join("-"),
      file = fileName(name, format),
      take = () => send("POST", "/api/page/file", { ...of, format, watch }, stop.signal);
    setBusy({ stop, watch });
    setWritten(0);
    fail(undefined);
    tell([]);
    const done = canChoose() ? saveAnswer(file, take) : take().then(answer => offerAnswer(file, answer));
    done.then(answer => tell(JSON.parse(decodeURIComponent(answer.headers.get("X-Agnes-Caveats") ?? "[]")) as Caveat[]),
      e => fail(noFile(e, stop.signal, () => make(format)))).finally(() => setBusy(undefined));
  };
  return <>
    <More label={T.export} of={name} once>
      {children}
      {said[how] && <span class="soft small">{said[how]}</span>}
      {Object.entries(formats).filter(([f]) => how !== "also" || f !== "csv").map(([format, text]) =>
        <button key={format} type="button" class="quiet" data-do={say(T.exportAllRowsAs, { text })} disabled={!!busy}
          onClick={() => make(format)}>{text}</button>
      )}
    </More>
    {busy && <Waits stop={busy.stop}
      what={say(T.fileIsMade, { what: written > 0 ? say(T.rowsSoFar, { written: count(written) }) : "" })} />}
    {error && <Notice error={error} />}
    <Warnings caveats={told} />
  </>;
}
