import assert from "node:assert/strict";
import test from "node:test";
import { Failure } from "../src/api";
import { empty, failedIn, follow, recall, saidBefore, type Step, type Talk } from "../src/ask/conversation";
import { nextQuestions } from "../src/ask/next";
import { versions } from "../src/ask/versions";
import { link, parse } from "../src/route";
import { placeOf } from "../src/ui/pointer";
import { inTurn } from "../src/turns";
import type { AgentEvent, AgentRecord, Answer, Conversation } from "../src/ask/types";

const after = (...events: Omit<AgentEvent, "seq">[]) =>
  events.reduce<Talk>((t, e, seq) => follow(t, { ...e, seq }), { ...empty,
    said: [{ who: "user" as const, text: "How many?" }] });

test("what the model says grows, and begins anew after a restart", () => {
  assert.deepEqual(after({ type: "partial", text: "Tw" }, { type: "partial", text: "o" }).said.map(s => s.text), [
    "How many?",
    "Two",
  ]);
  assert.equal(
    after({ type: "partial", text: "Thr" }, { type: "restart" }, { type: "partial", text: "Two" }).said.at(-1)!.text,
    "Two",
  );
});

test("an answer that was withdrawn is marked, unless no other took its place", () => {
  const records = (...more: AgentRecord[]) => recall("c", [{ type: "user_message", text: "How many?" },
    { type: "assistant_message", text: "12", stop: "end" }, { type: "untraced" }, ...more]).said
    .map(s => s.text + (s.withdrawn ? " (withdrawn)" : ""));
  const end = { type: "turn_end", reason: "end" };
  assert.deepEqual(records({ type: "assistant_message", text: "13", stop: "end" }, end), ["How many?", "12 (withdrawn)",
    "13"]);
  assert.deepEqual(records({ type: "assistant_message", text: "I look.", stop: "calls" }, end), ["How many?", "12",
    "I look."]);
  assert.deepEqual(records({ type: "turn_end", reason: "cancelled", text: "So" }), ["How many?", "12 (withdrawn)",
    "So"]);
});

test("an answer that is withdrawn while one looks stays to be seen, unless no other takes its place", () => {
  const live = (answer: string) =>
    after({ type: "partial", text: "12" }, { type: "restart", withdrawn: true, text: "12 is in no result" },
      { type: "reply", answer: { conversation: "c", reason: "end", text: answer } as Answer }).said.slice(1)
      .map(s => s.text + (s.withdrawn ? " (withdrawn)" : ""));
  assert.deepEqual([live("13"), live("12")], [["12 (withdrawn)", "13"], ["12"]]);
});

test("no share is proposed of what is no part of a sum", () => {
  const asked = (figure: string) => nextQuestions([{ logical_name: "t", sql: "", columns: ["origin", figure],
    column_types: ["VARCHAR", "DOUBLE"], rows: [["a", 1], ["b", 2]], rows_total: 2 }]).join(" ");
  assert.ok(/share of all flights/.test(asked("flights")));
  for (const figure of ["mean_delay", "avg delay", "max_delay", "p90"]) assert.ok(!/share/.test(asked(figure)));
});

test("a call is a step, and words after it are words of their own", () => {
  const t = after({ type: "begin", conversation: "c" }, { type: "partial", text: "I look." },
    { type: "tool_call", id: "a", tool: "query", arguments: { sql: "SELECT 1" } },
    { type: "tool_result", id: "a", failed: true, ms: 3 }, { type: "partial", text: "None." });
  assert.equal(t.id, "c");
  assert.deepEqual(t.steps.map(s => [s.id, s.tool, s.state]), [["a", "query", "failed"]]);
  assert.deepEqual(t.said.map(s => s.text), ["How many?", "I look.", "None."]);
});

test("what is said to go on is what goes on", () => {
  const call = (id: string, tool: string) => ({ type: "tool_call", id, tool, arguments: {} }),
    done = (id: string) => ({ type: "tool_result", id, ms: 3 });
  const status = (...events: Omit<AgentEvent, "seq">[]) => after({ type: "begin", conversation: "c" }, ...events).status;
  assert.equal(status(call("a", "query")), "query runs…");
  assert.equal(status(call("a", "query"), done("a")), "Thinking…");
  assert.equal(status(call("a", "query"), call("b", "find"), done("b")), "query runs…");
  assert.equal(status(call("a", "query"), done("a"), { type: "partial", text: "It" }), "Writing…");
});

