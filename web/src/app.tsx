// The frame around every page: who is signed in, the ways to the parts, and the part itself.
import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { link, useRoute, type Route } from "./route";
import { Brand, useSession } from "./session";
import { useKept } from "./store";
import { asFailure, part as coming, useAsked } from "./use";
import { Empty, Notice, Waiting } from "./ui/notice";
import { Catalog } from "./look/catalog";
import type { Identity, InstanceDashboard } from "./types";
import type { Failure } from "./api";
import { frame as T } from "./texts/en/frame";

export interface PageProps { route: Route; who: Identity; /** The page is of the user's own machine. */ desk: boolean;
  /** Those that the instance offers. */ dashboards: InstanceDashboard[];
  /** Asks for all of this again. */ again: () => void }
type Page = FunctionComponent<PageProps>;

// What is not needed to show the catalog loads when it is first opened.
interface Part { id: string; label: string; icon: string; admin?: boolean; desk?: boolean; load: () => Promise<Page> }
const parts: Part[] = [
  { id: "tables", label: T.tables, icon: "M4 5h16v14H4zM4 10h16M10 10v9", load: async () => Tables },
  { id: "ask", label: T.ask, icon: "M5 5h14v10H10l-5 4z", load: async () => (await import("./ask/ask")).Ask },
  { id: "sql", label: T.sql, icon: "M5 7l5 5-5 5M12 18h7", load: async () => (await import("./sql/sql")).Sql },
  { id: "snapshots", label: T.snapshots, icon: "M4 8h4l2-3h4l2 3h4v11H4zM12 16.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
    desk: true, load: async () => (await import("./snapshots/snapshots")).Snapshots },
  { id: "files", label: T.files, icon: "M5 3h9l5 5v13H5zM14 3v5h5",
    load: async () => (await import("./files/files")).Files },
  { id: "check", label: T.admin, icon: "M4 19V9M10 19V5M16 19v-7M21 19H3", admin: true,
    load: async () => (await import("./check/check")).Check },
];
// What is reached from another part.
const dashboard: Part = { id: "dashboard", label: T.dashboard, icon: "",
  load: async () => (await import("./sql/dashboard")).Dashboard };
const known: Part = { id: "known", label: T.whatPeopleKnow, icon: "",
  load: async () => (await import("./known/knowledge")).KnownPage };
const me: Part = { id: "me", label: T.account, icon: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20a7.5 7.5 0 0 1 15 0",
  load: async () => (await import("./me/me")).Me };

const device: Part = { id: "device", label: "", icon: "",
  load: async () => (await import("./me/device")).DevicePage };

const all = [...parts, dashboard, known, me, device];

const Tables: Page = props => {
  const { route } = props;
  const [, id] = route.path;
  return id ? <Later load={async () => (await import("./look/table")).TablePage} props={props} />
    : <Catalog route={route} dashboards={props.dashboards} />;
};

