import assert from "node:assert/strict";
import test from "node:test";
import { isLook } from "../src/check/types";

test("what an open page asks for by itself is a look, and what people read or change is none", () => {
  const look = (event_type: string, action?: string) =>
    isLook({ event_type, event_data: { action } as Parameters<typeof isLook>[0]["event_data"] });
  assert.deepEqual(["drafts", "draft", "diff", "events", "list", "upload", "download", "delete", "apply", "edit"].map(a =>
    look("file", a)), [true, true, true, true, true, false, false, false, false, false]);
  assert.deepEqual([look("catalog_list"), look("fetch_estimate"), look("remote_query"), look("admin_change", "list")],
    [true, true, false, false]);
});
