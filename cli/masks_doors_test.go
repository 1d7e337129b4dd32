package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// maskedPeople are two worlds that differ below masks alone: mails that are constant, pay by
// the thousand, births by the month, and the last four digits of a card.
func maskedPeople(second bool) string {
	mail, card, more := "aaSECRET%03d@x.org", "4111SECRET111%03d1234", 0
	if second {
		mail, card, more = "zzSECRET%03d@y.com", "5555SECRET555%03d1234", 7
	}
	var b strings.Builder
	b.WriteString("iata,city,mail,pay,born,card\n")
	for i := range 60 {
		fmt.Fprintf(&b, "A%02d,%s,"+mail+",%d,1980-%02d-%02d,"+card+"\n", i, []string{"São Paulo", "Praha", "Oslo"}[i%3], i, 1000*(1+i%9)+100+i*3+more,
			1+i%12, 10+more+i%5, i)
	}
	return b.String()
}

// maskedCommands are what a user asks at the command line: T is the table, s a snapshot.
var maskedCommands = [][]string{
	{"catalog", "--json"}, {"catalog", "--search", "mail card", "--json"}, {"schema", "airports", "--json"}, {"describe", "airports", "--json"},
	{"fetch", "airports", "--estimate", "--json"}, {"fetch", "airports", "--as", "s"}, {"query", "SELECT * FROM s ORDER BY iata", "-o", "csv"},
	{"query", "SELECT min(mail), max(mail), min(pay), max(born), max(card), count(DISTINCT mail) FROM s", "-o", "csv"},
	{"fetch", "airports", "--where", "mail = 'aaSECRET000@x.org'", "--as", "w"}, {"fetch", "airports", "--order-by", "pay", "--limit", "3", "--as", "o"},
	{"fetch", "airports", "--select", "city,mail", "--where", "city = 'Oslo'", "--as", "part"}, {"query", "SELECT * FROM part", "-o", "csv"},
	{"query", "--remote", "SELECT * FROM airports"}, {"query", "--remote", "SELECT * EXCLUDE (mail) FROM airports"}, {"query", "--remote", "SELECT max(pay) FROM airports"},
	{"query", "--remote", "SELECT city, count(*) AS n FROM airports GROUP BY city ORDER BY city"}, {"query", "--remote", "SELECT a.iata FROM airports a JOIN airports b USING (mail)"},
	{"query", "--remote", "SELECT city FROM airports WHERE city = 'Sao Paulo'"}, {"query", "--fetch", "SELECT city, max(mail), sum(pay) FROM airports GROUP BY city ORDER BY city"},
	{"query", "--fetch", "SELECT count(*) FROM airports WHERE pay > 3000"}, {"query", "--fetch", "SELECT count(*) FROM airports WHERE mail = 'aaSECRET000@x.org'"},
	{"query", "--fetch", "SELECT count(*) FROM airports WHERE city = 'prahaa'"}, {"plan", "SELECT mail FROM airports WHERE card LIKE '4%'"}, {"plan", "SELECT mail FROM airports WHERE city = 'Oslo'"},
	{"values", "airports.mail"}, {"values", "airports.pay", "--estimate"}, {"values", "airports.city"}, {"values", "s.mail"}, {"profile", "airports"}, {"profile", "s", "--json"},
	{"context", "which mail and card has who is born in Oslo", "--tokens", "800"}, {"joins", "airports"}, {"note", "airports.mail", "words"},
	{"metric", "list", "--json"}, {"metric", "show", "people", "--json"}, {"metric", "show", "paid"}, {"metric", "query", "people", "--by", "town", "-o", "csv"},
	{"metric", "query", "people", "--by", "post", "-o", "csv"}, {"metric", "query", "paid", "--by", "town"}, {"metric", "query", "people", "--by", "born__day"}, {"metric", "query", "senders", "--sql"},
	{"metric", "query", "people", "--by", "town", "--where", "town = 'prahaa'"}, {"metric", "query", "people", "--where", "post = 'aaSECRET000@x.org'", "--remote"},
	{"joins", "airports", "--verify"}, {"joins", "s", "--verify"}, {"joins", "--verify", "--json"}, {"query", "SELECT sum(a.pay) AS p, count(*) AS n FROM s a JOIN s b USING (mail)"},
	{"query", "--fetch", "SELECT sum(f.pay) AS p FROM airports f JOIN airports t USING (city)"}, {"query", "--fetch", "SELECT count(*) FROM airports WHERE city IN ('prahaa', 'Oslo')"},
	{"query", "SELECT count(*) FROM s WHERE mail IN ('aaSECRET000@x.org', 'hidden')"}, {"query", "SELECT mail, sum(pay) AS pay FROM s GROUP BY ALL ORDER BY ALL", "--plot", "bar"},
	{"query", "SELECT born, pay FROM s ORDER BY ALL", "--plot", "scatter", "--out", "p.svg", "--force"}, {"query", "SELECT * FROM s ORDER BY iata", "--out", "f.xlsx", "--force"}, {"why", "f.xlsx", "1000"}, {"report", "check", "f.xlsx"},
	{"report", "board.json", "--out", "b.html", "--force"}, {"why", "b.html", "60"}, {"saved", "list"}, {"saved", "run", "towns"}, {"saved", "run", "mails"}, {"saved", "show", "mails"}, {"where", "airports", "mail = 'x'"},
	{"snapshot", "diff", "s", "s"}, {"check", "learn", "s"}, {"snapshot", "show", "s"}, {"snapshot", "refresh", "s"}, {"query", "SELECT count(*) FROM s WHERE mail LIKE '%SECRET%'", "-o", "csv"},
}

