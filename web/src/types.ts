// The shapes of package api that the page reads.

import type { Step } from "./api";

export interface Identity { user: string; admin: boolean }

export interface Table {
  id: string; name: string; description: string; source_type: string; query_mode: string; sql_flavor: string;
  where_examples: string[]; fetch_via: string; rough_size_hint: string | null;
  row_count: number | null; size_bytes: number | null; as_of?: string; row_rule?: boolean;
}

export interface Column { name: string; type: string; nullable: boolean; description?: string; fields?: Column[];
  /** What is shown in place of its values. */ masked?: string }

export interface Schema {
  table_id: string; source_type: string; sql_flavor: string; description?: string;
  columns: Column[]; pseudo_columns?: Column[]; partition_by: string[]; clustered_by: string[];
  row_count: number | null; estimated_row_count?: number; size_bytes: number | null; file_format?: string;
  as_of?: string; row_rule?: boolean; notes?: WrittenNote[];
}

/** What somebody wrote of a table, a column or a term; api.Note in Go. */
export interface WrittenNote { id: string; table_id?: string; column?: string; term?: string; text: string;
  author: string; at: string }

/** What tables mean, as far as the page tells it; api.SemanticModel in Go. */
export interface Model { tables: { name: string; table_id?: string }[];
  metrics: { name: string; label?: string; description?: string; table?: string; inner?: boolean; unclear?: string }[] }

export interface Sample {
  table_id: string;
  columns: string[];
  rows: Record<string, Value>[];
  row_rule?: boolean;
  caveats: Caveat[];
}

/** A value as JSON carries it. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** Some of the tables; columns: those in which the words of a search are. */
export interface PageTables {
  tables: (Table & { columns?: string[] })[];
  from: number;
  found: number;
  all: number;
  types: Facet[];
  groups: Facet[];
  caveats: Caveat[];
}
/** A dashboard of the instance; api.Dashboard in Go. */
export interface InstanceDashboard { id: string; name: string; tables: string[]; sheet?: unknown; problem?: string }
/** How many tables have something in common; api.PageFacet in Go. */
export interface Facet { name: string; tables: number }

/** What a browser's sign-in is; its secrets are not in it. */
export interface SignIn {
  id: string;
  user: string;
  browser: string;
  created_at: string;
  expires_at: string;
  last_used_at: string;
  current?: boolean;
}

/** A machine that asks to be signed in; api.Device in Go. */
export interface Device { name: string; address: string; /** This browser has another address. */ elsewhere: boolean;
  asked_at: string; token_ends_at: string }

/** What a server offers to who is not signed in. */
export interface About { sign_in: "token" | "link"; provider?: string; desk?: boolean; version: string; page: string }

export interface Quota {
  user: string; day: string; resets_at: string; result_bytes: number; scan_bytes: number; reserved_bytes: number;
  daily_bytes_limit: number | null; running: number; running_limit: number | null;
  remaining: { quota_bytes: number | null; session_bytes: number | null };
}

export interface PageColumn { name: string; type: string; numeric: boolean; /** All are years. */ years?: boolean }

/** What to know to read a result rightly; api.Caveat in Go. */
export interface Caveat { kind: string; text: string; reason?: string; next?: Step[] }

/** The first rows of a result. */
export interface PageRows {
  columns: PageColumn[];
  rows: Value[][];
  shown: number;
  more: boolean;
  caveats: Caveat[];
  elapsed_ms?: number;
}

/** A whole result that the server keeps; api.KeptResult in Go. */
export interface KeptResult { id: string; columns: PageColumn[]; rows: number; bytes: number; kept_until: string;
  caveats: Caveat[]; elapsed_ms: number }
/** A window of a part of it, which has so many rows. */
export interface ResultRows extends PageRows { found: number }

/** Why rows are missing at the end of a result that its server cut; undefined: it cut nothing. */
export const cutBy = (r: { caveats?: Caveat[] }): Caveat | undefined => r.caveats?.find(c => c.kind === "cut");

export interface Estimate {
  estimated_scan_bytes: number | null;
  estimated_billed_bytes: number | null;
  estimated_result_rows: number | null;
  rows_low: number | null;
  rows_high: number | null;
  estimated_result_bytes: number | null;
  bq_cost_estimate_usd: number | null;
  table_rows: number | null;
  rows_upper_bound: number | null;
  exceeds_max_limit: boolean | null;
  cut_by: { key: string; limit: number; unit: string } | null;
}
/** What a statement would read. */
export interface QueryPrice {
  tables: string[];
  estimated_scan_bytes: number | null;
  estimated_billed_bytes: number | null;
  bq_cost_estimate_usd: number | null;
}
/** A snapshot of this machine; api.PageSnapshot in Go. */
export interface PageSnapshot {
  name: string;
  table_id: string;
  rows: number;
  bytes: number;
  columns: string[];
  select: string[] | null;
  where: string | null;
  limit: number | null;
  fetched_at: string;
  pinned: boolean;
  note?: string;
  tags?: string[];
  file?: string;
  earlier: boolean;
  damage?: string;
  caveats: Caveat[];
}
/** What is asked for as a file; api.PageFile in Go, without its format. */
export interface Whole { sql?: string; scan?: object; here?: boolean; fetch?: boolean; result?: string; part?: object }
export interface DeskPlan {
  tables: { table_id: string; from: string; select?: string[]; where?: string; local?: string[];
    reuse?: { snapshot: string; part?: boolean }; estimate: Estimate | null }[];
}
