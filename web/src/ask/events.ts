// The events of a turn: each is told once, in order, whatever becomes of the line.
import { Failure, send } from "../api";
import { asFailure } from "../use";
import type { AgentEvent } from "./types";
import { ask as T } from "../texts/en/ask";

/** How far a turn is known. */
export interface Place { conversation: string; seq: number }

const tries = 8; // to reach the server again, with up to 8 seconds between them

/**
 * Follows a turn to its end. It begins one if begin is given, and takes up the one that runs
 * otherwise. After a line that was cut it goes on behind the last event; waiting is told of that.
 */
export async function followTurn(at: Place, begin: unknown, tell: (e: AgentEvent) => void, waiting: () => void,
  signal: AbortSignal): Promise<void>
{
  let open = begin ? () => send("POST", "/api/agent/chat/stream", begin, signal) : again;
  for (let n = 0; ; n++) {
    const before = at.seq;
    try {
      if (await read(await open(), at, tell)) return;
    } catch (e) {
      const why = asFailure(e);
      if (signal.aborted || why.status && why.status < 500) throw e;
      // Whether a message arrived that nothing answered cannot be known here.
      if (n >= tries || begin && !at.seq) throw e;
    }
    if (at.seq > before) n = 0;
    if (!at.conversation || n >= tries) {
      throw new Failure(
        0,
        "unreachable",
        T.lineWasCutBefore,
        "",
        T.whatCameOfIt,
      );
    }
    waiting();
    await pause(Math.min(250 * 2 ** n, 8000), signal);
    open = again;
  }

  function again() {
    return send("GET", `/api/agent/conversations/${encodeURIComponent(at.conversation)}/events`, undefined, signal, {
      "Last-Event-ID": String(at.seq),
    });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(go => {
    const t = setTimeout(go, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(t);
      go();
    });
  });
}

/** Tells the events of an answer; whether the turn is over then. */
async function read(answer: Response, at: Place, tell: (e: AgentEvent) => void): Promise<boolean> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", over = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return over;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const data = rest.slice(0, end).split("\n").find(l => l.startsWith("data: "))?.slice(6);
      rest = rest.slice(end + 2);
      if (!data) continue; // a comment that says that the line is open
      const e = JSON.parse(data) as AgentEvent;
      if (e.seq <= at.seq) continue;
      at.seq = e.seq;
      at.conversation = e.conversation ?? at.conversation;
      over ||= e.type === "reply" || e.type === "error";
      tell(e);
    }
  }
}
