// One conversation with the model: what is said, and what begins, follows and stops its turns.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, get } from "../api";
import { link, replace } from "../route";
import { asFailure } from "../use";
import { empty, follow, recall, saidBefore, type Talk } from "./conversation";
import { followTurn, type Place } from "./events";
import type { AgentEvent, AgentRecord, Attached, Kept } from "./types";
import { ask as T } from "../texts/en/ask";

/** Files as a request names them. */
const named = (files: Attached[]) => files.length ? { files: files.map(f => f.id ?? f.name) } : {};

const at = (id: string) => `/api/agent/conversations/${encodeURIComponent(id)}`;

export interface Talking {
  talk: Talk; busy: boolean; say: (message: string, files?: Attached[]) => void; stop: () => void;
  /** Asks in a new conversation, which begins with so many turns of this one. */
  branch: (message: string, after: number, files?: Attached[]) => void;
}

/** The conversation of an id, or a new one; changed is called when the list of conversations is another one. */
export function useTalk(id: string, changed: () => void): Talking {
  const [talk, set] = useState<Talk>(empty);
  const [busy, setBusy] = useState(false);
  const shown = useRef<string | undefined>(undefined), leave = useRef<AbortController | undefined>(undefined),
    place = useRef<Place>({ conversation: "", seq: 0 });

  useEffect(() => {
    if (id === shown.current) return;
    leave.current?.abort();
    shown.current = id;
    set(empty);
    setBusy(false);
    if (id) void begin(signal => recallAll(id, signal));
  }, [id]);
  useEffect(() => () => leave.current?.abort(), []);

  /** Runs what changes the talk, until another conversation is shown. */
  const begin = async (work: (signal: AbortSignal) => Promise<void>) => {
    const stop = leave.current = new AbortController();
    setBusy(true);
    try {
      await work(stop.signal);
    } catch (e) {
      if (!stop.signal.aborted) set(t => ({ ...t, status: "", failure: asFailure(e) }));
    }
    if (stop.signal.aborted) return;
    setBusy(false);
    changed();
  };

  const tell = (e: AgentEvent) => {
    if (e.type === "begin" && e.conversation && e.conversation !== shown.current) {
      shown.current = e.conversation;
      replace(link(["ask", e.conversation]));
      changed(); // it is in the list while its first turn runs
    }
    set(t => follow(t, e));
  };
  const waiting = () => set(t => ({ ...t, status: T.lineWasCutConnecting }));

  /** Shows a conversation as it is kept, and follows the turn that runs in it. */
  const recallAll = async (id: string, signal: AbortSignal) => {
    const kept = await get<Kept>(at(id), signal);
    const begun = kept.info.open ? kept.records.findLastIndex(r => r.type === "user_message") : -1;
    const before = begun < 0 ? kept.records : kept.records.slice(0, begun + 1);
    await showAgain(id, before, signal);
    if (begun < 0 || signal.aborted) return;
    place.current = { conversation: id, seq: 0 };
    try {
      await followTurn(place.current, undefined, tell, waiting, signal);
    } catch (e) {
      const why = asFailure(e);
      if (why.kind !== "no_turn") throw e;
      await showAgain(id, kept.records, signal, true);
    }
  };

  /** Shows what is kept, and then the tables and charts that were shown, in their places. */
  const showAgain = async (id: string, records: AgentRecord[], signal: AbortSignal, cut = false) => {
    const got = new Map<string, AgentEvent | undefined>();
    const draw = () => set({ ...recall(id, records, got), ...(cut ? { cut } : {}) });
    draw();
    for (const r of records) {
      if (!r.shown || !r.message_id) continue;
      got.set(r.message_id, await get<AgentEvent>(`${at(id)}/shown/${encodeURIComponent(r.message_id)}`, signal).catch(
        () => undefined,
      ));
      if (signal.aborted) return;
      draw();
    }
  };

  // An empty message goes on with a turn that did not come to its end.
  const say = (message: string, files: Attached[] = []) =>
    void begin(async signal => {
      const conversation = shown.current ?? "";
      place.current = { conversation, seq: 0 };
      set(t => {
        const { failure: _, cut: __, ...rest } = t;
        return { ...rest, status: T.thinking,
          said: message ? [...t.said, { who: "user", text: message, files }] : t.said };
      });
      try {
        await followTurn(place.current, { message, ...named(files), ...(conversation ? { conversation } : {}) }, tell,
          waiting, signal);
      } catch (e) {
        if (asFailure(e).kind !== "no_turn") throw e;
        // The server no longer has the turn, as after a new start: what it has kept tells how far it came.
        const id = place.current.conversation, kept = await get<Kept>(at(id), signal);
        await showAgain(id, kept.records, signal);
        if (!kept.info.open || signal.aborted) return;
        set(t => ({ ...t, status: T.thinking }));
        place.current = { conversation: id, seq: 0 };
        await followTurn(place.current, { message: "", conversation: id }, tell, waiting, signal);
      }
    });

  const branch = (message: string, after: number, files: Attached[] = []) =>
    void begin(async signal => {
      const conversation = shown.current ?? "", was = talk;
      place.current = { conversation: "", seq: 0 };
      set(t => ({ ...t, status: T.thinking,
        said: [...saidBefore(t.said, after), { who: "user", text: message, files }] }));
      try {
        // The new conversation takes its turn up as soon as it has an address.
        await followTurn(place.current, { message, ...named(files), conversation, after_turn: after }, e => {
          if (e.type !== "begin" || !e.conversation) return;
          changed();
          location.hash = link(["ask", e.conversation]);
        }, waiting, signal);
      } catch (e) {
        if (!signal.aborted) set(was);
        throw e;
      }
    });

  const stop = () => {
    const id = place.current.conversation;
    if (!id) return leave.current?.abort();
    set(t => ({ ...t, status: T.stopping }));
    ask("POST", "/api/agent/stop", { conversation: id }).catch(e => set(t => ({ ...t, failure: asFailure(e) })));
  };
  return { talk, busy, say, stop, branch };
}
