// The shapes of package api that admins read.
export interface AuditEvent {
  id: number; at: string; request_id: string; event_type: string; user_email: string; table_id: string;
  event_data: {
    tables?: string[];
    actual_result_rows: number | null;
    actual_result_bytes: number | null;
    actual_scan_bytes: number | null;
    latency_ms: number;
    status: string;
    error_code?: string;
    error_kind: string | null;
    action?: string;
    subject?: string;
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

/** Events in words. */
export const eventNames: Record<string, string> = {
  catalog_list: "listed tables",
  catalog_schema: "read a schema",
  table_sample: "sampled",
  fetch_scan: "fetched",
  fetch_estimate: "priced",
  remote_query: "queried",
  table_sync: "synced",
  admin_change: "changed",
  sign_in: "signed in",
  file: "worked on a file",
  model: "asked the model",
};
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
