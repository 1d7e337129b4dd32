// Keeps a part of a table on this machine.
import { useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { plural } from "../format";
import { link } from "../route";
import { asFailure } from "../use";
import { Note, Notice, Warnings } from "../ui/notice";
import { Waits } from "../ui/waits";
import type { Caveat } from "../types";
import { snapshots as T } from "../texts/en/snapshots";
import { say } from "../texts/say";

interface Kept { snapshot: { name: string; rows: number }; caveats: Caveat[] }

export function Keep({ scan, name, disabled }: { scan: object; name: string; disabled: boolean }) {
  const [typed, type] = useState<string>();
  const [busy, setBusy] = useState<AbortController>();
  const [error, fail] = useState<Failure>();
  const [kept, set] = useState<Kept>();
  const as = (typed ?? name).trim();
  const keep = (replace: boolean) => {
    const stop = new AbortController();
    setBusy(stop);
    fail(undefined);
    set(undefined);
    ask<Kept>("POST", "/api/page/desk/snapshots", { name: as, scan, replace }, stop.signal)
      .then(set, e => fail(asFailure(e))).finally(() => setBusy(undefined));
  };
  return <form class="bar" aria-busy={!!busy} onSubmit={e => {
    e.preventDefault();
    keep(false);
  }}>
    <label class="pick">
      <span>{T.keepOnThisMachine}</span>
      <input value={typed ?? name} spellcheck={false} onInput={e => type(e.currentTarget.value)} />
    </label>
    <button disabled={disabled || !!busy || !as}>{busy ? T.fetching : T.keepAsSnapshot}</button>
    {busy && <Waits what={T.rowsCome} stop={busy} />}
    {error && <Notice error={error}>
      {(error.kind || error.code) === "snapshot_exists" && <p>
        <button type="button" onClick={() => keep(true)}>{T.replaceIt}</button>
      </p>}
    </Notice>}
    {kept && <div class="notes" role="status">
      <Note>
        <span>
          {say(T.keptAs, { rowsAre: plural(kept.snapshot.rows, T.nRowsAre) })}{" "}
          <a href={link(["snapshots", kept.snapshot.name])}>{kept.snapshot.name}</a>.
        </span>
      </Note>
      <Warnings caveats={kept.caveats} />
    </div>}
  </form>;
}