// maskedTools are the same for a model on the server.
var maskedTools = []struct {
	name string
	args map[string]any
}{
	{"catalog_sample", map[string]any{"table_id": "airports", "rows": 20}}, {"catalog_schema", map[string]any{"table_id": "airports"}},
	{"catalog_search", map[string]any{"query": "mail"}}, {"context", map[string]any{"question": "mail and card of airports"}},
	{"fetch_estimate", map[string]any{"table_id": "airports", "select": []string{"mail"}, "where": "pay > 3000"}},
	{"fetch_estimate", map[string]any{"table_id": "airports", "where": "city = 'Oslo'"}}, {"where_check", map[string]any{"table_id": "airports", "where": "mail = 'x'"}},
	{"query_remote", map[string]any{"sql": "SELECT mail FROM airports"}}, {"query_remote", map[string]any{"sql": "SELECT city, count(*) AS n FROM airports GROUP BY city ORDER BY city"}},
	{"query_remote", map[string]any{"sql": "SELECT city FROM airports WHERE city = 'osloo'"}}, {"values", map[string]any{"table": "airports", "column": "card"}},
	{"values", map[string]any{"table": "airports", "column": "city"}}, {"metric", map[string]any{}}, {"metric", map[string]any{"metrics": []string{"people"}, "by": []string{"town"}}},
	{"metric", map[string]any{"metrics": []string{"people"}, "by": []string{"post"}}}, {"metric", map[string]any{"metrics": []string{"paid"}}},
	{"query_remote", map[string]any{"sql": "SELECT city FROM airports WHERE city IN ('osloo', 'Praha') ORDER BY 1"}}, {"query_remote", map[string]any{"sql": "SELECT sum(a.pay) FROM airports a JOIN airports b USING (city)"}},
}

// maskedPaths are what the page asks the server.
var maskedPaths = [][3]string{
	{"GET", "/api/v2/model"}, {"GET", "/api/v2/model/metrics/people"}, {"GET", "/api/v2/model/metrics/paid"}, {"GET", "/api/v2/model/metrics/senders"}, {"GET", "/api/page/dashboards"},
	{"GET", "/api/dashboards/open/report?format=html"}, {"GET", "/api/dashboards/board/report?format=html"}, {"GET", "/api/page/tables/airports/joins"}, {"GET", "/api/v2/known"},
	{"POST", "/api/page/profile", `{"table_id": "airports"}`}, {"POST", "/api/page/report", `{"format": "html", "sheet": ` + maskedBoard + `}`},
	{"POST", "/api/page/report", `{"format": "html", "sheet": ` + openBoard + `}`}, {"POST", "/api/page/query", `{"sql": "SELECT city FROM airports WHERE city = 'prahaa'"}`},
	{"POST", "/api/page/price", `{"sql": "SELECT city FROM airports WHERE city = 'Oslo'"}`}, {"POST", "/api/page/rows", `{"table_id": "airports", "where": "city = 'Oslo'", "order_by": ["iata"]}`},
	{"POST", "/api/page/rows", `{"table_id": "airports", "where": "mail = 'aaSECRET000@x.org'", "order_by": ["iata"]}`},
}

// maskedSteps are what a model on the user's machine calls.
func maskedSteps() [][]provider.Call {
	call := providertest.Call
	return [][]provider.Call{
		{call("a", "catalog_search", map[string]any{"query": "mail"}), call("b", "catalog_sample", map[string]any{"table_id": "airports", "rows": 20}),
			call("c", "values", map[string]any{"table": "airports", "column": "mail"}), call("d", "profile", map[string]any{"table": "s"})},
		{call("e", "fetch", map[string]any{"table_id": "airports", "select": []string{"mail", "pay"}, "as": "asked"}),
			call("f", "query_remote", map[string]any{"sql": "SELECT mail FROM airports"}), call("g", "joins", map[string]any{"table": "s"})},
		{call("h", "query", map[string]any{"sql": "SELECT mail, card, born, pay FROM s ORDER BY pay DESC, iata"}),
			call("i", "query", map[string]any{"sql": "SELECT mail, max(pay) AS pay FROM asked GROUP BY mail"})},
	}
}

