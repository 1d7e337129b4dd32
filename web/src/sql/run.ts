// Runs of statements: what was asked for last of each cell, and what came of it.
import { ask, Failure } from "../api";
import { asFailure } from "../use";
import { placeOf } from "../ui/pointer";
import { nameOf, pieces } from "./text";
import type { Where } from "./sheets";
import type { DeskPlan, PageRows, QueryPrice } from "../types";

let latest = 0; // the time of the last result, which identifies it

export interface Run {
  sql?: string; where?: Where; at?: string; rows?: PageRows; plan?: DeskPlan; price?: QueryPrice; error?: Failure;
  /** As it was written, without values. */ text?: string;
  stopped?: boolean; stop?: AbortController | undefined;
}

export const query = async (sql: string, where: Where, signal: AbortSignal) => where === "source"
  ? ask<PageRows>("POST", "/api/page/query", { sql }, signal)
  : ask<PageRows>("POST", "/api/page/desk/query", { sql, fetch: where === "fetch" }, signal);

export const explain = async (sql: string, where: Where, signal: AbortSignal): Promise<Partial<Run>> =>
  where === "source"
    ? { price: await ask<QueryPrice>("POST", "/api/page/price", { sql }, signal) }
    : { plan: await ask<DeskPlan>("POST", "/api/page/desk/plan", { sql }, signal) };

const replaced = new WeakSet<AbortController>();

/**
 * Asks for something of a statement, tells each state of it, and returns whether it came to an end. It takes the place
 * of the run before, which is stopped and tells nothing more.
 */
export async function begin(sql: string, where: Where, stop: AbortController, before: Run, set: (r: Run) => void,
  ask: () => Promise<Partial<Run>>): Promise<boolean>
{
  if (before.stop) {
    replaced.add(before.stop);
    before.stop.abort();
  }
  const tell = (r: Run) => {
    if (!replaced.has(stop)) set(r);
  };
  tell({ stop, sql, where });
  // A run that is stopped, or that the line has lost, takes nothing away.
  const { stop: _, stopped: __, error: ___, ...rest } = before, last = before.rows ? rest : { sql, where };
  try {
    const made = await ask();
    tell({ sql, where, at: String(latest = Math.max(Date.now(), latest + 1)), ...made });
    return true;
  } catch (e) {
    const error = asFailure(e);
    tell(stop.signal.aborted ? { ...last, stopped: true } : error.status ? { sql, where, error } : { ...last, error });
    return false;
  }
}

/** The words of a statement that an error is about, by what it says of them. */
export function mistakeIn(sql: string, error: Failure): { from: number; to: number } | undefined {
  const all = pieces(sql), at = placeOf(sql, error);
  if (at >= 0) {
    const p = all.find(p => at >= p.from && at < p.to) ?? all.at(-1);
    return p && { from: p.from, to: p.to };
  }
  const said = [error.details.table_id, error.details.column_name, /["'`]([^"'`]+)["'`]/.exec(error.message)?.[1]];
  for (const name of said) {
    const p = typeof name === "string" &&
      all.find(p => /^(word|name|parameter)$/.test(p.kind) && nameOf(p).toLowerCase() === name.toLowerCase());
    if (p) return { from: p.from, to: p.to };
  }
  return undefined;
}

/** What may have been meant in the place of a mistake. */
export function suggestionsOf(error: Failure): string[] {
  const s = error.details.suggestions;
  return Array.isArray(s) ? s.filter((x): x is string => typeof x === "string").slice(0, 5) : [];
}
