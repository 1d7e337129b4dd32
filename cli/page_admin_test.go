package cli

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestAnAdminInABrowser signs in at a real OpenID provider, looks at what a user
// sees, and stops a statement that would run for long.
func TestAnAdminInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	provider := httptest.NewUnstartedServer(nil)
	issuer := "http://" + provider.Listener.Addr().String()
	p := newPlace(t)
	text := fmt.Sprintf("oidc: { issuer: %q, client_id: da-page, client_secret_env: OIDC_SECRET, name: Example }\n%s", issuer, fixtureInstance)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("OIDC_SECRET=secret").served()
	storage.RegisterClients(storage.WebClient("da-page", "secret", p.get("DA_SERVER")+"/api/page/oidc/callback"))
	old := slog.Default()
	provider.Config.Handler = exampleop.SetupServer(issuer, storage.NewStorage(storage.NewUserStore(issuer)), slog.New(slog.DiscardHandler), false, op.WithAllowInsecure())
	slog.SetDefault(old)
	provider.Start()
	t.Cleanup(provider.Close)

	b := openTab(t, p.get("DA_SERVER")+"/")
	atProvider := func() {
		b.visit("/")
		b.sees("Sign in with Example")
		js[bool](b, `document.querySelector("a.button.primary").click(), true`)
		b.until(`document.querySelector("#password")`)
		js[bool](b, `document.querySelector("#username").focus(), true`)
		b.do(chromedp.KeyEvent("test-user2"))
		js[bool](b, `document.querySelector("#password").focus(), true`)
		b.do(chromedp.KeyEvent("verysecure"), chromedp.KeyEvent(kb.Enter))
	}
	atProvider()
	b.sees("There is no user of your name here")
	b.check("sign-in-refused")
	p.ok("admin", "user", "create", "test-user2@zitadel.ch", "--admin")
	p.ok("admin", "user", "create", "ann")
	p.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata", "--rows", "latitude > 40")
	atProvider()
	b.sees("test-user2@zitadel.ch")
	if at := js[string](b, "location.href"); strings.Contains(at, "code=") || strings.Contains(at, "signed-in") {
		t.Errorf("the address after the sign-in: %s", at)
	}

	b.visit("/#/check/grants?user=ann&table=airports")
	b.sees("airports as ann sees it")
	b.until(`[...document.querySelectorAll(".grid [role=gridcell]")].length > 0`)
	if head := js[string](b, `[...document.querySelectorAll(".grid [role=columnheader]")].map(c => c.innerText).join()`); head != "iata" {
		t.Errorf("ann may read the column iata, and is shown %s", head)
	}
	b.check("check-preview")
	changesPeople(t, p, b)

	long := p.command("query", "--remote", neverEnds("airports", "iata"))
	var said strings.Builder
	long.Stderr = &said
	if err := long.Start(); err != nil {
		t.Fatal(err)
	}
	b.visit("/#/check/running")
	b.sees("SELECT count(*) AS n FROM airports a0, airports a1")
	b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Stop")`)
	links := js[[]string](b, `[...document.querySelectorAll(".head a[href*='/docs/']")].map(a => a.href.split("/docs/")[1])`)
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("..", "docs", link)); err != nil {
			t.Errorf("a link into the docs: %v", err)
		}
	}
	if len(links) == 0 {
		t.Error("nothing links into the docs")
	}
	b.until(`[...document.querySelectorAll("button")].filter(b => b.innerText === "Stop").every(s => s.getBoundingClientRect().right <= s.closest(".scroll").getBoundingClientRect().right)`)
	b.check("check-running")
	for range 2 { // it asks whether one is sure
		js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Stop").click(), true`)
	}
	if err := long.Wait(); err == nil || !strings.Contains(said.String(), "an admin of the server has stopped this request") {
		t.Errorf("the stopped statement: %v\n%s", err, said.String())
	}
	b.sees("Nothing runs at this moment")

	// It was stopped, and not forbidden; the file has what is listed.
	file := b.takes(t)
	b.visit("/#/check/audit?status=stopped")
	b.until(`[...document.querySelectorAll("[aria-label=Audit] td")].some(c => c.innerText === "stopped by an admin")`)
	if n := js[int](b, `document.querySelectorAll("[aria-label=Audit] tbody tr").length`); n != 1 {
		t.Errorf("%d events were stopped", n)
	}
	b.check("check-audit-stopped")
	b.press("All as CSV")
	if got := strings.Split(strings.TrimSpace(file("audit.csv")), "\n"); len(got) != 2 || !strings.Contains(got[1], ",remote_query,,airports,stopped by an admin,stopped,forbidden,") {
		t.Errorf("the audit as a file: %q", got)
	}
	b.sees("audit.csv has 1 event")
}

