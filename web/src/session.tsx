// Who is signed in, and how one becomes so.
import { useEffect, useState } from "preact/hooks";
import { ask, forget, get, key, whenSignedOut, type Failure } from "./api";
import { link, replace } from "./route";
import { asFailure } from "./use";
import type { About, Identity, InstanceDashboard, SignIn } from "./types";

export type Session =
  { state: "starting" } | { state: "out"; why?: Failure; refused?: string } | { state: "in"; who: Identity;
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
      replace(way.back());
      made(ask("POST", "/api/page/sign-ins/claim")).then(enter, e => set({ state: "out", why: asFailure(e) }));
    } else if (refused) {
      replace("#/");
      set({ state: "out", refused });
    } else if (code) {
      replace("#/");
      signIn(code).then(enter, e => set({ state: "out", why: asFailure(e) }));
    } else if (key.get()) enter();
    else set({ state: "out" });
  }, []);
  return [session, enter];
}

/** Where somebody wanted to go who is sent to a provider first. */
export const way = {
  keep: () => sessionStorage.setItem("da.way", location.hash),
  back: () => {
    const to = sessionStorage.getItem("da.way") || "#/";
    sessionStorage.removeItem("da.way");
    return to;
  },
};

/** Exchanges a token, or the code of a link, for this browser's cookie and key. */
export const signIn = (token: string) => made(ask("POST", "/api/page/sign-ins", { token }));

/** Keeps the key of a new sign-in. */
async function made(signIn: Promise<SignIn & { key: string }>) { key.set((await signIn).key); }

export async function signOut() {
  await ask("DELETE", "/api/page/sign-ins/current");
  replace("#/");
  forget();
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
