// What the server said went wrong, with the way on.
import type { ComponentChildren } from "preact";
import type { Failure } from "../api";
import type { Caveat } from "../types";
import { frame as T } from "../texts/en/frame";
import { say } from "../texts/say";

export function Notice({ error, children }: { error: Failure; children?: ComponentChildren }) {
  const stopped = error.code === "stopped";
  return <div class={"notice " + (stopped ? "info" : "bad")} role={stopped ? "status" : "alert"}>
    <p><strong>{sentence(error.message)}</strong></p>
    {error.hint && <p>{error.hint}</p>}
    {error.kind === "outdated" && <p><button onClick={() => location.reload()}>{T.loadPageAgain}</button></p>}
    {children || error.again && error.kind !== "outdated" && <p><button onClick={error.again}>{T.tryAgain}</button></p>}
    {error.requestID && error.status >= 500 && <p class="soft small">{say(T.request,
      { requestID: error.requestID })}</p>}
  </div>;
}

/** A sentence. What begins with a name keeps its letters. */
export function sentence(text: string): string {
  return text
    ? (/^[a-z]+[ ,]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : ".")
    : T.somethingFailed;
}

export function Note({ kind = "info", children }: { kind?: "info" | "warn"; children: ComponentChildren }) {
  return <div class={"notice " + kind}>{children}</div>;
}

/** What is to know of rows, such as lines that were passed over; instead: takes a statement that is right. */
export function Warnings(
  { caveats, instead }: { caveats?: Caveat[] | undefined; instead?: ((sql: string) => void) | undefined },
) {
  return <>{caveats?.map(c =>
    <Note key={c.text} kind="warn">
      {sentence(c.text)}
      {instead && c.next?.map(n => {
        const sql = n.action === "query" && n.args?.sql;
        return typeof sql === "string" && <p key={sql}>
          <button onClick={() => instead(sql)} title={sql}>{sentence(n.why ?? T.runRightStatement).slice(0, -1)}
          </button> <code class="small">{sql.slice(0, 300)}</code>
        </p>;
      })}
    </Note>
  )}</>;
}

/** Lines that stand for what is on its way. */
export function Waiting({ what, lines = 4 }: { what: string; lines?: number }) {
  return <div class="waiting" role="status">
    <span class="soft small">{say(T.loading, { what })}</span>
    {Array.from({ length: lines }, (_, i) => <i key={i} />)}
  </div>;
}

/** Says that there is nothing; whole: on the page at all. */
export function Empty({ title, whole, children }: { title: string; whole?: boolean; children?: ComponentChildren }) {
  return <div class="empty">{whole ? <h1>{title}</h1> : <h2>{title}</h2>}{children}</div>;
}
