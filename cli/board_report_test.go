package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// board has a tile of each kind, a step that another one reads, and texts that would be
// markup or placeholders if anything took them for it.
const board = `{"name": "<b>Board</b>", "tables": ["flights"], "values": {"least": "0", "code": "'7'"}, "cells": [
	{"name": "words", "sql": "", "text": "**Bold** <script>alert(1)</script> {{ value: SELECT 1 }}"},
	{"name": "late", "sql": "-- @late stays\nSELECT * FROM flights WHERE delay >= $least AND origin <> $code AND origin <> '@late';"},
	{"name": "figures", "title": "In <i>figures</i>", "sql": "SELECT count(*) AS flights FROM @late"},
	{"name": "drawn", "sql": "WITH l AS (FROM @late) SELECT origin, delay FROM l", "look": {"view": "chart", "chart": {"kind": "bar", "x": "origin", "y": "delay", "how": "mean", "log": true}}},
	{"name": "proposed", "sql": "SELECT origin, delay FROM flights", "look": {"view": "chart"}},
	{"name": "undrawn", "sql": "SELECT max(origin) AS origin FROM flights", "look": {"view": "chart", "chart": {"kind": "bar", "x": "nothing", "y": "", "how": "count"}}},
	{"name": "rows", "sql": "SELECT 10000 + i AS number, '<script>' || i AS text FROM range(1500) t(i), (SELECT max(1) FROM flights)"}]}`

// boards is a place whose instance has two dashboards: one of a public table, and one of
// a table of which ann may read a row.
func boards(t *testing.T, more string) *place {
	t.Helper()
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.dir, "boards"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, "instance.yaml", "dashboards: boards\n"+more+fixtureInstance)
	p.write(t, "boards/open.json", board)
	p.write(t, "boards/ruled.json", `{"name": "Ruled", "tables": ["airports"], "cells": [{"name": "n", "sql": "SELECT count(*) AS airports FROM airports"}]}`)
	p.write(t, "boards/secret.json", `{"name": "Secret", "tables": ["events"], "cells": [{"name": "n", "sql": "SELECT count(*) AS events FROM events"}]}`)
	return p
}

// TestReportsOfDashboards: whoever may see a dashboard gets it as a file of each kind, of
// their own rows, whose figures know their statement.
func TestReportsOfDashboards(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "soffice")
	testneed.Program(t, "pdftotext")
	p := boards(t, "")
	admin := p.served()
	ann := admin.as("ann")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--rows", "latitude > 45")
	get := func(who *place, id, query string) (int, string) {
		t.Helper()
		return who.request("GET", "/api/dashboards/"+id+"/report?"+query, nil)
	}
	for _, format := range []string{"html", "pptx", "docx", "pdf"} {
		status, text := get(ann, "open", "format="+format+"&values="+url.QueryEscape(`{"least": 3}`))
		if status != 200 {
			t.Fatalf("%s: %d %s", format, status, text)
		}
		p.write(t, "got."+format, text)
		why := p.ok("why", "got."+format, "402")
		if !strings.Contains(why, "WITH late AS (-- @late stays") || !strings.Contains(why, "delay >= 3 AND origin <> '7' AND origin <> '@late'") {
			t.Errorf("%s: %s", format, why)
		}
		if format != "html" {
			continue
		}
		for _, want := range []string{"&lt;b&gt;Board&lt;/b&gt;", "Bold &lt;script&gt;alert(1)&lt;/script&gt; {{ value: SELECT 1 }}", "In &lt;i&gt;figures", "<dd>402</dd>", "$least = 3.", "the first 1000 of", "powers of ten", "lacks a column of the chart", "&lt;script&gt;999<"} {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %s in\n%.4000s", want, text)
			}
		}
		if strings.Contains(text, "<script") || strings.Count(text, `src="data:image/png;base64,`) != 2 || strings.Contains(text, "&lt;script&gt;1000") {
			t.Errorf("markup:\n%.4000s", text)
		}
	}
	text, err := exec.Command("pdftotext", "-layout", filepath.Join(p.dir, "got.pdf"), "-").Output()
	if err != nil || !strings.Contains(string(text), "In <i>figures</i>") || !strings.Contains(string(text), "SELECT count(*) AS flights FROM late") || !strings.Contains(string(text), "the first 200 of") {
		t.Errorf("%v: %.2000s", err, text)
	}
	p.ok("files", "put", "got.pptx")
	if slides := p.ok("files", "read", "got.pptx"); !strings.Contains(slides, "the first 8 of") || !strings.Contains(slides, "SELECT count(*) AS flights FROM late") {
		t.Errorf("the slides: %.3000s", slides)
	}

	for _, c := range []struct {
		id, query, want string
		status          int
	}{
		{"secret", "format=html", "unknown_dashboard", 404}, {"nothing", "format=pdf", "unknown_dashboard", 404}, {"open", "format=xlsx", "there is no format", 400},
		{"open", "format=html&values=1", "not a JSON object", 400}, {"open", "format=html&values=" + url.QueryEscape(`{"other": 1}`), "no $other", 400},
		{"open", "format=html&x=1", "no parameter 'x'", 400},
	} {
		if status, text := get(ann, c.id, c.query); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.id, c.query, status, text)
		}
	}
	for who, want := range map[*place]string{admin: "<dd>3</dd>", ann: "a rule limits which rows you may read here; there may be rows that do not show</p>\n<dl><div><dt>airports</dt><dd>1</dd>"} {
		if status, text := get(who, "ruled", "format=html"); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", want, status, text)
		}
	}
	post := func(who *place, cells string) (int, string) {
		t.Helper()
		return who.request("POST", "/api/page/report", api.NewReport{Format: "html", Sheet: json.RawMessage(`{"parameters": {"codes": ["SEA", "x, y"]}, "cells": [` + cells + `]}`)})
	}
	for _, c := range []struct {
		sql, want string
		status    int
		who       *place
	}{
		{"SELECT count(*) AS n FROM airports WHERE iata IN ($codes) OR latitude < 45", "<dd>1</dd>", 200, ann}, // a rule hides the others
		{"SELECT * FROM events", "tile 'n': ", 403, ann}, {"SELECT * FROM many", "tile 'n': ", 429, admin}, {"SELECT $missing FROM airports", "$missing has no value", 400, ann},
		{"DROP TABLE airports", "tile 'n': ", 400, ann},
	} {
		sql, err := json.Marshal(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		if status, text := post(c.who, `{"name": "n", "sql": `+string(sql)+`}`); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s", c.sql, status, text)
		}
	}
	if status, text := post(ann, strings.Repeat(`{"sql": ""},`, 60)+`{"sql": ""}`); status != 400 || !strings.Contains(text, "1 to 60 cells") {
		t.Errorf("%d %s", status, text)
	}
	if audit := admin.ok("admin", "audit", "--user", "ann", "--json"); strings.Count(audit, `"remote_query"`) < 20 {
		t.Errorf("the audit: %s", audit)
	}
}

