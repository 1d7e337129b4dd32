// What a tool answered: its rows, or its text; and its statement as a sheet of one's own.
import { useMemo } from "preact/hooks";
import { count } from "../format";
import { isNumber } from "../values";
import { addressOf, newSheet, type Cell, type Where } from "../sql/sheets";
import { Grid, type Place } from "../ui/grid";
import { Warnings } from "../ui/notice";
import { here } from "../ui/rows";
import type { Caveat, Value } from "../types";
import { unmarked, type Step, type Talk } from "./conversation";
import { ask as T } from "../texts/en/ask";
import { say } from "../texts/say";

interface Answered { columns: string[]; column_types?: string[]; rows: Value[][]; rows_total?: number | null;
  caveats?: Caveat[] }

/** The rows of an answer, if it is some. */
export function rowsOf(answer: string | undefined): Answered | undefined {
  try {
    const a = JSON.parse(answer ?? "") as Answered;
    return Array.isArray(a.columns) && Array.isArray(a.rows) && a.rows.every(Array.isArray) ? a : undefined;
  } catch {
    return undefined;
  }
}

/** The answer of a step; at: the cell that is looked for. */
export function StepAnswer({ step, at }: { step: Step; at?: Place | undefined }) {
  const a = useMemo(() => rowsOf(step.answer), [step.answer]);
  if (!a?.rows.length) {
    return <pre class="paper small" tabIndex={0} role="region" aria-label={say(T.answerOf, { tool: step.tool })}>
      {unmarked(step.answer ?? "")}
    </pre>;
  }
  const columns = a.columns.map((name, i) => ({ name, type: a.column_types?.[i] ?? "",
    numeric: isNumber(a.column_types?.[i] ?? "") }));
  return <>
    {a.rows_total != null && a.rows_total > a.rows.length &&
      <p class="soft small">{say(T.modelWasGivenOfRows,
        { rows: count(a.rows.length), rowsTotal: count(a.rows_total) })}</p>}
    <Warnings caveats={a.caveats} />
    <Grid name={say(T.rowsOf, { tool: step.tool })} columns={columns} rows={here(a.rows)} begin={at} />
  </>;
}

/** The statement of a step, and where it ran; none if it did not read tables. */
function statementOf(step: Step): { sql: string; where: Where } | undefined {
  try {
    const a = JSON.parse(step.args) as { sql?: unknown; path?: unknown; remote?: unknown; fetch?: unknown };
    if (typeof a.sql !== "string" || !a.sql.trim() || a.path || step.state === "failed") return undefined;
    const source = step.tool === "query_remote" || a.remote;
    return { sql: a.sql, where: source ? "source" : a.fetch ? "fetch" : "here" };
  } catch {
    return undefined;
  }
}

/** The address of a sheet with the statement of a step. */
export function sheetOf(step: Step): string | undefined {
  const s = statementOf(step);
  return s && addressOf(newSheet(s.sql, s.where), "sql");
}

/** The address of a sheet with all questions of a conversation, and the statements behind their answers. */
export function sheetOfAll(talk: Talk, name: string): string | undefined {
  const cells: Omit<Cell, "id">[] = [], places = new Set<Where>();
  let n = 0;
  for (const s of talk.said.filter(s => s.who === "user")) {
    const asked = talk.steps.filter(t => t.turn === n).map(statementOf)
      .filter((t, i, all) => t && all.findIndex(o => o?.sql === t.sql) === i);
    if (asked.length) cells.push({ name: `cell${cells.length + 1}`, sql: "", text: s.text });
    for (const t of asked) {
      cells.push({ name: `cell${cells.length + 1}`, sql: t!.sql });
      places.add(t!.where);
    }
    n++;
  }
  const where = places.has("fetch") || places.size > 1 ? "fetch" : [...places][0] ?? "source";
  return cells.length ? addressOf({ ...newSheet("", where, cells), name }, "sql") : undefined;
}
