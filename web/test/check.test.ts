import assert from "node:assert/strict";
import test from "node:test";
import { aboutOf, auditColumns, auditRow, isLook, outcomeOf, tablesOf, type AuditEvent } from "../src/check/types";

test("what an open page asks for by itself is a look, and what people read or change is none", () => {
  const look = (event_type: string, action?: string) =>
    isLook({ event_type, event_data: { action } as Parameters<typeof isLook>[0]["event_data"] });
  assert.deepEqual(["drafts", "draft", "diff", "events", "list", "upload", "download", "delete", "apply", "edit"].map(a =>
    look("file", a)), [true, true, true, true, true, false, false, false, false, false]);
  assert.deepEqual([look("catalog_list"), look("fetch_estimate"), look("remote_query"), look("admin_change", "list")],
    [true, true, false, false]);
});

test("what was cut, stopped, forbidden or wrong is told apart", () => {
  const of = (status: string, error_kind: string | null = null, error_code?: string) =>
    outcomeOf({ status, error_kind, error_code } as AuditEvent["event_data"]).text;
  assert.deepEqual([of("ok"), of("truncated"), of("stopped", null, "interrupted"), of("stopped", "stopped_by_admin", "forbidden"),
    of("rejected", "rbac", "forbidden"), of("rejected", "validator"), of("error", "timeout"), of("error", "source"), of("error", null, "interrupted")],
    ["ok", "cut", "stopped by its user", "stopped by an admin", "forbidden", "refused", "took too long", "failed", "stopped by its user"]);
  assert.deepEqual(outcomeOf({ status: "stopped", error_kind: null, actual_result_rows: 3 } as AuditEvent["event_data"]).text, "read in part");
  const event_data = { status: "ok", tables: ["a", "b"], actual_result_rows: 0 } as AuditEvent["event_data"];
  const row = auditRow({ id: 1, at: "t", request_id: "r", event_type: "remote_query", user_email: "ann", table_id: "", event_data });
  assert.equal(row.length, auditColumns.length);
  assert.deepEqual([row[4], row[9], row[10]], ["a, b", 0, null]);
});

test("only tables are told as tables", () => {
  const of = (e: object) => tablesOf({ table_id: "", event_data: {}, ...e } as AuditEvent);
  assert.equal(of({ event_data: { action: "chat", subject: "c4f2" } }), "");
  assert.equal(of({ event_data: { tables: ["a", "b"] } }), "a, b");
  assert.equal(aboutOf({ table_id: "", event_data: { subject: "f1", file_name: "a.csv" } } as AuditEvent), "a.csv");
});
