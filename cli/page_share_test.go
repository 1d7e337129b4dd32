package cli

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestASharedConversationInABrowser shares a conversation about a table: a colleague sees
// it only while they may read all of that table, and nothing that was said after it.
func TestASharedConversationInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	admin := newPlace(t).withServerModel(providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		last := r.Messages[len(r.Messages)-1].Blocks
		return providertest.Reply{Text: "Heard of airports: " + last[len(last)-1].Text}
	}), provider.Anthropic).served()
	ann := admin.as("ann")
	b := openTab(t, admin.get("DA_SERVER")+"/")
	b.visit("/#/ask")
	b.signsIn(admin)
	b.asks("First")
	b.talk("First / Heard of airports: First")
	b.press("Share")
	b.sees("Whoever has the link and may read all of its tables")
	b.check("ask-share")
	js[bool](b, `[...document.querySelectorAll("button.danger")].find(b => b.innerText === "Share").click(), true`)
	b.sees("Shared with who may read airports")
	made := b.copies("Copy link")
	b.visit(js[string](b, "'/' + location.hash"))
	at := b.copies("Copy link") // it is there when one comes back, too
	if at != made {
		t.Errorf("the link of an old share: %s, when it was made: %s", at, made)
	}
	at = "/" + at[strings.Index(at, "#"):]
	if !strings.HasPrefix(at, "/#/ask/shared/") {
		t.Fatalf("the link: %s", at)
	}
	b.asks("Second")
	b.talk("First / Heard of airports: First / Second / Heard of airports: Second")
	path := "/api/agent/shared/" + strings.TrimPrefix(at, "/#/ask/shared/")

	refused := func(when string) {
		t.Helper()
		if status, text := ann.request("GET", path, nil); status != 403 || !strings.Contains(text, "not_shared") || strings.Contains(text, "airports") {
			t.Errorf("%s: %d %s", when, status, text)
		}
	}
	refused("without a grant")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata")
	refused("with a part of the columns")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--rows", "latitude > 40")
	refused("with a part of the rows")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports")
	status, text := ann.request("GET", path, nil)
	if status != 200 || !strings.Contains(text, "Heard of airports: First") || strings.Contains(text, "Second") || strings.Contains(text, `"marks"`) {
		t.Errorf("the shared conversation: %d %s", status, text)
	}
	if status, text := ann.request("GET", "/api/agent/conversations/"+path[strings.LastIndex(path, "/")+1:], nil); status != 400 {
		t.Errorf("it is ann's own: %d %s", status, text)
	}
	for _, other := range []string{"/api/agent/shared/..%2F..%2Fx/0123456789abcdef", strings.Replace(path, "shared/", "shared/0", 1)} {
		if status, text := ann.request("GET", other, nil); status != 403 {
			t.Errorf("%s: %d %s", other, status, text)
		}
	}

	js[bool](b, "localStorage.removeItem('da.key'), true")
	b.visit(at)
	b.signsIn(ann)
	b.sees("Shared with you")
	b.talk("First / Heard of airports: First")
	b.check("ask-shared")
	b.walk("ask-shared")

	id := path[strings.LastIndex(path, "/")+1:]
	if status, text := admin.request("POST", "/api/agent/share", agenthttp.ShareConversation{Conversation: id}); status != 200 {
		t.Errorf("shared no longer: %d %s", status, text)
	}
	refused("once it is shared no longer")
	if got := admin.ok("admin", "audit", "--json"); !strings.Contains(got, `"unshare"`) {
		t.Errorf("the audit: %s", got)
	}
}
