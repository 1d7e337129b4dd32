// What a sheet and its dashboard share: the fields of its parameters, and one file of all.
import { useState } from "preact/hooks";
import type { Failure } from "../api";
import { asFailure, part, useAsked } from "../use";
import { download } from "../ui/copy";
import { Notice } from "../ui/notice";
import { valuesOf, columnsOf } from "./known";
import { titleOf, type Sheet } from "./sheets";
import { comparedWith, parametersIn } from "./text";

/** A field for each parameter; one that is compared with a column of few values proposes them. */
export function Parameters(
  { sheet, known, change }: { sheet: Sheet; /** The tables are. */ known: boolean;
    change: (values: Record<string, string>) => void },
) {
  const statements = sheet.cells.map(c => c.sql), all = parametersIn(statements);
  if (!all.length) return null;
  return <fieldset class="parameters">
    <legend class="hidden">Parameters</legend>
    {all.map(p =>
      <label key={p} class="pick">
        <span>${p}</span>
        <input value={sheet.values[p] ?? ""} placeholder="a number or a text" list={`values-${p}`} onInput={e =>
          change({ ...sheet.values, [p]: e.currentTarget.value })} />
        <Proposed name={p} statements={known ? statements : []} />
      </label>
    )}
  </fieldset>;
}

function Proposed({ name, statements }: { name: string; statements: string[] }) {
  const values = useAsked(async () => {
    for (const { table, column } of comparedWith(statements, name)) {
      const own = (await columnsOf(table))?.find(c => c.name.toLowerCase() === column.toLowerCase());
      const found = own && await valuesOf(table, own.name);
      if (found) return found;
    }
    return [];
  }, [name, statements.join("\0")]);
  return <datalist id={`values-${name}`}>{values.data?.map(v => <option key={v} value={v} />)}</datalist>;
}

/** Saves a sheet with its results as one page. */
export function SaveSheet({ sheet }: { sheet: Sheet }) {
  const [busy, setBusy] = useState(false);
  const [error, fail] = useState<Failure>();
  const save = async () => {
    setBusy(true);
    fail(undefined);
    try {
      const { report } = await part(() => import("./report"));
      download(`${titleOf(sheet).replace(/[^\w -]+/g, " ").trim() || "sheet"}.html`, "text/html", await report(sheet));
    } catch (e) {
      fail(asFailure(e));
    }
    setBusy(false);
  };
  return <>
    <button class="quiet" disabled={busy} title="Statements, rows and charts in one file" onClick={() => {
      void save();
    }}>
      {busy ? "Saving…" : "Save as page"}
    </button>
    {error && <Notice error={error} />}
  </>;
}

