// What a sheet and its dashboard share: the fields of its parameters, and one file of all.
import { useState } from "preact/hooks";
import type { Failure } from "../api";
import { isNumber } from "../format";
import { asFailure, part, useAsked, useSettled } from "../use";
import { download } from "../ui/copy";
import { Notice } from "../ui/notice";
import { valuesOf, columnsOf } from "./known";
import { titleOf, type Sheet } from "./sheets";
import { comparedWith, parametersIn } from "./text";

/** A field for each parameter: of the type of the column that it is compared with, and with its values, if few. */
export function Parameters(
  { sheet, known, change, run }: { sheet: Sheet; /** The tables are. */ known: boolean;
    change: (values: Record<string, string>) => void; /** Those that read a parameter. */ run?: (of: string) => void },
) {
  const statements = sheet.cells.map(c => c.sql), all = parametersIn(statements);
  if (!all.length) return null;
  return <fieldset class="parameters">
    <legend class="hidden">Parameters</legend>
    {all.map(p =>
      <One key={p} name={p} value={sheet.values[p] ?? ""} statements={known ? statements : []} change={v =>
        change({ ...sheet.values, [p]: v })} run={() => run?.(p)} />
    )}
  </fieldset>;
}

function One({ name, value, statements, change, run }: { name: string; value: string; statements: string[];
  change: (value: string) => void; run: () => void })
{
  const settled = useSettled(statements.join("\0"), 400);
  const about = useAsked(async () => {
    let type = "";
    for (const { table, column } of comparedWith(settled.split("\0"), name)) {
      const own = (await columnsOf(table))?.find(c => c.name.toLowerCase() === column.toLowerCase());
      type ||= own?.type ?? "";
      const values = own && await valuesOf(table, own.name);
      if (values) return { type, values };
    }
    return { type, values: [] };
  }, [name, settled]);
  const { type = "", values = [] } = about.data ?? {}, day = /^date$/i.test(type) && /^(\d{4}-\d\d-\d\d)?$/.test(value);
  return <label class="pick">
    <span>${name}</span>
    <input name={`$${name}`} type={day ? "date" : "text"} value={value} list={`values-${name}`} spellcheck={false}
      inputMode={isNumber(type) ? "decimal" : "text"} title={type}
      placeholder={isNumber(type) ? "number" : /^time/i.test(type) ? "time" : type ? "text" : "value"}
      onInput={e => change(e.currentTarget.value)} onKeyDown={e => { if (e.key === "Enter") run(); }} />
    <datalist id={`values-${name}`}>{values.map(v => <option key={v} value={v} />)}</datalist>
  </label>;
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
    <button class="quiet" data-do="Export the sheet as a page" disabled={busy}
      title="Statements, rows and charts in one file" onClick={() => {
      void save();
    }}>
      {busy ? "Saving…" : "Save as page"}
    </button>
    {error && <Notice error={error} />}
  </>;
}

