// What a sheet and its dashboard share: the fields of its parameters, and one file of all.
import { useRef, useState } from "preact/hooks";
import type { Failure } from "../api";
import { isNumber } from "../values";
import { asFailure, part, useAsked, useSettled } from "../use";
import { download } from "../ui/copy";
import { Notice } from "../ui/notice";
import { Picker } from "../ui/picker";
import { valuesOf, columnsOf } from "./known";
import { titleOf, type Sheet } from "./sheets";
import { comparedWith, isList, literal, parametersIn } from "./text";
import { sql as T } from "../texts/en/sql";

/** The types of the columns that parameters are compared with; undefined until they are known. */
export function useTypes(statements: string[], known: boolean): Record<string, string> | undefined {
  const settled = useSettled(statements.join("\0"), 400), last = useRef<Record<string, string> | undefined>(undefined);
  const asked = useAsked(async () => {
    if (!known) return undefined;
    const all = settled.split("\0"), types: Record<string, string> = {};
    for (const p of parametersIn(all)) {
      for (const { table, column } of comparedWith(all, p)) {
        const columns = await columnsOf(table).catch(() => undefined);
        types[p] ||= columns?.find(c => c.name.toLowerCase() === column.toLowerCase())?.type ?? "";
      }
    }
    return types;
  }, [settled, known]);
  return last.current = asked.data ?? last.current; // while a statement is typed, what was known of it holds
}

/** A field for each parameter: of the type of the column that it is compared with, and with its values, if few. */
export function Parameters(
  { sheet, types, late, change, run }: { sheet: Sheet; /** A value counts once it is whole. */ late?: boolean;
    types: Record<string, string> | undefined;
    change: (values: Record<string, string>) => void;
    /** Those that read a parameter. */ run?: (of: string) => void },
) {
  const statements = sheet.cells.map(c => c.sql), all = parametersIn(statements);
  if (!all.length) return null;
  return <fieldset class="parameters">
    <legend class="hidden">{T.parameters}</legend>
    {all.map(p =>
      <One key={p} name={p} value={sheet.values[p] ?? ""} statements={types ? statements : []} type={types?.[p] ?? ""}
        late={late} change={v =>
        change({ ...sheet.values, [p]: v })} run={() => run?.(p)} />
    )}
  </fieldset>;
}

function One({ name, value, statements, type, late, change, run }: { name: string; value: string;
  statements: string[]; type: string; late: boolean | undefined; change: (value: string) => void; run: () => void })
{
  const [typed, write] = useState<string>(), now = typed ?? value;
  const whole = (e: Event) => {
    const { value: v } = e.currentTarget as HTMLInputElement;
    if (v !== value) change(v);
    write(undefined);
  };
  const settled = useSettled(statements.join("\0"), 400), list = isList(statements, name);
  const values = useAsked(async () => {
    for (const { table, column } of comparedWith(settled.split("\0"), name)) {
      const own = (await columnsOf(table))?.find(c => c.name.toLowerCase() === column.toLowerCase());
      const values = own && await valuesOf(table, own.name);
      if (values) return values;
    }
    return [];
  }, [name, settled]).data ?? [];
  const day = /^date$/i.test(type) && !list && /^(\d{4}-\d\d-\d\d)?$/.test(now);
  const what = isNumber(type) ? T.number : /^time/i.test(type) ? T.time : type ? T.text : T.value;
  // A list proposes what may come behind its last comma.
  const before = list ? now.replace(/[^,]*$/, "") : "";
  const proposed = (v: string) => before + (list && /[,'"]/.test(v) ? literal({ text: v, number: false }, false) : v);
  return <><label class="pick">
    <span>${name}</span>
    <input name={`$${name}`} type={day ? "date" : T.text} value={now} list={`values-${name}`} spellcheck={false}
      inputMode={isNumber(type) && !list ? "decimal" : T.text} title={type} placeholder={list ? `${what}, …` : what}
      onInput={e => late ? write(e.currentTarget.value) : change(e.currentTarget.value)} onChange={whole} onBlur={whole}
      onKeyDown={e => {
        if (e.key !== "Enter") return;
        whole(e);
        run();
      }} />
    <datalist id={`values-${name}`}>{values.map(v => <option key={v} value={proposed(v)} />)}</datalist>
  </label>
    {now !== value && <span class="soft small" role="status">{T.enterApplies}</span>}
    {!day && !list && <Picker of={`$${name}`} type={type} value={value} set={change} />}</>;
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
    <button class="quiet" data-do={T.exportSheetAsPage} disabled={busy}
      title={T.statementsRowsAndCharts} onClick={() => {
      void save();
    }}>
      {busy ? T.saving : T.saveAsPage}
    </button>
    {error && <Notice error={error} />}
  </>;
}