// Dashboards of masked columns, and of others; and a model of both.
const (
	maskedBoard = `{"name": "Masked", "tables": ["airports"], "cells": [{"name": "m", "sql": "SELECT max(mail) AS mail, sum(pay) AS pay, count(*) AS n FROM airports"}]}`
	openBoard   = `{"name": "Open", "tables": ["airports"], "cells": [{"name": "t", "sql": "SELECT city, count(*) AS n FROM airports GROUP BY city ORDER BY city"}]}`
	maskedModel = `{"semantic_models": [{"name": "who", "node_relation": {"alias": "airports", "relation_name": "x.main.airports"}, "entities": [{"name": "person", "type": "primary", "expr": "iata"}],
	"dimensions": [{"name": "town", "type": "categorical", "expr": "city"}, {"name": "post", "type": "categorical", "expr": "mail || '|' || card"},
		{"name": "born", "type": "time", "type_params": {"time_granularity": "day"}}],
	"measures": [{"name": "n", "agg": "count", "expr": "1"}, {"name": "pay", "agg": "sum", "expr": "\"PAY\" * 2"}, {"name": "m", "agg": "count_distinct", "expr": "mail"}]}],
	"metrics": [{"name": "people", "type": "simple", "type_params": {"measure": {"name": "n"}}}, {"name": "paid", "type": "simple", "type_params": {"measure": {"name": "pay"}}},
	{"name": "senders", "type": "simple", "type_params": {"measure": {"name": "m"}}}]}`
)

// ofOneRun is what differs from one run to the next: marks, times, packed receipts with times, lengths of answers with times, what is left of a quota.
var ofOneRun = regexp.MustCompile(`(?m)[0-9a-f]{32}|content="[A-Za-z0-9+/]{200,}=*"|"elapsed_ms":\d+|\d+\.\d KB$|data-[0-9a-f]{12}|quota_bytes\\*":\d+|("bytes":\d+,)?"ms":\d+|"tokens":\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16}|20\d\d-\d\d-\d\dT[0-9:.]+Z|\d+(\.\d+)? ?m?s\b|\d+ seconds? ago|20\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?`)

// TestNoDoorOfAClientShowsWhatIsMasked asks a real server, over HTTP, MCP and Flight SQL, in
// two worlds: every answer is the same, whatever the caches and stores of a client keep.
func TestNoDoorOfAClientShowsWhatIsMasked(t *testing.T) {
	t.Parallel()
	admin, address := flightServer(t, "model: semantic_manifest.json\ndashboards: boards\n", "semantic_manifest.json", maskedModel,
		"boards/board.json", maskedBoard, "boards/open.json", openBoard)
	admin.write(t, "board.json", maskedBoard)
	file := filepath.Join(admin.dir, "srv", "data", "airports.csv")
	var worlds [2][]string
	for i := range worlds {
		if err := os.WriteFile(file, []byte(maskedPeople(i == 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		admin.ok("admin", "catalog-refresh")
		if i == 0 {
			admin = admin.with("ANN=" + admin.as("ann").get("DA_TOKEN"))
			admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--mask", "mail=constant:none", "--mask", "pay=number:1000",
				"--mask", "born=date:month", "--mask", "card=last4")
			for name, sql := range map[string]string{"mails": "SELECT mail FROM airports", "towns": "SELECT city, count(*) AS n FROM airports GROUP BY city ORDER BY city"} {
				admin.ok("saved", "add", name, sql, "--question", "which "+name+"?")
				admin.ok("saved", "approve", name)
			}
		}
		ann := admin.with("DA_TOKEN="+admin.get("ANN"), "DA_HOME="+t.TempDir())
		said := func(what any, text string) {
			worlds[i] = append(worlds[i], fmt.Sprintf("%v: %s", what, ofOneRun.ReplaceAllString(strings.ReplaceAll(text, ann.get("DA_HOME"), "HOME"), "<>")))
		}
		for _, args := range maskedCommands {
			o := ann.run(args...)
			said(args, fmt.Sprint(o.code, o.stdout, o.stderr))
		}
		model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "The first is " + firstCell(last) + "." }, maskedSteps()...))
		asks := ann.withModel(model, provider.Anthropic)
		var answer agent.Answer
		mustJSON(t, asks.ok("ask", "Which mail has the highest pay?", "-o", "json"), &answer)
		receipt := answer.Conversation + "-1"
		for _, args := range [][]string{{"ask", "And again?", "--continue"}, {"receipt", "show", receipt, "--json"}, {"receipt", "verify", receipt, "--json"},
			{"conversations", "export", answer.Conversation}, {"conversations", "show", answer.Conversation, "--json"}} {
			o := asks.run(args...)
			said(args[:2], fmt.Sprint(o.code, o.stdout, o.stderr))
		}
		said("the answer of a model", answer.Text)
		for n, r := range model.Requests() {
			said(fmt.Sprint("request of a model ", n), string(r.Raw))
		}
		s, err := ann.overHTTP(bearer{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range maskedTools {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.name, Arguments: tool.args})
			if err != nil {
				t.Fatal(tool, err)
			}
			said(tool, fmt.Sprint(r.IsError, r.Content[0].(*mcp.TextContent).Text))
		}
		s.Close()
		for _, asked := range maskedPaths {
			status, text := ann.request(asked[0], asked[1], json.RawMessage(cmp.Or(asked[2], "null")))
			said(asked, fmt.Sprint(status, text))
		}
		d := dial(t, address, ann.get("DA_TOKEN"))
		for _, sql := range []string{"SELECT mail FROM airports", "SELECT * FROM airports", "SELECT count(*) AS n FROM airports", "SELECT airports FROM airports"} {
			rows, err := d.query(sql)
			said(sql, fmt.Sprint(rows, err))
		}
	}
	for i, first := range worlds[0] {
		if second := worlds[1][i]; second != first {
			at := 0
			for at < min(len(first), len(second)) && first[at] == second[at] {
				at++
			}
			from := max(at-300, 0)
			t.Errorf("the worlds differ in %.80s:\n%.500s\n%.500s", first, first[from:], second[from:])
		}
		if at := strings.Index(strings.NewReplacer("aaSECRET000@x.org", "", "%SECRET%", "").Replace(first), "SECRET"); at >= 0 {
			t.Errorf("what is masked is in the answer: %.1500s", first)
		}
	}
	t.Logf("%d answers to each world", len(worlds[0]))
}