test("a turn that is stopped while a tool runs repeats no words", () => {
  const t = after({ type: "begin", conversation: "c" }, { type: "partial", text: "I look." },
    { type: "tool_call", id: "a", tool: "query", arguments: {} },
    { type: "reply", answer: { conversation: "c", reason: "cancelled", text: "I look." } as Answer });
  assert.deepEqual(t.said.filter(s => s.who === "model").map(s => [s.text, s.note]), [["I look.", "Stopped by you."]]);
});

test("a call that failed for good is told beside the answer", () => {
  const call = (turn: number, tool: string, state: string) => ({ turn, tool, state, id: tool + turn }) as Step;
  const steps = [call(0, "write", "failed"), call(1, "query", "failed"), call(1, "write", "done"),
    call(1, "query", "done"), call(1, "write", "failed")];
  assert.deepEqual(failedIn(steps, 1).map(s => s.tool), ["write"]);
  assert.deepEqual(failedIn(steps, 2), []);
});

test("a turn that is stopped says what it cost", () => {
  const said = (cost: number | null, reason = "cancelled", reserved_tokens = 0) => after({ type: "reply",
    answer: { conversation: "c", text: "", reason, tool_calls: 0, cost, total_cost: cost, total_tokens: 9,
      reserved_tokens } as unknown as Answer }).said.at(-1)!.note;
  assert.equal(said(0.01234), "Stopped by you. What the turn did until then cost 0.0123.");
  assert.ok(said(0.1, "cancelled", 8192)!.startsWith("Stopped by you. The turn cost at most 0.1000: "));
  assert.equal(said(null), "Stopped by you.");
  assert.equal(said(0.01, "end"), undefined);
});

test("a place of the page is its address", () => {
  const at = link(["tables", "a/b c"], { where: "x = 'ä&b'", select: undefined });
  assert.deepEqual(parse(at).path, ["tables", "a/b c"]);
  assert.equal(parse(at).query.get("where"), "x = 'ä&b'");
  assert.deepEqual(parse("#/%zz").path, ["%zz"]);
});

test("a mistake is at its character, however it was counted", () => {
  const at = (details: object) =>
    placeOf("SELECT 'ä😀' FRM t", new Failure(400, "x", "x", "", "", [], details as Record<string, unknown>));
  assert.equal(at({ offset: 16 }), 13);
  assert.equal(at({ position: 13 }), 13);
  assert.equal(at({}), -1);
});

test("what the page runs of itself waits for its turn", async () => {
  const { signal } = new AbortController(), stopped = new AbortController(), done: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => new Promise<void>(end => ends.push(() => { done.push(name); end(); }));
  const all = [inTurn(signal, work("a")), inTurn(signal, work("b")), inTurn(stopped.signal, work("c")),
    inTurn(signal, work("d"))];
  assert.equal(ends.length, 2);
  stopped.abort();
  ends[0]!();
  await all[0];
  assert.ok(await all[2]!.then(() => false, () => true), "what was stopped is not done");
  assert.equal(ends.length, 3, "d has begun in its place");
  ends[1]!();
  ends[2]!();
  await Promise.all([all[1], all[3]]);
  assert.deepEqual(done, ["a", "b", "d"]);
});

test("questions that were asked anew are versions of one, whatever came of them later", () => {
  const talk = (id: string, turns: number, from?: [string, number]) => ({ id, turns, begun: id,
    ...(from ? { from: { conversation: from[0], turns: from[1] } } : {}) }) as Conversation;
  // b asks the second question of a anew, c that of b; d the first; e goes on behind the second of b.
  const all = [talk("a", 3), talk("b", 2, ["a", 1]), talk("c", 2, ["b", 1]), talk("d", 1, ["b", 0]),
    talk("e", 3, ["b", 2])];
  assert.deepEqual(versions(all, "a", 1), ["a", "b", "c"]);
  assert.deepEqual(versions(all, "c", 1), ["a", "b", "c"]);
  assert.deepEqual(versions(all, "c", 0), ["c", "d"], "the first question is that of a, b and c");
  assert.deepEqual(versions(all, "e", 1), ["a", "e", "c"], "e has the second question of b");
  assert.deepEqual(versions(all, "a", 2), ["a"]);
  assert.deepEqual(versions(all.slice(1), "b", 1), ["b", "c"], "a was deleted");
});

test("what was said in the first turns ends before the next question", () => {
  const said = [{ who: "user" as const, text: "1" }, { who: "model" as const, text: "one" },
    { who: "user" as const, text: "2" }, { who: "model" as const, text: "two" }];
  assert.deepEqual([0, 1, 2].map(n => saidBefore(said, n).length), [0, 2, 4]);
});
