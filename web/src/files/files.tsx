// The page of the user's files.
import { useState } from "preact/hooks";
import { ask, get, type Failure } from "../api";
import { bytes, count, plural, time } from "../format";
import type { PageProps } from "../app";
import { link } from "../route";
import { asFailure, useAsked } from "../use";
import { End } from "../ui/end";
import { List } from "../ui/list";
import { Empty, Notice, Waiting } from "../ui/notice";
import { removed } from "../ui/undo";
import { Rename } from "../ui/rename";
import { Download } from "./download";
import { Drafts } from "./drafts";
import { kindOf } from "./kind";
import { OneFile } from "./one";
import { Drop, useFiles } from "./panel";
import type { File, FileInfo } from "./types";
import { files as T } from "../texts/en/files";
import { rich, say } from "../texts/say";

export function Files({ route }: PageProps) {
  const id = route.path[1];
  return id ? <OneFile key={id} id={id} route={route} /> : <All />;
}

function All() {
  const list = useFiles();
  const kind = list.error?.kind;
  if (kind === "files_off" || kind === "no_such_route") {
    return <Empty whole title={T.thisServerKeepsNo}>
      <p>
        {rich(T.itsOperatorTurnsThat)}
      </p>
    </Empty>;
  }
  const usage = list.data?.usage;
  return <>
    <div class="head">
      <div>
        <h1>{T.files}</h1>
        <p class="soft">{T.yoursAloneModelWorks}</p>
      </div>
    </div>
    <Drop done={list.again} most={usage?.max_file_bytes} />
    {list.error && <Notice error={list.error} />}
    <Drafts key={list.data?.files.length} changed={list.again} />
    {!list.data && !list.error && <Waiting what={T.files2} />}
    {list.data &&
      (list.data.files.length ? <ul class="cards">
        {list.data.files.map(f => <Card key={f.id} file={f} changed={list.again} />)}
      </ul>
        : <Empty title={T.noFilesYet}>
          <p>{T.csvJSONExcelWord}</p>
        </Empty>)}
    {usage &&
      <p class="soft small">
        {say(T.withVersionsOfFile, {
          files: plural(usage.files, T.nFiles), bytes: bytes(usage.bytes),
          totalBytes: bytes(usage.total_bytes), maxTotalBytes: bytes(usage.max_total_bytes),
          maxFileBytes: bytes(usage.max_file_bytes),
        })}
      </p>}
  </>;
}

function Card({ file: f, changed }: { file: File; changed: () => void }) {
  const [error, fail] = useState<Failure>();
  const [open, setOpen] = useState(false);
  const path = `/api/files/${encodeURIComponent(f.id)}`;
  const run = (work: Promise<unknown>) => {
    fail(undefined);
    work.then(changed, e => {
      if (!(e instanceof DOMException)) fail(asFailure(e));
    });
  };
  return <li class="card file">
    <h2>
      <a href={link(["files", f.id])}>{f.name}</a>
    </h2>
    <p class="facts small">
      <span title={f.mime_type}>{kindOf(f)}</span>
      <span>{bytes(f.size)}</span>
      <span>{say(T.version, { version: count(f.version) })}</span>
      <span>{time(f.modified_on)}</span>
    </p>
    <div class="bar">
      <Download file={f} />
      <button class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>{T.versions}</button>
      <Rename name={f.name} label={say(T.rename, { name: f.name })}
        rename={to => run(ask("POST", path, { rename: to, if_version: f.version }))} />
      <End label={T.delete} end={() =>
        run(ask("DELETE", path).then(() =>
          removed(say(T.isDeleted, { name: f.name }), () => run(ask("POST", path, { restore: -1 })))
        ))} />
    </div>
    {error && <Notice error={error} />}
    {open && <Versions path={path} version={f.version} restore={v => run(ask("POST", path, { restore: v }))} />}
  </li>;
}

function Versions({ path, version, restore }: { path: string; version: number; restore: (v: number) => void }) {
  const info = useAsked(signal => get<FileInfo>(path, signal), [path, version]);
  if (info.error) return <Notice error={info.error} />;
  if (!info.data) return <Waiting what={T.versions2} lines={2} />;
  return <>
    {info.data.problem && <p class="soft small">{info.data.problem}</p>}
    <List name={T.versions} head={[T.version2, T.size, T.made, ""]} rows={info.data.versions} empty="" numbers={[0, 1]}
      row={v => [count(v.version), bytes(v.size), time(v.modified_on),
        v.current ? <span class="tag bare">{T.now}</span>
          : <button class="quiet" onClick={() => restore(v.version)}>{T.restore}</button>]} />
  </>;
}
