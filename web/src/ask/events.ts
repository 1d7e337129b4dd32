// Server-sent events as the answer of a POST.
import { send } from "../api";
import type { AgentEvent } from "./types";

/** Asks, and tells each event once, in order. It returns when the stream ends. */
export async function stream(body: unknown, tell: (e: AgentEvent) => void, signal: AbortSignal): Promise<void> {
  const answer = await send("POST", "/api/agent/chat/stream", body, signal);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", last = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value.replaceAll("\r\n", "\n");
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const data = rest.slice(0, end).split("\n").filter(l => l.startsWith("data:")).map(l => l.slice(5).trimStart()).join("\n");
      rest = rest.slice(end + 2);
      if (!data) continue; // a comment that says that the line is open
      const e = JSON.parse(data) as AgentEvent;
      if (e.seq && e.seq <= last) continue;
      last = e.seq || last;
      tell(e);
    }
  }
}
