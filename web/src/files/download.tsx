// The buttons that bring a file here.
import { useState } from "preact/hooks";
import type { Failure } from "../api";
import { Notice } from "../ui/notice";
import { Waits } from "../ui/waits";
import { canChoose, fetchFile, noFile, saveTo } from "./transfer";
import type { File } from "./types";

export function Download({ file: f, query = {}, quiet }: { file: File; query?: object; quiet?: boolean }) {
  const [busy, setBusy] = useState<AbortController>(), [error, fail] = useState<Failure>();
  const run = (bring: typeof fetchFile) => {
    const stop = new AbortController();
    setBusy(stop);
    fail(undefined);
    bring(f, query, stop.signal).catch(e => fail(noFile(e, stop.signal, () => run(bring))))
      .finally(() => setBusy(undefined));
  };
  return <>
    <button class={quiet ? "quiet" : ""} disabled={!!busy} onClick={() => run(fetchFile)}>Download</button>
    {canChoose() && <button class="quiet" disabled={!!busy} onClick={() => run(saveTo)}>Save to…</button>}
    {busy && <Waits what={`${f.name} comes`} stop={busy} />}
    {error && <Notice error={error} />}
  </>;
}
