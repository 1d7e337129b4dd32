// The buttons that bring a file here.
import { useState } from "preact/hooks";
import type { Failure } from "../api";
import { Notice } from "../ui/notice";
import { Waits } from "../ui/waits";
import { canChoose, fetchFile, noFile, saveTo } from "./transfer";
import type { File } from "./types";
import { files as T } from "../texts/en/files";
import { say } from "../texts/say";

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
    <button class={quiet ? "quiet" : ""} disabled={!!busy} onClick={() => run(fetchFile)}>{T.download}</button>
    {canChoose() && <button class="quiet" disabled={!!busy} onClick={() => run(saveTo)}>{T.saveTo}</button>}
    {busy && <Waits what={say(T.comes, { name: f.name })} stop={busy} />}
    {error && <Notice error={error} />}
  </>;
}
