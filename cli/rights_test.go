package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/client"
)

// as returns the place of a new user of the server. It asks the server itself: two
// starts of da take more time than most of what users are made for.
func (p *place) as(user string) *place {
	p.t.Helper()
	c, err := client.New(client.Options{URL: p.get("DA_SERVER"), Token: p.get("DA_TOKEN")})
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	admin := c.Administration()
	if _, err := admin.CreateUser(p.t.Context(), api.NewUser{Name: user}); err != nil {
		p.t.Fatal(err)
	}
	token, err := admin.CreateToken(p.t.Context(), api.NewToken{User: user})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.with("DA_TOKEN=" + token.Secret)
}

// TestRightsOnTheCommandLine is a user who may see a part of one table.
func TestRightsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	ann := admin.as("ann")
	for _, c := range []struct {
		exit int
		args []string
	}{
		{8, []string{"schema", "airports"}}, {8, []string{"schema", "nothere"}}, {8, []string{"fetch", "airports"}},
		{8, []string{"query", "--remote", "SELECT * FROM airports"}}, {8, []string{"admin", "user", "list"}}, {8, []string{"where", "airports", "a = 1"}},
		{0, []string{"schema", "flights"}}, {0, []string{"quota"}},
	} {
		if o := ann.run(c.args...); o.code != c.exit {
			t.Errorf("da %v: exit %d, want %d\n%s", c.args, o.code, c.exit, o.stderr)
		}
	}
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata,city", "--rows", "latitude > 45")
	if text := ann.ok("schema", "airports"); strings.Contains(text, "latitude") || !strings.Contains(text, "city") {
		t.Errorf("the schema: %s", text)
	}
	ann.ok("fetch", "airports")
	if text := ann.ok("query", "SELECT * FROM airports", "-o", "csv"); text != "iata,city\nSEA,Seattle\n" {
		t.Errorf("the snapshot: %s", text)
	}
	if text := ann.ok("query", "--remote", "SELECT count(*) AS n FROM airports", "-o", "csv"); text != "n\n1\n" {
		t.Errorf("a count at the source: %s", text)
	}
	// values of rows that a rule hides are neither listed nor proposed
	if text := ann.ok("values", "airports.city", "-o", "csv"); text != "value,n\nSeattle,1\n" {
		t.Errorf("the values: %s", text)
	}
	ann.ok("snapshot", "drop", "airports")
	if text := ann.ok("values", "airports.city", "-o", "csv"); text != "value,n\nSeattle,1\n" {
		t.Errorf("the values at the source: %s", text)
	}
	for city, want := range map[string]bool{"new york": false, "seatle": true} {
		o := ann.run("query", "--remote", "SELECT * FROM airports WHERE city = '"+city+"'")
		if o.code != 0 || strings.Contains(o.stderr, "did you mean") != want {
			t.Errorf("%s: exit %d, %s", city, o.code, o.stderr)
		}
	}
	if o := ann.run("values", "airports.latitude"); o.code == 0 || strings.Contains(o.stdout, "47") {
		t.Errorf("the values of a hidden column: exit %d, %s", o.code, o.stdout)
	}
	o := ann.run("fetch", "airports", "--where", "latitudes > 1", "--as", "x", "--json")
	if e := o.lastJSON(t); o.code != 2 || e.Kind != "unknown_column" || strings.Contains(o.stderr, "latitude ") || strings.Contains(o.stderr, `"latitude"`) {
		t.Errorf("a near name: exit %d, %s", o.code, o.stderr)
	}
}

// TestAuditSurvivesAKill kills the server after answers were delivered, and
// looks for them in what it left.
func TestAuditSurvivesAKill(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cmd := p.command("serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, token, err := setup.Announced(stderr)
	if err != nil {
		t.Fatal(err)
	}
	client := p.with("DA_SERVER="+url, "DA_TOKEN="+token)
	client.ok("schema", "types")
	client.ok("fetch", "airports", "--no-estimate")
	client.ok("query", "--remote", "SELECT count(*) FROM events", "-o", "csv")
	_ = client.run("fetch", "nothere")
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	var events []api.AuditEvent
	if err := json.Unmarshal([]byte(p.ok("admin", "audit", "--user", "admin", "--json")), &events); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range events {
		seen[e.EventType+" "+e.TableID+" "+e.Data.Status] = true
	}
	for _, want := range []string{"catalog_schema types ok", "fetch_scan airports ok", "remote_query events ok", "fetch_scan nothere rejected"} {
		if !seen[want] && !seen[strings.Replace(want, "fetch_scan nothere", "fetch_estimate nothere", 1)] {
			t.Errorf("no %q in %v", want, seen)
		}
	}
	// The token still opens the next server: the first one is made once.
	next := p.command("serve", "--listen", "127.0.0.1:0")
	stderr, err = next.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = next.Process.Signal(syscall.SIGTERM)
		_ = next.Wait()
	}()
	url, again, err := setup.Announced(stderr)
	if err != nil || again != "" {
		t.Errorf("a second first token %q, %v", again, err)
	}
	p.with("DA_SERVER="+url, "DA_TOKEN="+token).ok("catalog")
}