// changesPeople makes a user, a group, a member, a grant and a token with the page, and
// takes some of it back. Each change says what it does before it is done, and is audited.
func changesPeople(t *testing.T, p *place, b *tab) {
	t.Helper()
	set := func(form, label, value string) {
		t.Helper()
		b.until(fmt.Sprintf(`(() => {
			const of = [...document.querySelectorAll("form[aria-label='%s'] label")].find(l => l.innerText.startsWith(%q));
			const i = of?.querySelector("input, select");
			if (!i || i.tagName === "SELECT" && ![...i.options].some(o => o.value === %[3]q)) return false;
			i.value = %[3]q;
			return i.dispatchEvent(new Event("input", {bubbles: true}));
		})()`, form, label, value))
	}
	does := func(form, label, says string) {
		t.Helper()
		b.until(fmt.Sprintf(`(() => { const o = [...document.querySelectorAll("form[aria-label='%s'] button")].find(b => b.innerText === %q && !b.disabled); o?.click(); return o; })()`, form, label))
		b.sees(says)
		b.press("Yes, do it")
		b.until(`![...document.querySelectorAll("button")].some(b => b.innerText === "Yes, do it")`)
	}
	b.visit("/#/check/people")
	set("Add a user", "Name", "ben")
	does("Add a user", "Add", "ben sees public tables, until more is granted.")
	set("Add a group", "Name", "sales")
	does("Add a group", "Add", "sales begins without members and grants.")
	set("Put a user into a group", "User", "ben")
	set("Put a user into a group", "Group", "sales")
	does("Put a user into a group", "Put", "ben reads what sales may: nothing yet.")
	b.until(`document.querySelector("[aria-label='Take out ben of sales']")`)
	set("Set a quota", "For", "gsales")
	set("Set a quota", "MB a day", "1.5")
	set("Set a quota", "Requests at once", "2")
	does("Set a quota", "Set", "Each member of sales reads at most 1.5 MB a day, and runs at most 2 at once.")
	b.until(`document.querySelector("[aria-label='Remove the quota of sales']")`)
	b.check("check-people")
	b.walk("check-people")

	b.visit("/#/check/grants")
	set("Grant a part of a table", "To", "gsales")
	set("Grant a part of a table", "Table", "airports")
	b.until(`document.querySelectorAll("form fieldset input").length > 2`)
	js[bool](b, `[...document.querySelectorAll("form fieldset input")].slice(2).forEach(i => i.click()), true`)
	set("Grant a part of a table", "Only rows where", "latitude > 1000")
	b.press("Preview")
	b.sees("It would show no rows")
	set("Grant a part of a table", "Only rows where", "nothing > 40")
	b.press("Preview")
	b.sees("nothing")
	set("Grant a part of a table", "Only rows where", "latitude > 40")
	b.press("Preview")
	b.until(`document.querySelector("[aria-label='What this would show'] [role=gridcell]")`)
	preview := func() []string {
		return js[[]string](b, `[...document.querySelectorAll("[aria-label='What this would show'] .grid-row")].map(r => [...r.querySelectorAll("[role=gridcell]")].map(c => c.innerText.trim()).join()).sort()`)
	}
	set("Grant a part of a table", "Mask", "name")
	b.sees("(NULL)")
	b.until(`[...document.querySelectorAll("[aria-label='What this would show'] [role=columnheader]")].map(c => c.innerText.trim()).join() === "iata,name"`)
	would := preview()
	does("Grant a part of a table", "Grant", "Every member of sales reads iata, name of airports, where latitude > 40, name as NULL.")
	b.until(`(() => { const o = document.querySelector("[aria-label='Take back airports from sales']"); o?.click(); return o; })()`)
	js[bool](b, `document.querySelector("button.danger").click(), true`)
	b.sees("The grant is taken back")
	b.press("Undo")
	b.until(`document.querySelector("[aria-label='Take back airports from sales']")`)
	b.check("check-granted")
	if got := p.ok("admin", "grant", "list", "--json"); !strings.Contains(got, `"group":"sales"`) || !strings.Contains(got, `"columns":["iata","name"]`) || !strings.Contains(got, `"masks":{"name":"null"}`) {
		t.Errorf("the grants: %s", got)
	}
	b.visit("/#/check/tokens")
	set("Make a token", "For", "ben")
	does("Make a token", "Make", "Whoever holds it is ben for 90 days.")
	b.sees("which is shown only now")
	secret := js[string](b, `document.querySelector(".notice code").innerText`)
	if got := p.with("DA_TOKEN="+secret).ok("quota", "--json"); !strings.Contains(got, `"daily_bytes_limit":1500000`) || !strings.Contains(got, `"running_limit":2`) {
		t.Errorf("the quota of a member: %s", got)
	}
	// The grant shows to a member what its preview has shown to the admin.
	p.with("DA_TOKEN="+secret).ok("fetch", "airports", "--as", "of_ben")
	reads := p.ok("query", "--output", "csv", "SELECT iata, coalesce(name, '(NULL)') AS name FROM of_ben ORDER BY iata")
	if got := strings.Fields(reads); len(would) != 2 || !slices.Equal(got[1:], would) {
		t.Errorf("the preview shows %q, and a member reads %q", would, got)
	}
	b.visit("/#/check/grants?user=ben&table=airports")
	b.sees("name as NULL") // what a user sees has the masks
	b.check("check-masks")
	if got := p.with("DA_TOKEN="+secret).ok("describe", "airports", "--json"); strings.Contains(got, "longitude") || !strings.Contains(got, "iata") {
		t.Errorf("with the token: %s", got)
	}
	b.visit("/#/check/people")
	b.until(`(() => { const o = document.querySelector("[aria-label='Remove ben']"); o?.click(); return o; })()`)
	b.sees("ben loses 1 token and 0 grants, and cannot sign in.")
	js[bool](b, `document.querySelector("button.danger").click(), true`)
	b.until(`!document.querySelector("[aria-label='Take out ben of sales']")`)
	b.visit("/#/check/audit")
	b.sees("user_delete")
	for _, action := range []string{"user_create", "group_create", "group_add", "grant_create", "token_create", "quota_set"} {
		b.sees(action)
	}
	// Looks at the catalog are folded away until they are asked for.
	const looks = `[...document.querySelectorAll("[aria-label=Audit] summary")].filter(s => s.innerText === "listed tables").length`
	b.until(`document.body.innerText.includes("looks at the catalog, at prices and at lists of files are not listed") && ` + looks + ` === 0`)
	b.press("Show everything")
	b.until(looks + ` > 0 && location.hash.includes("what=all")`)
	b.check("check-audit")
}
