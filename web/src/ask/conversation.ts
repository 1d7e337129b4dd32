// What a conversation is on the screen, and how events change it.
import { asFailure } from "../use";
import { Failure } from "../api";
import type { AgentChart, AgentEvent, AgentRecord, Answer, Attached, Frame } from "./types";
import { ask as T } from "../texts/en/ask";
import { say } from "../texts/say";

export interface Said {
  who: "user" | "model";
  text: string;
  /** Files that came with it. */ files?: Attached[] | undefined;
  receipt?: string;
  note?: string;
  /** Tables and charts that came with it. */
  shows?: Show[];
  /** The model has gone on to something else. */
  done?: boolean;
  /** It was written anew, as figures of it were in no result. */
  withdrawn?: boolean;
}
/** A table or a chart: the nth of the conversation. */
export interface Show { what: "data" | "charts"; n: number }
export interface Step {
  /** Of a call that failed. */ why?: string | undefined;
  /** What the tool answered. */ answer?: string | undefined;
  /** The turn that made it, from 0. */ turn: number;
  id: string;
  tool: string;
  args: string;
  state: "running" | "done" | "failed";
  ms?: number | undefined;
  bytes?: number | undefined;
}

export interface Talk {
  id: string; said: Said[]; steps: Step[]; frames: Frame[]; charts: AgentChart[]; notes: string[];
  status: string;
  /** What the turn has shown so far. */
  pending?: Show[]; answer?: Answer; failure?: Failure;
  /** How many of the steps are of earlier turns. */
  before: number;
  /** Its last turn did not come to its end. */
  cut?: boolean;
}

export const empty: Talk = { id: "", said: [], steps: [], frames: [], charts: [], notes: [], status: "", before: 0 };

const reasons: Record<string, string> = {
  length: T.replyWasCutAt,
  refused: T.modelDeclines,
  calls: T.stoppedTooManyTool,
  tokens: T.stoppedConversationsTokens,
  budget:
    T.stoppedBudgetIsUsed +
      T.yourOperatorSetsBoth,
  time: T.stoppedTurnTookToo,
  loop: T.stoppedModelRepeatedItself,
  cancelled: T.stoppedByYou,
  failed: T.modelFailed,
};

/** The talk after an event. Texts grow at the last thing the model said. */
export function follow(t: Talk, e: AgentEvent): Talk {
  switch (e.type) {
    case "begin":
      return { ...t, id: e.conversation ?? t.id, status: T.thinking, before: t.steps.length };
    case "status":
      return { ...t, status: e.text ?? "" };
    case "partial":
      return last({ ...t, status: T.writing }, s => ({ ...s, text: s.text + (e.text ?? "") }));
    case "restart":
      return last(t, s => e.withdrawn && s.text ? { ...s, withdrawn: true, done: true } : { ...s, text: "" });
    case "tool_call":
      return { ...t, status: waitsFor({ tool: e.tool ?? "" }),
        said: t.said.map((s, i) => i === t.said.length - 1 && s.who === "model" ? { ...s, done: true } : s),
        steps: [...t.steps, { id: e.id ?? "", tool: e.tool ?? "", args: readable(e.arguments), state: "running",
          turn: turnsOf(t) - 1 }] };
    case "tool_result":
      return { ...t, status: waitsFor(t.steps.find(s => s.id !== e.id && s.state === "running")),
        steps: t.steps.map(s =>
          s.id === e.id && s.state === "running"
            ? { ...s, state: e.failed ? "failed" : "done", why: e.failed ? reasonOf(e.text) : undefined, ms: e.ms,
              bytes: e.bytes, answer: e.text } : s
        ) };
    case "data_frame":
      return e.table ? shows({ ...t, frames: [e.table, ...t.frames] }, { what: "data", n: t.frames.length }) : t;
    case "chart":
      return e.chart
        ? shows({ ...t, charts: [e.chart, ...t.charts] }, { what: "charts", n: t.charts.length }) : t;
    case "chart_rejected":
    case "notice":
      return { ...t, notes: [...t.notes, e.text ?? ""] };
    case "reply": {
      const a = e.answer!, why = a.reason === "end" ? undefined : reasons[a.reason] ?? a.detail;
      const said = t.said.filter(s => !(s.withdrawn && s.text === a.text)) // nothing took its place
        .map((s, i, all) => i === all.length - 1 && s.text === a.text ? { ...s, done: false } : s); // it is that reply
      const note = why && a.cost
        ? say(a.reserved_tokens ? T.whatTurnDidCostAtMost : T.whatTurnDidUntil, { why, cost: a.cost.toFixed(4) }) : why;
      return {
        ...last(
          { ...t, said },
          s => ({ ...s, text: a.text || s.text, ...(t.pending?.length ? { shows: t.pending } : {}),
            ...(a.receipt ? { receipt: a.receipt } : {}), ...(note ? { note } : {}) }),
        ),
        id: a.conversation,
        answer: a,
        status: "",
        pending: [],
      };
    }
    case "error":
      return { ...t, status: "",
        failure: e.error
          ? new Failure(500, e.error.error, e.error.message, e.error.kind, e.error.hint, [], {}, e.error.request_id)
          : asFailure(T.turnFailed) };
  }
  return t;
}

