// Data that a component asks the server for.
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./api";
import { frame as T } from "./texts/en/frame";

/** An answer on its way: at most one of data and error is set. */
export interface Loaded<T> { data?: T; error?: Failure; loading: boolean; again: () => void }

/** Asks whenever the dependencies change, and drops answers that come too late. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
  const [state, set] = useState<{ data?: T; error?: Failure; loading: boolean }>({ loading: true });
  const [turn, again] = useState(0);
  const asked = useRef(turn);
  useEffect(() => {
    const stop = new AbortController();
    // What is asked again stays in view meanwhile; the answer to another question does not.
    const same = asked.current !== turn;
    asked.current = turn;
    set(old => same ? { ...old, loading: true } : { loading: true });
    ask(stop.signal).then(
      data => { if (!stop.signal.aborted) set({ data, loading: false }); },
      e => {
        if (stop.signal.aborted) return;
        const error = asFailure(e);
        if (!error.status || error.status >= 500) error.again = () => again(n => n + 1);
        set({ error, loading: false });
      },
    );
    return () => stop.abort();
  }, [...deps, turn]);
  return { ...state, again: () => again(n => n + 1) };
}

/** The value once it has not changed for some milliseconds. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/**
 * Where the focus goes when something opens or closes in place: to the first control of what is
 * there then. Without it the focus would be lost with the control that was used.
 */
export function useFocus<T extends HTMLElement>(open: boolean): { current: T | null } {
  const first = useRef<T>(null), was = useRef(open);
  useEffect(() => {
    if (was.current !== open) first.current?.focus();
    was.current = open;
  }, [open]);
  return first;
}

export function asFailure(e: unknown): Failure {
  if (e instanceof DOMException && e.name === "AbortError")
    return new Failure(0, "stopped", T.stoppedNothingOfIt);
  return e instanceof Failure ? e : new Failure(0, "unexpected", String(e));
}

/** A part of the page whose code comes when it is needed. */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new Failure(
      0,
      "unreachable",
      T.partOfPageCould,
      "outdated",
      T.checkNetworkIfServer,
    );
  }
}
