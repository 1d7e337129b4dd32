// Requests to the server that this page came from.
import { clearKept } from "./store";
import { frame as T } from "./texts/en/frame";
import { say } from "./texts/say";

/** A step that an error proposes; api.Step in Go. */
export interface Step { action: string; args?: Record<string, unknown>; why?: string }

/** What the server says went wrong, in its own words. */
export class Failure extends Error {
  /** Asks once more, where that can help. */
  again?: () => void;
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly kind = "",
    readonly hint = "",
    readonly next: Step[] = [],
    readonly details: Record<string, unknown> = {},
    readonly requestID = "",
  ) {
    super(message);
  }
}

// The key goes with every request beside the cookie. Another origin, or another
// port of this machine, can make the browser send the cookie, but cannot read
// the key, so the cookie alone opens nothing.
const keyName = "da.key";

export const key = {
  get: () => localStorage.getItem(keyName),
  set: (k: string) => localStorage.setItem(keyName, k),
  drop: () => localStorage.removeItem(keyName),
};

let onSignedOut = () => {};

/** Sets what is called when the server no longer knows this browser. */
export function whenSignedOut(f: () => void) { onSignedOut = f; }

/** Forgets the key: this browser is not signed in any more. */
export function forget() {
  key.drop();
  clearKept();
  onSignedOut();
}

/** Sends a request and returns the answer; throws a Failure. */
export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal,
  more: Record<string, string> = {}): Promise<Response>
{
  const headers: Record<string, string> = { "X-Agnes-Page": key.get() ?? "", "X-Agnes-Client": "page", ...more };
  let data: BodyInit | undefined;
  if (body instanceof Blob || body instanceof FormData) data = body;
  else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    data = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, { method, headers, body: data, signal: signal ?? null });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw unreachable();
  }
  if (answer.ok) return counted(answer, signal);
  const failure = failureFrom(answer.status, await answer.text());
  if (failure.status === 401 && key.get()) forget();
  throw failure;
}

const came = new WeakMap<AbortSignal, number>();

/** How much of an answer has come to who can stop its request by this signal, in bytes. */
export const cameOf = (stop: AbortSignal) => came.get(stop) ?? 0;

function counted(answer: Response, stop?: AbortSignal): Response {
  if (!stop || !answer.body) return answer;
  const count = new TransformStream<Uint8Array, Uint8Array>({ transform(part, to) {
    came.set(stop, cameOf(stop) + part.length);
    to.enqueue(part);
  } });
  return new Response(answer.body.pipeThrough(count), answer);
}

/** Reads an answer to its end; a line that is cut on the way is told as such. */
export async function whole<T>(read: Promise<T>, stop?: AbortSignal): Promise<T> {
  try {
    return await read;
  } catch (e) {
    stop?.throwIfAborted(); // a stopped answer ends as a cut one does
    throw e instanceof TypeError ? new Failure(0, "unreachable", T.lineWasCutWhile, "",
      T.tryAgainOnceNetwork) : e;
  }
}

const unreachable = () =>
  new Failure(0, "unreachable", T.serverCannotBeReached, "", T.checkThatItRuns);

/** What an answer that is not a success says; status 0: there was none. */
export function failureFrom(status: number, text: string): Failure {
  if (!status) return unreachable();
  try {
    const e = JSON.parse(text);
    return new Failure(status, e.error, e.message, e.kind, e.hint, e.next, e.details, e.request_id);
  } catch {
    return new Failure(status, "internal", say(T.serverAnsweredWithStatus, { status }));
  }
}

/** Asks for JSON. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await send(method, path, body, signal);
  return (answer.status === 204 ? undefined : await whole(answer.json(), signal)) as T;
}

export const get = <T>(path: string, signal?: AbortSignal) => ask<T>("GET", path, undefined, signal);
