import assert from "node:assert/strict";
import test from "node:test";
import { leftWords } from "../src/ui/left";
import type { Quota } from "../src/types";

const quota = (limit: number | null, result: number, scan = 0, left = limit! - Math.max(result, scan)): Quota => ({
  user: "ann", day: "2026-01-01", resets_at: "2026-01-02T00:00:00Z", result_bytes: result, scan_bytes: scan,
  reserved_bytes: 0, daily_bytes_limit: limit, running: 0, running_limit: null,
  remaining: { quota_bytes: limit === null ? null : left, session_bytes: null } });

test("what is left of a quota is told where a request comes near it, and a refusal before it comes", () => {
  const of = (q: Quota, billed: number | null, result: number | null) =>
    leftWords(q, { estimated_billed_bytes: billed, estimated_result_bytes: result })?.replace(/until.*/, "until");
  assert.equal(of(quota(null, 0), 9e9, 9e9), undefined); // no quota
  assert.equal(of(quota(1000, 0), 0, 500), undefined);
  assert.equal(of(quota(1000, 0), 0, 501), "1.0 kB of 1.0 kB are left today.");
  assert.equal(of(quota(1000, 400), 0, 600), "600 bytes of 1.0 kB are left today.");
  assert.equal(of(quota(1000, 400), 0, 601), "600 bytes of 1.0 kB are left today, and this may take 601 bytes: it will be refused until");
  assert.equal(of(quota(1000, 0, 400), 601, 1), "600 bytes of 1.0 kB are left today, and this may take 601 bytes: it will be refused until");
  assert.equal(of(quota(1000, 999), 0, null), "1 bytes of 1.0 kB are left today: it will be refused until");
  assert.equal(of(quota(1000, 998), 0, null), "2 bytes of 1.0 kB are left today: a larger result is cut there, or refused.");
  assert.equal(of(quota(1000, 1000), 0, 0), "0 bytes of 1.0 kB are left today."); // nothing is wanted
  assert.equal(of(quota(1000, 1000), 900, 0), "0 bytes of 1.0 kB are left today."); // bytes that are billed are counted by themselves
});