// TestConditionsOnMaskedColumnsAreRefusedWhereTheyAreChecked: as the scan refuses them, which
// allows what another grant shows.
func TestConditionsOnMaskedColumnsAreRefusedWhereTheyAreChecked(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	ann := admin.as("ann")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--mask", "city=hash", "--mask", "iata=constant")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata,city", "--rows", "latitude > 45", "--mask", "city=null")
	s, err := ann.overHTTP(bearer{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for where, ok := range map[string]bool{"city = 'Oslo'": false, "latitude > 1 OR city LIKE 'O%'": false, "iata = 'OSL'": true, "latitude > 1": true,
		"iata = 'OSL' AND latitude > 1": false, "latitude > 1 AND iata = 'OSL'": false} {
		if o := ann.run("where", "airports", where); (o.code == 0) != ok || !ok && !strings.Contains(o.stderr, "is masked for you") {
			t.Errorf("%s: %d %s", where, o.code, o.stderr)
		}
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "where_check", Arguments: map[string]any{"table_id": "airports", "where": where}})
		if err != nil || r.IsError == ok || !ok && !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "masked_column") {
			t.Errorf("%s: %+v, %v", where, r, err)
		}
		if o := ann.run("fetch", "airports", "--select", "iata", "--where", where, "--estimate"); (o.code == 0) != ok {
			t.Errorf("the fetch of %s: %d %s", where, o.code, o.stderr)
		}
	}
}

// TestMaskedColumnsAreLeftOutOfProfiles that nobody can fetch, and named.
func TestMaskedColumnsAreLeftOutOfProfiles(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	ann, bob := admin.as("ann"), admin.as("bob")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--mask", "city=hash", "--mask", "name=constant")
	admin.ok("admin", "grant", "--user", "bob", "--table", "airports", "--columns", "iata,city,latitude", "--mask", "city=hash")
	admin.ok("admin", "grant", "--user", "bob", "--table", "airports", "--columns", "iata,city")
	for user, want := range map[*place]string{ann: `columns "city" and "name" left out: masked for you`, bob: `column "city" left out: masked for you`} {
		status, page := user.request("POST", "/api/page/profile", map[string]any{"table_id": "airports"})
		s, err := user.overHTTP(bearer{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "profile", Arguments: map[string]any{"table": "airports"}})
		if err != nil || r.IsError || status != 200 {
			t.Fatalf("%d %s; %+v, %v", status, page, r, err)
		}
		s.Close()
		for _, text := range []string{page, r.Content[0].(*mcp.TextContent).Text} {
			text = strings.ReplaceAll(text, `\"`, `"`)
			if !strings.Contains(text, want) || !strings.Contains(text, "latitude") || strings.Contains(text, `"name":"city"`) {
				t.Errorf("%s in %.1500s", want, text)
			}
		}
	}
}
