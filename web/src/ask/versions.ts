// Conversations that began as others: which of them ask something else at one place.
import type { Conversation } from "./types";

/** The conversation in which the first turns of another one were said. */
function origin(all: Conversation[], id: string, turns: number): string {
  const seen = new Set<string>();
  for (let c = all.find(o => o.id === id); c?.from && turns <= c.from.turns && !seen.has(c.id);) {
    seen.add(c.id);
    id = c.from.conversation;
    c = all.find(o => o.id === id);
  }
  return id;
}

/** The conversations that share so many turns with one, and have another question behind them: the oldest first. */
export function versions(all: Conversation[], id: string, turns: number): string[] {
  const mine = origin(all, id, turns), found = new Map<string, Conversation>();
  for (const c of all) {
    if (c.turns <= turns || origin(all, c.id, turns) !== mine) continue;
    // Those that share this question, too, count once: as the one that is shown, or as the first of them.
    const key = origin(all, c.id, turns + 1), known = found.get(key);
    if (!known || c.id === id || known.id !== id && c.begun < known.begun) found.set(key, c);
  }
  const first = (key: string) => all.find(c => c.id === key)?.begun ?? found.get(key)!.begun;
  return [...found].sort(([a], [b]) => first(a) < first(b) ? -1 : 1).map(([, c]) => c.id);
}
