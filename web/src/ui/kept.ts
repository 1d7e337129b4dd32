// A result that the server keeps whole while it is looked at.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Failure } from "../api";
import { useKept } from "../store";
import { asFailure, useAsked } from "../use";
import { inTurn } from "../turns";
import { step, Windows } from "./rows";
import type { Choice, Groups } from "../chart/choice";
import type { Part } from "./arrange";
import type { KeptResult, ResultRows, Whole } from "../types";

interface State { result?: KeptResult; error?: Failure; stop?: AbortController | undefined }

export interface Kept extends State {
  /** Brings all rows; they are of now, and may be others than those that are shown. */
  bring: () => void;
}

/** id: of the result in the store; at once: bring all rows without being asked, as they cost nothing. */
export function useWhole(id: string, whole: Whole | undefined, atOnce: boolean): Kept {
  const [state, set] = useKept<State>("whole " + id, {});
  const bring = () => {
    const stop = new AbortController();
    set({ stop });
    const bring = () => ask<KeptResult>("POST", "/api/page/results", whole, stop.signal);
    inTurn(stop.signal, bring).then(result => set({ result }), e => set({ error: asFailure(e) }));
  };
  useEffect(() => {
    if (atOnce && whole && !state.result && !state.error && !state.stop) bring();
  }, [id, atOnce]);
  return { ...state, bring };
}

export const partOf = (of: KeptResult, part: Part, from: number, limit: number, signal: AbortSignal) =>
  ask<ResultRows>("POST", `/api/page/results/${of.id}/rows`, { from, limit, part }, signal);

/** Figures of a part for a chart, whose columns are at these places. */
export async function groupsOf(of: KeptResult, part: Part, c: Choice, places: number[]): Promise<Groups> {
  const at = (i: number) => i < 0 ? -1 : places[i]!;
  return ask<Groups>("POST", `/api/page/results/${of.id}/groups`,
    { part, x: at(c.x), y: c.how === "count" ? -1 : at(c.y), by: at(c.by), how: c.how, bins: c.bins });
}

/** The rows of a part of a kept result; until they come, those of the part before. */
export function useWindows(of: KeptResult | undefined, part: Part) {
  const [, turn] = useState(0), last = useRef<Windows>(undefined);
  const made = useAsked(async signal => {
    if (!of) return undefined;
    const first = await partOf(of, part, 0, step, signal);
    return new Windows(first.found, async (from, limit, signal) => (await partOf(of, part, from, limit, signal)).rows,
      () => turn(n => n + 1), first.rows);
  }, [of?.id, JSON.stringify(part)]);
  if (made.data) last.current = made.data;
  const rows = of && !made.error ? last.current : undefined; // not those of another part below what is wrong
  return { rows, error: made.error ?? (rows?.error ? asFailure(rows.error) : undefined), loading: made.loading };
}
