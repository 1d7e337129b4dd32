import assert from "node:assert/strict";
import test from "node:test";

test("texts take values, numbers choose forms, and a language takes the place of English", async () => {
  Object.assign(globalThis, { location: { search: "?lang=marked" } });
  const { frame } = await import("../src/texts/en/frame");
  const { say } = await import("../src/texts/say");
  const { plural } = await import("../src/format");
  assert.equal(say(frame.ofTables, { found: 2, all: "{all}" }), "[2 of {all} tables]");
  assert.equal(plural(1, frame.daysAgo), "[1 day ago]");
  assert.equal(plural(2000, frame.daysAgo), "[2,000 days ago]");
  assert.equal(plural(2, { other: "{n} or more" }), "2 or more");
});
