// The shapes of package api that admins read.
import type { Value } from "../types";
import { check as T } from "../texts/en/check";

export interface AuditEvent {
  id: number; at: string; request_id: string; event_type: string; user_email: string; table_id: string;
  event_data: {
    tables?: string[];
    actual_result_rows: number | null;
    actual_result_bytes: number | null;
    actual_scan_bytes: number | null;
    latency_ms: number | null;
    status: string;
    error_code?: string;
    error_kind: string | null;
    action?: string;
    subject?: string;
    /** Of the file whose id is the subject. */ file_name?: string;
    select?: string[];
    limit: number | null;
    where_hash: string | null;
    statement_hash?: string;
    estimated_scan_bytes: number | null;
    client_agent?: string;
    session?: string;
    cost?: number;
  };
}
export interface Grant {
  id: number;
  user?: string;
  group?: string;
  table_id: string;
  columns: string[] | null;
  rows: string;
  masks?: Record<string, string>;
  created_at: string;
  created_by: string;
}
export interface User {
  id: number;
  name: string;
  admin: boolean;
  groups: string[];
}
/** What a user, or each member of a group, may use in place of what everybody may. */
export interface QuotaRule { user?: string; group?: string; daily_bytes: number | null; running: number | null }
export interface Group { name: string; members: string[] }
export interface Token {
  id: string;
  user: string;
  prefix: string;
  note?: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}
export interface SourceState {
  name: string;
  source_type: string;
  status: string;
  failure: { message: string; hint?: string } | null;
}

/** Whether an event is a look that changes nothing and reads no rows: a page that is open makes many of these. */
export const isLook = ({ event_type, event_data: { action = "" } }: Pick<AuditEvent, "event_type" | "event_data">) =>
  /^(catalog_list|catalog_schema|fetch_estimate)$/.test(event_type) ||
  event_type === "file" && /^(drafts?|diff|events|list|forms)$/.test(action);

/** How a request can end, in words. */
export const outcomes: Record<string, [name: string, tone: string]> = { ok: [T.ok, ""], truncated: [T.cut, "warn"],
  stopped: [T.stopped, "warn"], rejected: [T.refused, "bad"], quota_exceeded: [T.overQuota, "bad"],
  error: [T.failed, "bad"] };

/** What is forbidden is told apart from what is wrong, and by whom a request was stopped. */
export function outcomeOf({ status, error_kind, error_code, actual_result_rows }: AuditEvent["event_data"]) {
  // An event of an earlier version has only the code.
  if (error_code === "interrupted") status = "stopped";
  const [name, tone] = outcomes[status] ?? [status, "bad"];
  const text = error_kind === "rbac" ? T.forbidden : error_kind === "timeout" ? T.tookTooLong
    : status !== "stopped" ? name : error_kind ? T.stoppedByAdmin
    : actual_result_rows ? T.readInPart : T.stoppedByItsUser;
  return { text, tone };
}

/** Events in words. */
export const eventNames: Record<string, string> = {
  catalog_list: T.listedTables,
  catalog_schema: T.readSchema,
  table_sample: T.sampled,
  fetch_scan: T.fetched,
  fetch_estimate: T.priced,
  remote_query: T.queried,
  table_sync: T.synced,
  admin_change: T.changed,
  sign_in: T.signedIn,
  file: T.workedOnFile,
  model: T.askedModel,
};
export const whatOf = (e: AuditEvent) => e.event_data.action ?? eventNames[e.event_type] ?? e.event_type;
export const tablesOf = (e: AuditEvent) => e.table_id || (e.event_data.tables ?? []).join(", ");

/** What an event is about. */
export const aboutOf = (e: AuditEvent) => tablesOf(e) || e.event_data.file_name || e.event_data.subject || "";

export const auditColumns = ["at", "user", "event", "action", "about", "outcome", "status", "error_code", "error_kind",
  "rows", "bytes", "billed_bytes", "ms", "columns", "statement_mark", "condition_mark", "program", "request_id"].map(
  name => ({ name }));

/** An event as a line of a file. */
export function auditRow(e: AuditEvent): Value[] {
  const d = e.event_data;
  return [e.at, e.user_email, e.event_type, d.action, aboutOf(e), outcomeOf(d).text, d.status, d.error_code,
    d.error_kind, d.actual_result_rows, d.actual_result_bytes, d.actual_scan_bytes, d.latency_ms, d.select?.join(", "),
    d.statement_hash, d.where_hash, d.client_agent, e.request_id].map(v => v ?? null);
}

export interface RunningRequest {
  request_id: string;
  event_type: string;
  user: string;
  tables: string[];
  started_at: string;
  client_agent?: string;
  /** As its user wrote it. */ statement?: string;
}
export interface VisiblePart {
  through?: string;
  columns: string[] | null;
  rows: string;
  masks?: Record<string, string>;
}
export interface VisibleTable {
  table_id: string;
  public: boolean;
  whole: boolean;
  columns: string[] | null;
  parts: VisiblePart[];
}