// TestReportsFromFilesOfDashboards: the command line makes the same from the file, of
// what is here or at the source.
func TestReportsFromFilesOfDashboards(t *testing.T) {
	t.Parallel()
	p := boards(t, "")
	if out := p.ok("report", "boards/open.json", "--param", "least:=3", "--out", "a.html"); !strings.Contains(out, "6 tiles filled") {
		t.Error(out)
	}
	if why := p.ok("why", "a.html", "402"); !strings.Contains(why, "FROM late") {
		t.Error(why)
	}
	p.write(t, "here.json", strings.Replace(board, `"name"`, `"where": "here", "name"`, 1))
	if o := p.run("report", "here.json", "--out", "b.html"); o.code != 2 || !strings.Contains(o.stderr, "tile 'late'") {
		t.Errorf("%d %s", o.code, o.stderr)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "b.html")); err == nil {
		t.Error("a report that failed is there")
	}
	p.ok("report", "here.json", "--fetch", "--out", "b.pptx")
	p.ok("fetch", "flights")
	p.ok("report", "here.json", "--out", "c.docx")
	if checked := p.run("report", "check", "c.docx").stdout; !strings.Contains(checked, "not_run") || strings.Contains(checked, " drifted ") {
		t.Error(checked)
	}
	for _, wrong := range [][]string{{"boards/open.json", "--out", "a.xlsx"}, {"boards/open.json", "--out", "d.html", "--param", "x=1"},
		{"boards/open.json", "--out", "d.html", "--no-receipt"}, {"none.json", "--out", "d.html"}, {"home", "--out", "d.html"}} {
		if o := p.run(append([]string{"report"}, wrong...)...); o.code != 2 {
			t.Errorf("%v: %d %s", wrong, o.code, o.stderr)
		}
	}
}

// TestAScheduleDeliversADashboard: a user gets its file, of their own rows, at each run.
func TestAScheduleDeliversADashboard(t *testing.T) {
	t.Parallel()
	runs := make(chan []string, 1000)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var told struct{ Files []string }
		if err := json.NewDecoder(r.Body).Decode(&told); err != nil {
			t.Error(err)
		}
		runs <- told.Files
	}))
	t.Cleanup(hook.Close)
	p := boards(t, fmt.Sprintf("files: {}\nschedules:\n  - { name: board, file: night.yaml, user: ann, every_seconds: 1, files: [board.html], folder: reports, webhook: %q }\n", hook.URL))
	p.write(t, "night.yaml", "steps:\n  - { name: board, run: report boards/ruled.json --out board.html --force }\n")
	admin := p.served()
	ann := admin.as("ann")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--rows", "latitude > 45")
	for !slices.Equal(<-runs, []string{"board.html"}) { // some were due before the grant
	}
	var list struct{ Files []struct{ ID, Name string } }
	if status, text := ann.request("GET", "/api/files", nil); status != 200 || json.Unmarshal([]byte(text), &list) != nil || len(list.Files) != 1 || list.Files[0].Name != "reports/board.html" {
		t.Fatalf("%d %s", status, text)
	}
	if status, text := ann.request("GET", "/api/files/"+list.Files[0].ID+"/download", nil); status != 200 || !strings.Contains(text, "<dd>1</dd>") {
		t.Errorf("%d %s", status, text)
	}
}
