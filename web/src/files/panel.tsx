// The user's files: sent by a button or dropped, told of as they change.
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, get } from "../api";
import { bytes } from "../format";
import { asFailure, useAsked, type Loaded } from "../use";
import { Notice } from "../ui/notice";
import { follow, upload } from "./transfer";
import type { File as Kept, FileList } from "./types";
import { files as T } from "../texts/en/files";
import { say } from "../texts/say";

/** The list of files, which follows changes that others make. */
export function useFiles(): Loaded<FileList> {
  const list = useAsked(signal => get<FileList>("/api/files", signal), []);
  const off = list.error?.kind === "files_off" || list.error?.kind === "no_such_route";
  useEffect(() => {
    if (off) return;
    const stop = new AbortController();
    void follow(list.again, stop.signal);
    return () => stop.abort();
  }, [off]);
  return list;
}

interface Sending { id: number; name: string; size: number; share: number; stop: AbortController; error?: Failure;
  /** To send it once more. */ file?: File }

/** A place to drop files, with a button for who has none to drop. most: how large one may be, in bytes. */
export function Drop({ done, most }: { done: (file: Kept) => void; most: number | undefined }) {
  const [over, setOver] = useState(false);
  const [sending, set] = useState<Sending[]>([]);
  const next = useRef(0), input = useRef<HTMLInputElement>(null);
  const change = (id: number, to: Partial<Sending> | null) =>
    set(all => to ? all.map(s => s.id === id ? { ...s, ...to } : s) : all.filter(s => s.id !== id));
  const take = (files: Iterable<File>) => {
    for (const f of files) {
      const id = next.current++, stop = new AbortController();
      set(all => [...all, { id, name: f.name, size: f.size, share: 0, stop, file: f }]);
      if (most && f.size > most) {
        change(id, {
          error: new Failure(
            413,
            "too_large",
            say(T.hasAndFileMay, { name: f.name, size: bytes(f.size), most: bytes(most) }),
            "",
            T.sendPartOfIt,
          ),
        });
        continue;
      }
      upload(f, share => change(id, { share }), stop.signal).then(
        kept => { change(id, null); done(kept); },
        e => change(id, { error: asFailure(e) }));
    }
  };
  const dropped = (data: DataTransfer | null) => {
    // A folder comes as a file that cannot be read.
    const folders = [...data?.items ?? []].map(i => i.webkitGetAsEntry?.()).filter(e => e?.isDirectory).map(e =>
      e!.name
    );
    for (const name of folders) {
      const id = next.current++;
      set(
        all => [...all, { id, name, size: 0, share: 0, stop: new AbortController(),
          error: new Failure(400, "folder", say(T.isFolder, { name }), "", T.openItAndDrop) }]
      );
    }
    take([...data?.files ?? []].filter(f => !folders.includes(f.name)));
  };
  useEffect(() => {
    // What misses its place must not open in place of this page.
    const miss = (e: DragEvent) => {
      if (!e.defaultPrevented) {
        e.preventDefault();
        if (e.dataTransfer) e.dataTransfer.dropEffect = "none";
      }
    };
    addEventListener("dragover", miss);
    addEventListener("drop", miss);
    return () => { removeEventListener("dragover", miss); removeEventListener("drop", miss); };
  }, []);
  return <div class={"drop" + (over ? " over" : "")} onDragOver={e => {
    e.preventDefault();
    setOver(true);
  }} onDragLeave={() => setOver(false)} onDrop={e => {
    e.preventDefault();
    setOver(false);
    dropped(e.dataTransfer);
  }}>
    <div class="bar">
      <button type="button" onClick={() => input.current!.click()}>{T.sendFiles}</button>
      <span class="soft small">{T.orDropThemHere}</span>
    </div>
    <input ref={input} type="file" multiple hidden aria-label={T.filesToSend} onChange={e => {
      take([...e.currentTarget.files ?? []]);
      e.currentTarget.value = "";
    }} />
    {sending.map(s =>
      <div key={s.id} class="sending">
        {s.error ? <Notice error={s.error}>
          <p>
            {s.file && !s.error.status && <button onClick={() => {
              change(s.id, null);
              take([s.file!]);
            }}>{say(T.sendAgain, { name: s.name })}</button>}
            <button class="quiet" onClick={() => change(s.id, null)}>{T.close}</button>
          </p>
        </Notice> : <>
          <span class="small">{say(T.of4,
            { name: s.name, share: bytes(Math.round(s.share * s.size)), size: bytes(s.size) })}</span>
          <progress max={1} value={s.share} aria-label={say(T.sending, { name: s.name })} />
          <button type="button" class="quiet small" onClick={() => s.stop.abort()}>{T.stop}</button>
        </>}
      </div>
    )}
  </div>;
}
