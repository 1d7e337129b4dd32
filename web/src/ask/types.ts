// The shapes of package agent.
import type { Caveat, Value } from "../types";

export interface Frame {
  logical_name: string;
  sql: string;
  columns: string[];
  column_types: string[];
  rows: Value[][];
  rows_total: number | null;
  caveats?: Caveat[];
}
export interface AgentChart {
  logical_name: string;
  sql: string;
  chart_type: string;
  title?: string;
  note?: string;
  x_field: string;
  x_label?: string;
  y_label?: string;
  series: { name: string; y_field: string }[];
  data: Frame;
}
export interface Answer {
  conversation: string; text: string; reason: string; detail?: string; tool_calls: number;
  cost: number | null; total_cost: number | null; total_tokens: number;
  /** Of these, what replies that broke off may have taken. */ reserved_tokens?: number; receipt?: string;
}
export interface AgentEvent {
  type: string;
  seq: number;
  text?: string;
  /** Of a restart: the whole answer so far is withdrawn. */ withdrawn?: boolean;
  conversation?: string;
  id?: string;
  tool?: string;
  arguments?: unknown;
  failed?: boolean;
  bytes?: number;
  ms?: number;
  answer?: Answer;
  table?: Frame;
  chart?: AgentChart;
  error?: { error: string; message: string; hint?: string; kind?: string; request_id?: string };
}
export interface Conversation {
  id: string;
  begun: string;
  last: string;
  question: string;
  title?: string;
  turns: number;
  tool_calls: number;
  tokens: number;
  open: boolean;
  shared?: boolean;
  /** The conversation whose first turns it begins with. */ from?: { conversation: string; turns: number };
}
export interface Limits {
  max_tool_calls: number;
  max_turns: number;
  max_tokens: number;
  budget: number | null;
}
export interface Health {
  status: "ok" | "off";
  model?: string;
  limits: Limits | null;
}
export interface Kept {
  info: Conversation;
  records: AgentRecord[];
}
/** Where a figure stands, as closely as it is known; row counts from 0. */
export interface FigureCell { call: string; row: number; column: number }
/** What an answer rests on; receipt.Receipt in Go. */
export interface ReceiptOf {
  at: string;
  model: string;
  figures: { text: string; calls: string[] | null; asked?: "question" | "call"; worked_out?: string;
    cell?: FigureCell }[];
  results: { call: string; tool: string; arguments: { sql?: string }; local: boolean; sha256: string; rows: number;
    caveats?: Caveat[];
    saved?: { name: string; question: string; approved_by?: string; changed?: string[] };
    inputs?: { snapshot?: string; file?: string; version?: string; table_id?: string; rows?: number;
      content_hash: string; as_of: string }[] }[];
}
/** A file that came with a message; conversation.File in Go. */
export interface Attached { id?: string; name: string }
/** One line of a conversation's log. */
export interface AgentRecord {
  type: string;
  files?: Attached[];
  message_id?: string;
  text?: string;
  /** What a tool answered. */
  content?: string;
  tool_calls?: { id: string; function?: { name: string; arguments: string } }[];
  tool?: string;
  failed?: boolean;
  bytes?: number;
  ms?: number;
  reason?: string;
  /** Why the model ended a message. */ stop?: string;
  receipt?: string;
  tool_call_id?: string;
  shown?: boolean;
}