export function App() {
  const route = useRoute(); // first: signing in changes it
  const [session, enter] = useSession();
  const [running] = useKept("ask running", "");
  const [above, setAbove] = useAbove();
  const part = route.path[0] === "admin" ? "check" : route.path[0] ?? "tables";
  const been = useRef(part);
  useEffect(() => {
    // Of conversations and files the parts tell the names.
    if (!(route.path[1] && /^(ask|files|dashboard)$/.test(part)))
      document.title = [route.path[1], all.find(p => p.id === part)?.label, "da"].filter(Boolean).join(" · ");
    // Who comes by a link hears of the new part, and goes on from its beginning.
    if (been.current !== part) document.getElementById("main")?.focus({ preventScroll: true });
    been.current = part;
  }, [route.path[1], part]);
  switch (session.state) {
    case "starting":
      return <main class="gate">
        <Waiting what={T.page} lines={2} />
      </main>;
    case "out":
      return <Later load={async () => (await import("./signin")).SignInPage} props={{ ...session, entered: enter }} />;
    case "unreachable":
      return <main class="gate">
        <Notice error={session.why}>
          <p>
            <button onClick={enter}>{T.tryAgain}</button>
          </p>
        </Notice>
      </main>;
  }
  const open = (p: Part) => (!p.admin || session.who.admin) && (!p.desk || session.desk);
  const shown = all.find(p => p.id === part && open(p));
  return <div class="frame">
    <a class="skip" href="#main" onClick={e => {
      e.preventDefault();
      document.getElementById("main")?.focus();
    }}>
      {T.skipToContent}
    </a>
    <header class="side">
      <a class="home" href="#/" aria-label={T.daStart}><Brand /></a>
      <nav aria-label={T.parts}>
        {parts.filter(open).map(p =>
          <Way key={p.id} {...p} to={p.id === "ask" && running ? ["ask", running] : [p.id]}
            here={p.id === (part === dashboard.id ? "sql" : part === known.id ? "tables" : part)} />
        )}
      </nav>
      <button class="way" onClick={() => setAbove("palette")} title={T.ctrlK}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21" />
        </svg>
        <span>{T.find}</span>
      </button>
      <Way {...me} label={session.who.user} here={part === "me"} last />
    </header>
    <main id="main" tabIndex={-1}>
      <Soon load={async () => (await import("./upgrade")).Upgraded} />
      {shown ? <Later key={shown.id} load={shown.load} props={{ route, ...session, again: enter }} />
        : <Empty whole title={T.thereIsNoSuch}><p><a href="#/">{T.toTables}</a></p></Empty>}
    </main>
    <Soon load={async () => (await import("./ui/undo")).Undo} />
    {above &&
      <AboveView key={above} which={above} close={() => setAbove("")} parts={[...parts.filter(open), known, me]}
        desk={session.desk} dashboards={session.dashboards} />}
  </div>;
}

/** What is open above the page: the palette, or the list of keys. */
function useAbove(): [above: "" | "palette" | "keys", open: (a: "" | "palette" | "keys") => void] {
  const [above, open] = useState<"" | "palette" | "keys">("");
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      const at = e.composedPath()[0] as HTMLElement;
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable;
      if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "k") open("palette");
      else if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
      else if (e.key === "?") open("keys");
      else if (e.key === "/") document.querySelector<HTMLElement>("#main input[type=search]")?.focus();
      else if (e.key === "e") toField();
      else return;
      e.preventDefault();
    };
    const help = () => open("keys");
    addEventListener("keydown", press, true);
    addEventListener("keyshelp", help);
    return () => {
      removeEventListener("keydown", press, true);
      removeEventListener("keyshelp", help);
    };
  }, []);
  return [above, open];
}

/** Gives the focus to where a statement, a condition or a question is written. */
const toField = () =>
  (document.querySelector("#main .editor:not([hidden])")?.shadowRoot?.querySelector<HTMLElement>(".cm-content") ??
    document.querySelector<HTMLElement>("#main textarea"))?.focus();

/** What nobody misses before it has come. */
function Soon({ load }: { load: () => Promise<FunctionComponent> }) {
  const code = useAsked(() => coming(load), []);
  return code.data ? <code.data /> : null;
}

type Above = typeof import("./ui/palette");

/** Comes when it is first opened. */
function AboveView({ which, close, ...of }: { which: "palette" | "keys"; close: () => void; parts: Part[];
  desk: boolean; dashboards: InstanceDashboard[] })
{
  const code = useAsked<Above>(() => coming(() => import("./ui/palette")), []);
  if (code.error) return <Notice error={code.error} />;
  if (!code.data) return null;
  return which === "keys" ? <code.data.Keys close={close} /> : <code.data.Palette close={close} {...of} />;
}

function Way(
  { id, label, icon, here, last, to = [id] }: { id: string; label: string; icon: string; here: boolean; last?: boolean;
    to?: string[] },
) {
  return <a class={"way" + (last ? " last" : "")} href={link(to)} aria-current={here ? "page" : undefined}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d={icon} /></svg><span>{label}</span></a>;
}

/** A page whose code comes when it is opened. */
function Later<P extends object>({ load, props }: { load: () => Promise<FunctionComponent<P>>; props: P }) {
  const [page, set] = useState<{ show: FunctionComponent<P> }>();
  const [error, fail] = useState<Failure>();
  useEffect(() => { coming(load).then(show => set({ show }), e => fail(asFailure(e))); }, []);
  if (error) return <Notice error={error} />;
  return page ? <page.show {...props} /> : <Waiting what={T.thisPage} />;
}
