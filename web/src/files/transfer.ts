// Files on their way to the server and back.
import { Failure, failureFrom, key, send, whole } from "../api";
import { asFailure } from "../use";
import type { File as Kept } from "./types";
import { files as T } from "../texts/en/files";

/** Sends a file and tells how much of it has gone, from 0 to 1. */
export function upload(file: File, progress: (share: number) => void, signal: AbortSignal): Promise<Kept> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much has gone
    request.open("POST", "/api/files/upload");
    request.setRequestHeader("X-Agnes-Page", key.get() ?? "");
    request.setRequestHeader("X-Agnes-Client", "page");
    request.upload.onprogress = e => { if (e.lengthComputable) progress(e.loaded / e.total); };
    request.onload = () => {
      if (request.status < 300) done(JSON.parse(request.responseText) as Kept);
      else fail(failureFrom(request.status, request.responseText));
    };
    request.onerror = () => fail(failureFrom(0, ""));
    request.onabort = () => fail(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}

export const address = (id: string, query: Record<string, string> = {}) =>
  `/api/files/${encodeURIComponent(id)}/download${Object.keys(query).length ? "?" + new URLSearchParams(query) : ""}`;

interface Picker {
  showSaveFilePicker?: (o: { suggestedName: string }) => Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Whether the browser lets the user choose where a file goes. */
export const canChoose = () => typeof (window as Picker).showSaveFilePicker === "function";

/** Saves a file where the user chooses; its bytes go there as they come. */
export async function saveTo(f: Kept, query = {}, stop?: AbortSignal) {
  await saveAnswer(base(f.name), () => send("GET", address(f.id, query), undefined, stop));
}

/** Gives a file to the browser's downloads. */
export async function fetchFile(f: Kept, query = {}, stop?: AbortSignal) {
  await offerAnswer(base(f.name), await send("GET", address(f.id, query), undefined, stop));
}

/** Why there is no file: it was stopped, or could be asked for again. */
export function noFile(e: unknown, stop: AbortSignal, again: () => void): Failure {
  const why = asFailure(e);
  if (stop.aborted || why.code === "stopped") return new Failure(0, "stopped", T.stoppedThereIsNo);
  if (!why.status || why.status >= 500) why.again = again;
  return why;
}

/**
 * Saves what is asked for where the user chooses, and returns the answer. The place comes first: the browser
 * allows the question only at a click.
 */
export async function saveAnswer(name: string, ask: () => Promise<Response>): Promise<Response> {
  const place = await (window as Picker).showSaveFilePicker!({ suggestedName: name });
  const [answer, out] = [await ask(), await place.createWritable()];
  await whole(answer.body!.pipeTo(out));
  return answer;
}

/** Gives an answer to the browser's downloads. */
export async function offerAnswer(name: string, answer: Response): Promise<Response> {
  const blob = await whole(answer.blob());
  const a = document.createElement("a"),
    at = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
  a.href = at;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(at), 10_000);
  return answer;
}

export const base = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/**
 * Tells of changes of the user's files until it is stopped; a line that was cut is taken up again after the last
 * event.
 */
export async function follow(changed: () => void, signal: AbortSignal) {
  for (let after = "", wait = 500; !signal.aborted; wait = Math.min(wait * 2, 15_000)) {
    try {
      const answer = await send("GET", "/api/files/events" + (after ? `?after=${after}` : ""), undefined, signal);
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        wait = 500;
        rest += value;
        const whole = rest.lastIndexOf("\n\n");
        if (whole < 0) continue;
        const ids = [...rest.slice(0, whole).matchAll(/^id: (\d+)$/gm)];
        rest = rest.slice(whole + 2);
        if (ids.length) { after = ids.at(-1)![1]!; changed(); }
      }
    } catch { /* it is tried again, until the page is left */ }
    if (!signal.aborted) await new Promise(go => setTimeout(go, wait));
  }
}