/** What a turn does: a step of it runs, or the model thinks. */
const waitsFor = (running: { tool: string } | undefined) =>
  running ? say(T.runs, { tool: running.tool || T.tool }) : T.thinking;

const turnsOf = (t: Talk) => t.said.filter(s => s.who === "user").length;

/** Notes what is shown: it is in the answer of the turn. */
const shows = (t: Talk, show: Show): Talk => ({ ...t, pending: [...t.pending ?? [], show] });

/** What a tool said of why it failed. */
function reasonOf(text: string | undefined): string {
  try {
    const said = JSON.parse(text ?? ""), e = said.error?.message ? said.error : said;
    return unmarked([e.message ?? e.error, e.hint].filter(s => typeof s === "string" && s).join(". "));
  } catch { return unmarked(text ?? ""); }
}

/** Calls of a turn that failed, and after which the same tool had no success: the answer may not know of them. */
export const failedIn = (steps: Step[], turn: number) =>
  [...new Map(steps.filter(s => s.turn === turn).map(s => [s.tool, s])).values()].filter(s => s.state === "failed");

/** A text without the marks that tell a model what in it is data. */
export const unmarked = (text: string) => text.replace(/<\/?data-[0-9a-f]{12}>/g, "");

function last(t: Talk, change: (s: Said) => Said): Talk {
  const end = t.said.at(-1);
  return end?.who === "model" && !end.done ? { ...t, said: [...t.said.slice(0, -1), change(end)] }
    : { ...t, said: [...t.said, change({ who: "model", text: "" })] };
}

// Tools whose answers are rows, which a receipt lists.
const rowTools = new Set(["send_data_to_ui_as_df", "send_chart_to_ui", "add_result", "query", "query_remote",
  "catalog_sample", "table_query", "table_read_rows", "table_stats"]);

/** What was said in the first turns. */
export function saidBefore(said: Said[], turns: number): Said[] {
  const end = said.findIndex(s => s.who === "user" && turns-- === 0);
  return end < 0 ? said : said.slice(0, end);
}

/** A conversation as its log has it. shown: what results with tables and charts have shown, as far as it is here. */
export function recall(id: string, records: AgentRecord[], shown = new Map<string, AgentEvent | undefined>()): Talk {
  let t: Talk = { ...empty, id }, turns = 0, rests = false, doubted = -1, better = false;
  const args = new Map<string, string>();
  const end = () => { if (t.pending?.length) t = { ...last(t, s => ({ ...s, shows: t.pending! })), pending: [] }; };
  for (const r of records) {
    if (r.type === "user_message") {
      end();
      t = { ...t, said: [...t.said, { who: "user", text: r.text ?? "", files: r.files }] };
    }
    if (r.type === "assistant_message") {
      if (r.text) t = { ...t, said: [...t.said, { who: "model", text: r.text }] };
      better = !!r.text && r.stop === "end";
      for (const c of r.tool_calls ?? []) args.set(c.id, c.function?.arguments ?? "");
    }
    if (r.type === "untraced") [doubted, better] = [t.said.length - 1, false];
    if (r.type === "tool_result") {
      rests ||= !r.failed && rowTools.has(r.tool ?? "");
      t = { ...t,
        steps: [...t.steps, { id: r.tool_call_id ?? "", tool: r.tool ?? "", args: args.get(r.tool_call_id ?? "") ?? "",
          state: r.failed ? "failed" : "done", why: r.failed ? reasonOf(r.content) : undefined, ms: r.ms,
          bytes: r.bytes, answer: r.content, turn: turnsOf(t) - 1 }] };
      const e = r.shown && r.message_id ? shown.get(r.message_id) : undefined;
      if (e) t = follow(t, e);
      else if (r.shown && r.message_id && shown.has(r.message_id))
        t = { ...t, notes: [...t.notes, T.oldTableOrChart] };
    }
    if (r.type === "turn_end") {
      const note = r.reason === "end" ? undefined : reasons[r.reason ?? ""];
      turns++;
      if (r.text) t = { ...t, said: [...t.said, { who: "model", text: r.text }] };
      if (doubted >= 0 && (better || r.text)) t.said[doubted] = { ...t.said[doubted]!, withdrawn: true };
      doubted = -1;
      if (rests) t = last(t, s => ({ ...s, receipt: `${id}-${turns}` }));
      rests = false;
      if (note) t = last(t, s => ({ ...s, note }));
      end();
    }
  }
  return t;
}

function readable(args: unknown): string {
  return typeof args === "string" ? args : args === undefined ? "" : JSON.stringify(args);
}
