// How one signs in.
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, get } from "./api";
import { Brand, signIn, way } from "./session";
import { asFailure } from "./use";
import { Notice } from "./ui/notice";
import type { About } from "./types";
import { signin as T } from "./texts/en/signin";
import { rich, say } from "./texts/say";

// Why a provider signed nobody in. The words are here, so that a link can put none of its own on the page.
const refusals: Record<string, [message: string, hint: string]> = {
  provider_refused: [T.providerDidNotSign,
    T.beginAgainIfIt],
  provider_unreachable: [T.signInProviderCannot, T.tryAgainInMoment],
  sign_in_mismatch: [T.signInTookToo, T.beginAgain],
  claim_missing: [T.providerDoesNotTell, T.askYourOperator],
  unknown_user: [T.thereIsNoUser, T.askAdminToMake],
  too_many_failures: [T.tooManySignIns, T.waitSomeSecondsThen],
};

/** The form for those who are not signed in. */
export function SignInPage({ why, refused, entered }: { why?: Failure; refused?: string; entered: () => void }) {
  const [about, setAbout] = useState<About>();
  const [token, setToken] = useState("");
  const [error, setError] = useState(() => {
    const [message, hint] = refusals[refused ?? ""] ?? refusals.provider_refused!;
    return refused === undefined ? why : new Failure(401, "unauthorized", message, refused, hint);
  });
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus(); // the attribute autofocus works once per document only
    get<About>("/api/page").then(setAbout, e => setError(asFailure(e)));
  }, []);
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
          T.pasteItAgainWhole,
        ) : why);
      setBusy(false);
    });
  };
  return <main class="gate">
    <div class="gate-card">
      <Brand />
      {about?.sign_in === "link" ? <>
        <h1>{T.thisBrowserIsNot}</h1>
        <p class="soft">
          {rich(T.linkThatDaUi)}
        </p>
        {error && <Notice error={error} />}
      </> : <form onSubmit={submit}>
        <h1>{T.signIn}</h1>
        {about?.provider && <>
          <a class="button primary wide" href="/api/page/oidc"
            onClick={way.keep}>{say(T.signInWith, { provider: about.provider })}</a>
          <p class="soft">{T.orWithToken}</p>
        </>}
        <p class="soft">{T.pasteTokenThatYour}</p>
        <label class="field"><span>{T.token}</span>
          <input type="password" autocomplete="off" spellcheck={false} required value={token} ref={field}
            onInput={e => setToken(e.currentTarget.value)} placeholder={T.da} /></label>
        {error && <Notice error={error} />}
        <button class="primary wide" disabled={busy || !token.trim()}>{busy ? T.signingIn : T.signIn}</button>
      </form>}
    </div>
  </main>;
}
