package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// asking is true once the button that asks whether one is sure has the focus.
const asking = `document.activeElement.matches("button.danger")`

// demoServer is a server of the demo's tables, to which an admin must grant the airports.
func demoServer(t *testing.T, model func(providertest.Request) providertest.Reply, sections ...string) *place {
	t.Helper()
	p := demoPlace(t)
	file := filepath.Join(p.dir, "instance.yaml")
	demo, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tables := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(demo)), "public: true"))
	p = p.withServerModel(providertest.NewServer(t, model), provider.Anthropic, sections...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "instance.yaml", strings.Replace(string(text), fixtureInstance, tables+"\n", 1))
	return p.served()
}

// enters signs in where the page asks for a token: its field has the focus.
func (h *hands) enters(p *place) {
	h.t.Helper()
	h.sees("Paste the token")
	js[bool](h.tab, inHands)
	h.focused("")
	h.until(`hands.name(document.activeElement) === "Token"`)
	h.do(chromedp.KeyEvent(p.get("DA_TOKEN")))
	h.key(kb.Enter)
	h.until(`document.querySelector(".frame")`)
}

// tasksAtAServer does what an admin of a server does, who also asks a model.
func tasksAtAServer(t *testing.T, h *hands) {
	const counts = "SELECT count(*) AS n FROM flights WHERE origin = 'ORD'"
	asked := func(call string, arguments map[string]any) [][]provider.Call {
		return [][]provider.Call{{providertest.Call("a", call, arguments)}}
	}
	model := func(r providertest.Request) providertest.Reply {
		if strings.Contains(string(r.Raw), "Raise the price") {
			return modelSteps(func([]provider.Result) string { return "It is raised." }, asked("xlsx_operations", map[string]any{"path": "book.xlsx",
				"operations": []any{map[string]any{"op": "set_cells", "sheet": "Sheet1", "cells": []any{map[string]any{"cell": "B2", "value": 2.5}}}}})...)(r)
		}
		return modelSteps(func(last []provider.Result) string { return "Of all flights " + firstCell(last) + " left O'Hare." }, asked("query_remote", map[string]any{"sql": counts})...)(r)
	}
	p := demoServer(t, model, "files: {}")
	p.workbook(filepath.Join(p.dir, "book"), "item,price\na,1.5\n")
	book, err := os.ReadFile(filepath.Join(p.dir, "book.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	if status, text := p.uploadTo("/api/files/upload", "book.xlsx", string(book)); status != 201 {
		t.Fatal(status, text)
	}
	h.opens(t, p.get("DA_SERVER")+"/")
	h.takes(t)
	h.visit("/#/tables")
	h.task("sign in", func() { h.enters(p) })
	h.task("ask in words", func() {
		h.finds("ask", "Ask")
		h.until(`document.querySelector(".say textarea")`)
		h.to("Your question")
		h.do(chromedp.KeyEvent("How many flights left O'Hare?"))
		h.key(kb.Enter)
		h.sees("left O'Hare.")
		h.until(`!document.querySelector("button.danger")`)
	})
	h.task("where does a figure come from", func() {
		const linked = `[...document.querySelectorAll(".said.model button")].find(b => /^\d+$/.test(b.innerText))`
		h.until(linked) // figures are looked up when the answer has ended
		figure := js[string](h.tab, linked+".innerText")
		h.uses(figure)
		h.sees("query_remote, row 1, column n")
		h.until(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText.replace(",", "") === "` + figure + `"`)
		h.key(kb.Escape)
		h.focused(figure)
	})
	h.task("a model changes a workbook: look at the difference, apply", func() {
		h.to("Your question")
		h.do(chromedp.KeyEvent("Raise the price of a to 2.5."))
		h.key(kb.Enter)
		h.sees("Files that have changed")
		h.until(`document.querySelector(".diff .minus")?.innerText.includes("1.5") && document.querySelector(".diff .plus").innerText.includes("2.5")`)
		h.uses("Apply")
		h.sees("Applied: 1 change")
	})
	h.task("admin: user, token, grant, quota", func() { h.makesAnn() })
	h.task("admin: who may see what, preview, audit", func() {
		h.finds("admin", "Admin")
		h.uses("Grants")
		h.selects("What a user sees", "ann")
		h.uses("Preview", "tr:has(a[href='#/tables/airports']), tr")
		h.until(`document.querySelector(".grid-row")`)
		h.uses("Audit")
		h.sees("grant_create")
	})
	long := p.command("query", "--remote", neverEnds("airports", "iata"))
	var said strings.Builder
	long.Stderr = &said
	if err := long.Start(); err != nil {
		t.Fatal(err)
	}
	h.task("admin: stop a running statement", func() {
		h.uses("Running")
		h.sees("SELECT count(*) AS n FROM airports a0")
		h.uses("Stop")
		h.until(asking)
		h.key(kb.Enter)
		h.sees("Nothing runs at this moment")
		h.until(`document.activeElement !== document.body`)
	})
	if err := long.Wait(); err == nil || !strings.Contains(said.String(), "an admin of the server has stopped this request") {
		t.Errorf("the stopped statement: %v\n%s", err, said.String())
	}
	h.task("admin: take back user, grant and quota", func() { h.takesAnnBack() })
	h.endedSession(p)
}

// agrees presses the button of a form, which tells what it will do, and agrees.
func (h *hands) agrees(form, label, says string) {
	h.t.Helper()
	h.uses(label, "form[aria-label='"+form+"']")
	h.sees(says)
	h.focused("Yes, do it")
	h.key(kb.Enter)
	h.until(`![...document.querySelectorAll("button")].some(b => b.innerText === "Yes, do it")`)
	h.sees("Done: " + says)
}

// makesAnn makes a user with a token, a part of a table and a quota.
func (h *hands) makesAnn() {
	h.t.Helper()
	form := func(title string) string { return "form[aria-label='" + title + "']" }
	h.finds("admin", "Admin")
	h.uses("People")
	h.fills("Name", "ann", form("Add a user"))
	h.agrees("Add a user", "Add", "ann sees public tables, until more is granted.")
	h.selects("For", "ann", form("Set a quota"))
	h.fills("MB a day", "1.5", form("Set a quota"))
	h.agrees("Set a quota", "Set", "ann reads at most 1.5 MB a day.")
	h.uses("Tokens")
	h.selects("For", "ann", form("Make a token"))
	h.agrees("Make a token", "Make", "Whoever holds it is ann for 90 days.")
	h.sees("which is shown only now")
	h.uses("Grants")
	h.selects("To", "ann", form("Grant a part of a table"))
	h.fills("Table", "airports", form("Grant a part of a table"))
	h.fills("Only rows where", "state = 'AK'", form("Grant a part of a table"))
	h.uses("Preview")
	h.sees("The first 20 rows that this would show")
	h.agrees("Grant a part of a table", "Grant", "ann reads all columns of airports, where state = 'AK'.")
}

// takesAnnBack takes back what makesAnn has made.
func (h *hands) takesAnnBack() {
	h.t.Helper()
	sure := func(label, says string) {
		h.t.Helper()
		h.uses(label)
		h.sees(says)
		h.until(asking)
		h.key(kb.Enter)
	}
	h.uses("Grants")
	sure("Take back airports from ann", "ann no longer reads airports through it.")
	h.sees("There are no grants.")
	h.uses("People")
	sure("Remove the quota of ann", "ann has what everybody has.")
	h.until(`!document.querySelector("[aria-label='Quotas of their own']")`)
	sure("Remove ann", "ann loses 1 token and 0 grants, and cannot sign in.")
	h.until(`![...document.querySelectorAll("[aria-label=Users] a")].some(a => a.innerText === "ann")`)
}

// endedSession signs in again where somebody has ended the session, and then out.
func (h *hands) endedSession(p *place) {
	h.t.Helper()
	h.newSheet()
	h.do(chromedp.KeyEvent("SELECT 1 AS one FROM flights LIMIT 1"))
	var all []struct{ ID string }
	_, text := p.request("GET", "/api/page/sign-ins?all=true", nil)
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
		h.t.Fatal(err, text)
	}
	if status, text := p.request("DELETE", "/api/page/sign-ins/"+all[0].ID, nil); status >= 300 {
		h.t.Fatal(status, text)
	}
	h.do(chromedp.KeyEvent(" "))
	js[bool](h.tab, `faults.splice(0), true`) // the browser tells of the refusal
	h.task("an ended session: sign in, and go on", func() {
		h.key("ctrl " + kb.Enter)
		h.enters(p)
		h.until(`document.querySelector(".editor:not([hidden])")?.shadowRoot?.querySelector(".cm-content")?.innerText.includes("SELECT 1 AS one")`)
		h.to("SQL of cell1")
		h.key("ctrl " + kb.Enter)
		h.sees("1 row")
	})
	h.task("sign out", func() {
		h.finds("account", "Account")
		h.uses("Sign out")
		h.sees("Paste the token")
	})
}
