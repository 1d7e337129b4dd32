package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// choose sets a field or a list of a label.
func (b *tab) choose(label, value string) {
	b.t.Helper()
	b.until(`[...document.querySelectorAll("label")].some(l => l.innerText.trim().startsWith("` + label + `"))`)
	js[bool](b, `(() => { const f = [...document.querySelectorAll("label")].find(l => l.innerText.trim().startsWith("`+label+`")).querySelector("input, select");
		Object.getOwnPropertyDescriptor(Object.getPrototypeOf(f), "value").set.call(f, "`+value+`"); for (const e of ["input", "change"]) f.dispatchEvent(new Event(e, {bubbles: true})); return true; })()`)
}

// TestSnapshotsOfThePage keeps a part of a table, refreshes it, undoes that,
// compares, downloads and drops it.
func TestSnapshotsOfThePage(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	source := filepath.Join(p.dir, "people.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("id,name,wage\n1,Ann,100\n2,Bob,200\n3,Cid,300\n")
	instance := filepath.Join(p.dir, "page.yaml")
	if err := os.WriteFile(instance, []byte("server: { state_dir: "+filepath.Join(p.dir, "page-state")+" }\nsources:\n  files: { type: lake, root: "+p.dir+" }\ntables:\n  - { id: people, source: files, path: people.csv, public: true }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("DA_INSTANCE=" + instance)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.visit("/#code=" + code)
	b.sees("people")
	b.visit("/#/snapshots")
	b.sees("No snapshots yet")
	b.check("no-snapshots")

	b.visit("/#/tables/people/part?where=wage+%3E+100")
	b.choose("Keep on this machine as", "rich")
	b.press("Keep as snapshot")
	b.sees("2 rows are kept as rich")
	b.check("part-kept")
	b.press("Keep as snapshot")
	b.sees("already exists")
	b.press("Replace it")
	b.sees("2 rows are kept as rich")
	p.ok("snapshot", "copy", "rich", "before")

	write("id,name,wage\n1,Ann,150\n2,Bob,250\n3,Cid,300\n4,Dan,400\n")
	b.visit("/#/snapshots")
	b.sees("wage > 100")
	b.sees("pinned") // copies are
	b.check("snapshots")
	b.walk("snapshots")
	b.visit("/#/snapshots/rich")
	b.until(gridText + `.includes("Bob")`)
	b.press("Refresh…")
	b.sees("Reads at the source")
	b.check("snapshot-price")
	b.press("Refresh")
	b.sees("2 rows before, 4 now")
	b.until(gridText + `.includes("Dan")`)
	b.press("Compare…")
	b.until(`[...document.querySelectorAll("[aria-label='Rows that differ'] ins")].some(c => c.innerText === "4")`)
	b.choose("Key column", "id")
	b.sees("Changed")
	b.until(`[...document.querySelectorAll("[aria-label='Rows that differ'] tr")].some(r => r.querySelector("del")?.innerText === "200" && r.querySelector("ins")?.innerText === "250" && r.innerText.startsWith("changed"))`)
	b.check("snapshot-compared")
	b.walk("snapshot")

	js[bool](b, `window.showSaveFilePicker = undefined, true`)
	b.press("CSV")
	if got := file("rich.csv"); got != "id,name,wage\n1,Ann,150\n2,Bob,250\n3,Cid,300\n4,Dan,400\n" {
		t.Errorf("rich.csv: %q", got)
	}
	for _, format := range []string{"XLSX", "Parquet"} {
		b.press(format)
		got := file("rich." + strings.ToLower(format))
		if want := map[string]string{"XLSX": "PK\x03\x04", "Parquet": "PAR1"}[format]; !strings.HasPrefix(got, want) {
			t.Errorf("%s begins with %.8q", format, got)
		}
	}
	b.press("Undo the refresh")
	b.sees("The last refresh is undone: 2 rows")
	b.until(`!(` + gridText + `.includes("Dan"))`)
	if text := p.ok("query", "SELECT count(*) AS n FROM rich", "-o", "csv"); text != "n\n2\n" {
		t.Errorf("after the undo: %s", text)
	}
	b.press("Pin")
	b.sees("It stays as it is when all are refreshed.")
	b.press("Drop")
	b.focused("Drop") // it asks
	b.press("Drop")
	b.sees("The snapshot rich is dropped")
	if out := p.ok("snapshot", "list"); strings.Contains(out, "rich ") {
		t.Errorf("it is there still:\n%s", out)
	}
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}
}

// TestOldAndGuessedRowsOfThePage holds that what is to be known of rows stands
// beside them, wherever they are shown.
func TestOldAndGuessedRowsOfThePage(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "bare.csv"), []byte("Ann,Oslo\nBob,Rome\nCid,Bern\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	instance := filepath.Join(p.dir, "page.yaml")
	if err := os.WriteFile(instance, []byte("server: { state_dir: "+filepath.Join(p.dir, "page-state")+" }\nsources:\n  files: { type: lake, root: "+p.dir+" }\ntables:\n  - { id: bare, source: files, path: bare.csv, public: true }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("DA_INSTANCE=" + instance)
	p.ok("fetch", "bare", "--as", "old")
	meta := filepath.Join(p.dir, "home", "snapshots", "old.meta.json")
	text, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().UTC().AddDate(0, 0, -40).Format("2006-01-02")
	today := time.Now().UTC().Format("2006-01-02")
	if err := os.WriteFile(meta, []byte(strings.ReplaceAll(string(text), `_at": "`+today, `_at": "`+long)), 0o600); err != nil {
		t.Fatal(err)
	}
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("bare")
	b.do(chromedp.EmulateViewport(1440, 900))
	const guessed = "was taken for"
	b.visit("/#/tables/bare/sample")
	b.sees(guessed)
	b.visit("/#/tables/bare/part")
	b.press("Show rows")
	b.until(`document.querySelector(".result")?.innerText.includes("` + guessed + `")`)
	b.check("part-guessed")
	b.runs("SELECT * FROM bare")
	b.until(`document.querySelector(".result")?.innerText.includes("` + guessed + `")`)
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.until(`document.querySelector(".result")?.innerText.includes("` + guessed + `")`)
	b.check("chart-guessed")
	b.visit("/#/snapshots/old")
	b.sees("Snapshot 'old' is 40 days old")
	b.sees(guessed)
	b.check("snapshot-old")
	b.visit("/#/snapshots")
	b.sees("stale")
	b.sees("guessed")
	b.check("snapshots-old")
}