// TestTwoServersShareOneQuota has two processes serve one state: together they
// give a user one day's bytes, and a third that is started later gives nothing.
func TestTwoServersShareOneQuota(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := filepath.Join(p.dir, "shared.yaml")
	const most = 100_000
	text := strings.Replace(fixtureInstance, "max_result_bytes: 100000000", fmt.Sprintf("max_result_bytes: 100000000, max_daily_bytes_per_user: %d", most), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("DA_INSTANCE=" + file)
	first := p.served()
	ann := first.as("ann")
	token := "DA_TOKEN=" + ann.get("DA_TOKEN")
	servers := []*place{ann, p.served().with(token)}
	var refused sync.WaitGroup
	for i, server := range servers {
		refused.Go(func() {
			for n := range 200 {
				o := server.run("fetch", "flights", "--no-estimate", "--force", "--fresh", "--as", fmt.Sprintf("f%d", i), "--json")
				if o.code == 3 && n > 0 {
					return
				}
				if o.code != 0 {
					t.Errorf("server %d, fetch %d: exit %d, %s", i, n, o.code, o.stderr)
					return
				}
			}
			t.Errorf("server %d refuses nothing", i)
		})
	}
	refused.Wait()
	var used int64
	for _, server := range append(servers, p.served().with(token)) {
		var q api.QuotaStatus
		if err := json.Unmarshal([]byte(server.ok("quota", "--json")), &q); err != nil {
			t.Fatal(err)
		}
		if q.ResultBytes > most || q.ResultBytes == 0 || used != 0 && q.ResultBytes != used {
			t.Errorf("%d bytes of %d used, before that %d", q.ResultBytes, most, used)
		}
		used = q.ResultBytes
		if o := server.run("fetch", "flights", "--no-estimate", "--fresh", "--as", "more", "--json"); o.code != 3 || o.lastJSON(t).Kind != "daily_bytes" {
			t.Errorf("after it: exit %d, %s", o.code, o.stderr)
		}
	}
	// What is there stays whole, whatever is asked for in its place, also when its source
	// has changed.
	months, err := filepath.Glob(filepath.Join(p.dir, "data", "flights", "*", "*.parquet"))
	if err != nil || len(months) == 0 {
		t.Fatal(months, err)
	}
	data, err := os.ReadFile(months[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strings.TrimSuffix(months[0], ".parquet")+"-more.parquet", data, 0o600); err != nil {
		t.Fatal(err)
	}
	whole := ann.ok("query", "SELECT count(*) AS n FROM f0", "-o", "csv")
	for _, call := range []string{"snapshot refresh f0", "snapshot refresh --all", "fetch flights --no-estimate --fresh --force --as f0"} {
		if o := ann.run(strings.Fields(call)...); o.code != 3 || ann.ok("query", "SELECT count(*) AS n FROM f0", "-o", "csv") != whole || whole == "n\n0\n" {
			t.Errorf("%s: exit %d, %s; there were %s", call, o.code, o.stderr, whole)
		}
	}
	var events []api.AuditEvent
	if err := json.Unmarshal([]byte(first.ok("admin", "audit", "--user", "ann", "--limit", "10000", "--json")), &events); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, e := range events {
		if e.Data.ResultBytes != nil {
			sum += *e.Data.ResultBytes
		}
	}
	if sum != used {
		t.Errorf("the audit sums to %d, the quota says %d", sum, used)
	}
}

// TestAStateThatCannotBeWritten has data still be read in process, with a
// warning, and nothing that would have to be remembered.
func TestAStateThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := filepath.Join(p.dir, "stuck.yaml")
	text := "server: { state_dir: ./data/airports.csv }\n" + fixtureInstance
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("DA_INSTANCE=" + file)
	if o := p.run("fetch", "airports"); o.code != 0 || !strings.Contains(o.stderr, "WARN: usage is not recorded") {
		t.Errorf("fetch: exit %d, %s", o.code, o.stderr)
	}
	for _, args := range [][]string{{"admin", "user", "list"}, {"serve", "--listen", "127.0.0.1:0"}} {
		if o := p.run(args...); o.code != 2 {
			t.Errorf("da %v: exit %d, %s", args, o.code, o.stderr)
		}
	}
	if o := p.with("DA_SESSION=talk").run("fetch", "airports", "--force", "--fresh"); o.code != 2 {
		t.Errorf("a budget that nobody keeps: exit %d, %s", o.code, o.stderr)
	}
}

// TestARuleOnRowsIsAlwaysSaid asks under a rule that hides everything, and under one
// that hides nothing: each answer says that there is a rule, in the same words.
func TestARuleOnRowsIsAlwaysSaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cities := "  - { id: cities, source: files, path: airports.csv, query_mode: local }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(fixtureInstance+cities), 0o600); err != nil {
		t.Fatal(err)
	}
	admin := p.served()
	said := map[string][]string{}
	for user, rule := range map[string]string{"none": "iata = 'none'", "whole": "iata <> 'none'"} {
		q := admin.userPlace(t, user)
		for _, table := range []string{"airports", "cities"} {
			admin.ok("admin", "grant", "--user", user, "--table", table, "--rows", rule)
		}
		for _, args := range [][]string{
			{"catalog"}, {"schema", "airports"}, {"describe", "airports"}, {"fetch", "airports", "--no-estimate"}, {"fetch", "airports", "--estimate"},
			{"query", "--remote", "SELECT iata FROM airports WHERE iata = 'nowhere'"}, {"query", "--remote", "SELECT count(*) FROM airports, cities", "--max-tokens", "500"},
			{"snapshot", "refresh", "airports"}, {"sync"},
		} {
			o := q.run(args...)
			text := o.stderr + o.stdout
			if o.code != 0 || !strings.Contains(text, api.RowRuleWarning) {
				t.Errorf("%s: da %v does not speak of a rule: exit %d\n%s", user, args, o.code, text)
			}
			said[args[0]] = append(said[args[0]], o.stderr)
		}
		for _, args := range [][]string{
			{"catalog", "--json"}, {"schema", "airports", "--json"}, {"describe", "airports", "--json"}, {"fetch", "airports", "--as", "again", "--json"},
			{"snapshot", "show", "again", "--json"}, {"sync", "--json"},
		} {
			if text := q.ok(args...); args[0] != "sync" && !strings.Contains(text, `"row_rule":true`) {
				t.Errorf("%s: da %v: %s", user, args, text)
			}
		}
		mcp := q.mcp()
		for tool, arguments := range map[string]string{
			"catalog_search": `{}`, "catalog_schema": `{"table_id":"airports"}`, "catalog_sample": `{"table_id":"airports"}`, "fetch_estimate": `{"table_id":"airports"}`,
		} {
			if doc, failed := mcp.call(tool, arguments); failed || !strings.Contains(string(doc), `"row_rule":true`) {
				t.Errorf("%s: %s: %s", user, tool, doc)
			}
		}
		for tool, arguments := range map[string]string{
			"query_remote": `{"sql":"SELECT iata FROM airports"}`, "fetch": `{"table_id":"airports","as":"third"}`, "snapshot_refresh": `{"name":"airports"}`,
		} {
			if doc, failed := mcp.call(tool, arguments); failed || !strings.Contains(string(doc), api.RowRuleWarning) {
				t.Errorf("%s: %s: %s", user, tool, doc)
			}
		}
	}
	for _, command := range []string{"catalog", "schema", "describe", "query"} {
		all := said[command]
		if half := len(all) / 2; !slices.Equal(all[:half], all[half:]) {
			t.Errorf("da %s answers one user differently than the other: %q", command, all)
		}
	}
	open := admin.userPlace(t, "open")
	admin.ok("admin", "grant", "--user", "open", "--table", "airports")
	for _, args := range [][]string{{"catalog"}, {"schema", "airports"}, {"describe", "airports", "--json"}, {"fetch", "airports", "--json"}, {"query", "--remote", "SELECT iata FROM airports"}} {
		if o := open.run(args...); o.code != 0 || strings.Contains(o.stderr+o.stdout, "rule") {
			t.Errorf("without a rule, da %v: exit %d\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
}
