// Operations on an office file, a PDF or a picture, one at a time; the server says which fields they have.
import { useState } from "preact/hooks";
import { ask, Failure, get } from "../api";
import { count } from "../format";
import { asFailure, useAsked } from "../use";
import { Note, Notice, Waiting, Warnings } from "../ui/notice";
import type { Caveat } from "../types";
import type { File, FileInfo } from "./types";
import { files as T } from "../texts/en/files";
import { say } from "../texts/say";

interface Field { name: string; kind: keyof typeof ways; about?: string }
interface Form { op: string; fields: Field[] }

const ways = {
  text: "", number: "", yes_no: "", json: "JSON",
  lines: T.oneTextLine, table: T.rowLineWithTabs,
};
const words = (name: string) => name.replaceAll("_", " ");

/** A cell as people write it: what is a number or empty in every program is no text. */
function cell(text: string): unknown {
  return text === "" ? null : /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : text;
}

function read(field: Field, text: string): unknown {
  switch (field.kind) {
    case "number": return Number(text);
    case "yes_no": return text === "yes";
    case "lines": return text.split("\n");
    case "table": return text.replace(/\n$/, "").split("\n").map(row => row.split("\t").map(cell));
    case "json":
      try {
        return JSON.parse(text);
      } catch {
        throw new Failure(400, "validation", say(T.isNotJSON,
          { name: words(field.name) }), "", say(T.itIs, { about: field.about ?? T.json }));
      }
  }
  return text;
}

export function Change({ file: f, done }: { file: FileInfo; done: () => void }) {
  const path = `/api/files/${encodeURIComponent(f.id)}/operations`;
  const forms = useAsked(signal => get<{ operations: Form[] }>(path, signal), [f.id]);
  const [op, choose] = useState<string>();
  const [given, set] = useState<Record<string, string>>({});
  const [busy, work] = useState(false);
  const [error, fail] = useState<Failure>();
  const [last, tell] = useState<{ op: string; file: File; caveats: Caveat[] }>();
  if (forms.error) return <Notice error={forms.error} />;
  if (!forms.data) return <Waiting what={T.operations} />;
  const form = forms.data.operations.find(o => o.op === op) ?? forms.data.operations[0];
  if (!form) return <p class="soft">{T.thereIsNoOperation}</p>;
  const apply = async () => {
    work(true);
    fail(undefined);
    tell(undefined);
    try {
      const operation: Record<string, unknown> = { op: form.op };
      for (const field of form.fields) {
        const text = given[field.name];
        if (text) operation[field.name] = read(field, text);
      }
      const answer = await ask<{ file: File; caveats: Caveat[] }>("POST", path,
        { operations: [operation], if_version: f.version });
      tell({ op: form.op, ...answer });
      set({});
      done();
    } catch (e) {
      fail(asFailure(e));
    }
    work(false);
  };
  return <form class="change" aria-busy={busy} onSubmit={e => { e.preventDefault(); void apply(); }}>
    <label class="pick">
      {T.operation}
      <select value={form.op} onChange={e => choose(e.currentTarget.value)}>
        {forms.data.operations.map(o => <option key={o.op} value={o.op}>{words(o.op)}</option>)}
      </select>
    </label>
    {form.fields.map(field => <Value key={field.name} field={field} value={given[field.name] ?? ""}
      change={text => set(all => ({ ...all, [field.name]: text }))} />)}
    <div class="bar"><button disabled={busy}>{T.apply}</button></div>
    {error && <Notice error={error} />}
    {last && <div role="status">
      <Note>{say(T.isDoneVersion, { op: words(last.op), version: count(last.file.version) })}</Note>
      <Warnings caveats={last.caveats} />
    </div>}
  </form>;
}

function Value({ field, value, change }: { field: Field; value: string; change: (text: string) => void }) {
  const about = [field.about, ways[field.kind]].filter(Boolean).join("; ");
  return <label class="pick">
    {words(field.name)}
    {field.kind === "yes_no"
      ? <select value={value} onChange={e => change(e.currentTarget.value)}>
        <option value="">{T.asUsual}</option><option value="yes">{T.yes}</option><option value="no">{T.no}</option>
      </select>
      : field.kind === "number"
      ? <input type="number" step="any" value={value} onInput={e => change(e.currentTarget.value)} />
      : <textarea rows={field.kind === "text" ? 1 : 4} value={value} onInput={e => change(e.currentTarget.value)} />}
    {about && <span class="soft small">{about}</span>}
  </label>;
}
