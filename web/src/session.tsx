// Who is signed in, and how one becomes so.
import { useEffect, useState } from "preact/hooks";
import { ask, Failure, forget, get, key, whenSignedOut } from "./api";
import { link, replace } from "./route";
import { asFailure } from "./use";
import { Notice } from "./ui/notice";
import type { About, Identity, InstanceDashboard, SignIn } from "./types";

export type Session = { state: "starting" } | { state: "out"; why?: Failure } | { state: "in"; who: Identity;
  desk: boolean; dashboards: InstanceDashboard[] } | { state: "unreachable"; why: Failure };

/** The session; the first use signs in with the code of a one-time link. */
export function useSession(): [Session, () => void] {
  const [session, set] = useState<Session>({ state: "starting" });
  const enter = () => {
    Promise.all([get<Identity>("/api/v2/whoami"), get<About>("/api/page"),
      get<InstanceDashboard[]>("/api/page/dashboards").catch((e): InstanceDashboard[] => [
        { id: "", name: "", tables: [], problem: asFailure(e).message }])]).then(
      ([who, about, dashboards]) => {
        if (/^(#\/?)?$/.test(location.hash) && dashboards.some(d => d.id === "start" && d.sheet))
          replace(link(["dashboard", "start"]));
        set({ state: "in", who, desk: about.desk ?? false, dashboards });
      },
      e => {
        const why = asFailure(e);
        set(why.status === 401 || why.status === 403 ? { state: "out" } : { state: "unreachable", why });
      },
    );
  };
  useEffect(() => {
    whenSignedOut(() => set({ state: "out" }));
    const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
    const refused = /^#refused=([a-z_]+)$/.exec(location.hash)?.[1];
    if (location.hash === "#signed-in") {
      replace("#/");
      made(ask("POST", "/api/page/sign-ins/claim")).then(enter, e => set({ state: "out", why: asFailure(e) }));
    } else if (refused) {
      replace("#/");
      const [message, hint] = refusals[refused] ?? refusals.provider_refused!;
      set({ state: "out", why: new Failure(401, "unauthorized", message, refused, hint) });
    } else if (code) {
      replace("#/");
      signIn(code).then(enter, e => set({ state: "out", why: asFailure(e) }));
    } else if (key.get()) enter();
    else set({ state: "out" });
  }, []);
  return [session, enter];
}

/** Exchanges a token, or the code of a link, for this browser's cookie and key. */
const signIn = (token: string) => made(ask("POST", "/api/page/sign-ins", { token }));

/** Keeps the key of a new sign-in. */
async function made(signIn: Promise<SignIn & { key: string }>) { key.set((await signIn).key); }

// Why a provider signed nobody in. The words are here, so that a link can put none of its own on the page.
const refusals: Record<string, [message: string, hint: string]> = {
  provider_refused: ["The provider did not sign you in",
    "Begin again. If it happens again, ask your operator: the server's log has the reason."],
  provider_unreachable: ["The sign-in provider cannot be reached", "Try again in a moment, or use a token."],
  sign_in_mismatch: ["The sign-in took too long, or was begun in another browser", "Begin again."],
  claim_missing: ["The provider does not tell your name, or has not verified your address", "Ask your operator."],
  unknown_user: ["There is no user of your name here", "Ask an admin to make one."],
  too_many_failures: ["Too many sign-ins have failed", "Wait some seconds, then begin again."],
};

export async function signOut() {
  await ask("DELETE", "/api/page/sign-ins/current");
  replace("#/");
  forget();
}

/** The form for those who are not signed in. */
export function SignInPage({ why, entered }: { why?: Failure; entered: () => void }) {
  const [about, setAbout] = useState<About>();
  const [token, setToken] = useState("");
  const [error, setError] = useState(why);
  const [busy, setBusy] = useState(false);
  useEffect(() => { get<About>("/api/page").then(setAbout, e => setError(asFailure(e))); }, []);
  const submit = (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError(undefined);
    signIn(token.trim()).then(entered, e => {
      const why = asFailure(e);
      // The server's advice is for programs.
      setError(why.status === 401
        ? new Failure(
          401,
          why.code,
          why.message,
          why.kind,
          "Paste it again, whole. If it has ended, your operator gives you a new one.",
        ) : why);
      setBusy(false);
    });
  };
  return <main class="gate">
    <div class="gate-card">
      <Brand />
      {about?.sign_in === "link" ? <>
        <h1>This browser is not signed in</h1>
        <p class="soft">
          The link that <code>da ui</code> opens works once, for a minute. Run <code>da ui</code>{" "}
          again in your terminal.
        </p>
        {error && <Notice error={error} />}
      </> : <form onSubmit={submit}>
        <h1>Sign in</h1>
        {about?.provider && <>
          <a class="button primary wide" href="/api/page/oidc">Sign in with {about.provider}</a>
          <p class="soft">Or with a token:</p>
        </>}
        <p class="soft">Paste the token that your operator gave you. This browser keeps a session, not the token.</p>
        <label class="field"><span>Token</span>
          <input type="password" autocomplete="off" spellcheck={false} required autofocus value={token}
            onInput={e => setToken(e.currentTarget.value)} placeholder="da_…" /></label>
        {error && <Notice error={error} />}
        <button class="primary wide" disabled={busy || !token.trim()}>{busy ? "Signing in…" : "Sign in"}</button>
      </form>}
    </div>
  </main>;
}

/** The mark of the product. */
export function Brand() {
  return <span class="brand">
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 22V14M16 22V9M23 22V17" />
    </svg>da
  </span>;
}
