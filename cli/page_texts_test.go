package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// wordsLeft are the words of the page that stand outside brackets, without those of descriptions and of rows.
const wordsLeft = `(descriptions => {
	const skip = "script, style, noscript, code, pre, kbd, option, .brand, .editor, [role=gridcell], [role=columnheader], td, .summary, .markdown";
	const texts = [], all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (all.nextNode()) if (!all.currentNode.parentElement.closest(skip)) texts.push(all.currentNode.data);
	const said = [texts.join("\n")];
	for (const e of document.querySelectorAll("[title], [aria-label], [placeholder]"))
		for (const name of ["title", "aria-label", "placeholder"]) if (!e.closest(".editor")) said.push(e.getAttribute(name) ?? "");
	const left = text => {
		for (const d of descriptions) text = text.replaceAll(d, " ");
		for (let now; (now = text.replace(/\[[^\[\]]*\]/g, " ")) !== text; ) text = now;
		return text.match(/[A-Za-z]{2,}/g) ?? [];
	};
	return [...new Set(said.flatMap(left))].sort();
})`

// TestTextsInABrowser opens the parts of the page in the language "marked", which puts brackets around
// each text: what stands outside them is data, or cannot be translated.
func TestTextsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "mine")
	notes := filepath.Join(p.dir, "notes.csv")
	if err := os.WriteFile(notes, []byte("id,name\n1,one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.ok("files", "put", notes)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("?lang=marked#code=" + code)
	b.sees("airports")
	var descriptions []string
	for _, line := range strings.Split(fixtureInstance, "\n") {
		if _, text, ok := strings.Cut(line, "description: "); ok {
			descriptions = append(descriptions, strings.TrimSuffix(text, " }"))
		}
	}
	known, err := json.Marshal(descriptions)
	if err != nil {
		t.Fatal(err)
	}
	const table = "flights lake parquet kB month origin destination date delay distance airports iata JFK SEA SFO VARCHAR BIGINT INTEGER DATE "
	for _, part := range []struct{ at, waits, data string }{
		{"tables", ".card", table + "events empty many noise types"},
		{"tables/flights", "#main table", table},
		{"tables/flights/sample", ".grid", table},
		{"tables/flights/statistics", "#main button", table},
		{"tables/flights/part", "#main button", table},
		{"tables/flights/figures", "#main button", table},
		{"tables/flights/related", "#main table", table},
		{"ask", "#main h1", ""},
		{"sql", ".cell button", "cell"},
		{"dashboard/none", "#main h1", ""},
		{"snapshots", "#main table", table + "mine"},
		{"snapshots/mine", ".grid", "mine airports XLSX San Francisco International city float iata latitude name string"},
		{"files", ".card", "notes csv CSV text"},
		{"check", "#main h1", table + "mine"},
		{"known", "#main h1", ""},
		{"me", "#main h1", "kB Chrome on Linux"},
	} {
		b.visit("?lang=marked#/" + part.at)
		b.until(fmt.Sprintf(`document.querySelector(%q) && !document.querySelector(".waiting")`, part.waits))
		for _, word := range js[[]string](b, fmt.Sprintf("%s(%s)", wordsLeft, known)) {
			if !slices.Contains(strings.Fields("local "+part.data), word) { // the user
				t.Errorf("%s: %q stands outside web/src/texts", part.at, word)
			}
		}
	}
}
