package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// testTypes are a registry's.
func testTypes() []SourceType {
	return []SourceType{
		{Type: api.SourceLake, TableKey: "path", CheckReading: checkReading,
			Keys: []Key{{"root", Dir, true, nil}, {"memory_limit", Size, false, nil}, {"key_file", File, false, checkKey}}},
		{Type: api.SourcePostgres, TableKey: "relation",
			Keys: []Key{{"dsn", Text, false, nil}, {"dsn_env", Text, false, nil}}, OneOf: [][]string{{"dsn", "dsn_env"}}},
	}
}

// checkKey takes a file that begins with a brace.
func checkKey(path string) string {
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "{") {
		return "is no key"
	}
	return ""
}

// checkReading takes files of text, and the encoding utf-8 alone.
func checkReading(path, key, value string) string {
	switch {
	case !strings.HasSuffix(path, ".csv"):
		return path + " is no text"
	case key == "encoding" && value != "utf-8", key == "types" && value == "nothing":
		return value + " is not known"
	}
	return ""
}

func parseInstance(t *testing.T, text string) (*Instance, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"key.json": "{}", "a.csv": "the-secret"} {
		if err := os.WriteFile(filepath.Join(dir, "data", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ParseInstance(filepath.Join(dir, "instance.yaml"), []byte(text), testTypes())
}

func TestInstance(t *testing.T) {
	inst, err := parseInstance(t, `
server: { listen: "0.0.0.0:9000", state_dir: ./s , max_connections: 500}
api:
  scan: { max_limit: 10, max_result_bytes: 11, max_concurrent_per_user: 12, max_daily_bytes_per_user: 13KB,
          max_session_bytes: 17, bq_cost_per_tb_usd: 6.25, request_timeout_seconds: 14 }
  catalog_cache_ttl_seconds: 0
  schema_cache_ttl_seconds: 15
  sample_cache_ttl_seconds: 16
metrics: { per_user: true }
tables:
  - { id: flights, source: files, path: "flights/**/*.parquet" }
  - id: orders
    name: All Orders
    source: crm
    relation: public.orders
    query_mode: local
    description: |
      Orders,
      all of them.
    public: true
    label: keboola
    where_examples: ["a = 1", b = 2]
    refresh_every_seconds: 3600
sources:
  files: { type: lake, root: ./data, memory_limit: 1.5GB }
  crm: { type: postgres, dsn_env: CRM_DSN }
`)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(inst.File)
	want := Instance{
		File: inst.File, StateNamed: true,
		Server: Server{Listen: "0.0.0.0:9000", StateDir: filepath.Join(dir, "s"), MaxConnections: 500, Drain: 10 * time.Second},
		API: API{
			Scan: ScanLimits{MaxLimit: 10, MaxResultBytes: 11, MaxConcurrentPerUser: 12, MaxDailyBytesPerUser: 13_000, MaxSessionBytes: 17,
				BQCostPerTBUSD: 6.25, RequestTimeout: 14 * time.Second},
			SchemaCacheTTL: 15 * time.Second, SampleCacheTTL: 16 * time.Second,
		},
		Metrics: Metrics{PerUser: true},
		Sources: []Source{
			{Name: "files", Type: api.SourceLake, At: inst.File + ":25:3",
				Text: map[string]string{"root": filepath.Join(dir, "data")}, Size: map[string]int64{"memory_limit": 1_500_000_000}},
			{Name: "crm", Type: api.SourcePostgres, At: inst.File + ":26:3",
				Text: map[string]string{"dsn_env": "CRM_DSN"}, Size: map[string]int64{}},
		},
		Tables: []Table{
			{ID: "flights", Name: "flights", Source: "files", Relation: "flights/**/*.parquet", QueryMode: api.ModeRemote},
			{ID: "orders", Name: "All Orders", Source: "crm", Relation: "public.orders", QueryMode: api.ModeLocal,
				Description: "Orders,\nall of them.", Public: true, Label: "keboola", WhereExamples: []string{"a = 1", "b = 2"},
				RefreshEvery: time.Hour},
		},
	}
	if !reflect.DeepEqual(*inst, want) {
		t.Errorf("got  %+v\nwant %+v", *inst, want)
	}
}

func TestInstanceDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "sources:\ntables:\n", "\ufeffserver:\n"} {
		inst, err := parseInstance(t, text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := Defaults()
		want.File = inst.File
		want.Server.StateDir = filepath.Join(filepath.Dir(inst.File), "state")
		if !reflect.DeepEqual(*inst, want) {
			t.Errorf("%q: got %+v, want %+v", text, *inst, want)
		}
	}
	a := Defaults().API
	if a.Scan.MaxLimit != 10000000 || a.Scan.MaxResultBytes != 2147483648 || a.Scan.MaxConcurrentPerUser != 5 ||
		a.Scan.MaxDailyBytesPerUser != 53687091200 || a.Scan.BQCostPerTBUSD != 5 || a.Scan.RequestTimeout != 5*time.Minute ||
		a.CatalogCacheTTL != 5*time.Minute || a.SchemaCacheTTL != time.Hour || a.SampleCacheTTL != time.Hour {
		t.Errorf("the defaults are %+v", a)
	}
}

// faultsOf returns the faults of an error as "line:column message".
func faultsOf(t *testing.T, err error) []string {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeConfig {
		t.Fatalf("got %v, want a config error", err)
	}
	faults, ok := e.Details["faults"].([]Fault)
	if !ok || len(faults) == 0 {
		t.Fatalf("no faults in %v", e.Details)
	}
	var out []string
	for _, f := range faults {
		if f.File == "" || !strings.Contains(e.Message, f.String()) {
			t.Errorf("fault %+v is not in the message %q", f, e.Message)
		}
		out = append(out, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message))
	}
	return out
}

// TestEveryFaultAtOnce holds that one reading tells all that is wrong.
func TestEveryFaultAtOnce(t *testing.T) {
	_, err := parseInstance(t, `servr:
  listen: x
server:
  listen: 8400
  listen: 127.0.0.1:1
  state_dir: ""
api:
  scan: { max_limit: -1, max_result_bytes: "12", request_timeout_seconds: 0, max_concurent_per_user: 5 }
  schema_cache_ttl_seconds: 1e3
sources:
  files: { type: lake, root: ./nowhere, memory_limit: 12 }
  Bad: { type: lake }
  both: { type: postgres, dsn: a, dsn_env: b }
  dwh: { type: bigquery, project: p, dataset: d }
  none: { root: ./data }
  odd: { type: oracle }
tables:
  - { id: a, source: files, path: x.parquet }
  - { id: a, source: files, path: y.parquet }
  - { id: "No!", source: file, path: ../x.parquet }
  - { id: b, source: files, relation: r, public: yes, query_mode: locl }
  - { id: c, source: both, path: x, where_examples: x, label: "A B" }
  - { name: 3, source: dwh, relation: ok }
  - { id: d, source: odd, relation: ok, refresh_every_seconds: 60 }
  -
`)
	want := []string{
		`1:1 unknown key "servr"; did you mean "server"?`,
		`4:11 "8400" is not an address to listen on; write host:port, as in 127.0.0.1:8400`,
		`5:3 key "listen" is there twice; the first is in line 4`,
		`6:14 must not be empty`,
		`8:22 must be a whole number from 1 to 9223372036854775806`,
		`8:44 must be a number; take the quotes away`,
		`8:75 must be a whole number from 1 to 31536000`,
		`8:78 unknown key "max_concurent_per_user"; did you mean "max_concurrent_per_user"?`,
		`9:29 must be a whole number from 0 to 31536000 in plain digits, and is text`,
		`11:30 there is no folder ./nowhere; paths are relative to this file's folder`,
		`11:55 must be a size with its unit, as in 512MB or 1GiB`,
		`12:3 source name "Bad" is not valid: 1 to 64 lower-case ASCII letters, digits and underscores`,
		`12:3 source "Bad" of type lake needs root`,
		`13:3 source "both" of type postgres needs exactly one of dsn, dsn_env`,
		`14:16 unknown source type "bigquery"; known are lake, postgres`,
		`15:3 source "none" has no type; known are lake, postgres`,
		`16:16 unknown source type "oracle"; known are lake, postgres`,
		`19:7 table id "a" is there twice; the first is in line 18`,
		`20:11 table id "No!" is not valid; ids are 1 to 64 lower-case ASCII letters, digits and underscores`,
		`20:26 unknown source "file"; did you mean "files"?`,
		`20:38 "../x.parquet" leads out of the source's root; paths stay below it`,
		`21:5 a table of a lake source needs path`,
		`21:29 a table of a lake source has path, not relation`,
		`21:50 must be true or false, and is text`,
		`21:67 unknown query_mode "locl"; did you mean "local"?`,
		`22:5 a table of a postgres source needs relation`,
		`22:28 a table of a postgres source has relation, not path`,
		`22:53 must be a list, each item on a line that begins with a dash, and is text`,
		`22:63 a label is 1 to 32 lower-case ASCII letters, digits, hyphens and underscores`,
		`23:5 a table needs id`,
		`23:13 must be text; put it in quotes: "3"`,
		`24:41 refresh_every_seconds is for tables with query_mode: local`,
		`25:5 an empty item; a table needs id, source and path or relation`,
	}
	got := faultsOf(t, err)
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("fault %d:\n got %s\nwant %s", i, g, w)
		}
	}
}

func TestSingleFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a: [1\nb: 2":                   "2:1 not valid YAML: ',' or ']' must be specified",
		"server:\n\tlisten: x":          "2:1 not valid YAML: found character '\t' that cannot start any token",
		"server: {}\n---\nmore: 1\n":    "3:1 a second YAML document; put everything in one",
		"just text":                     "1:1 the file is text; it must be a mapping of keys to values, as in 'key: value'",
		"- a":                           "1:1 the file is a list; it must be a mapping of keys to values, as in 'key: value'",
		"server: &x {}\n":               "1:9 anchors and aliases are not used here; write the value out",
		"server: {listen: !!str 8}":     "1:18 YAML tags are not used here; leave it out",
		"server: {listen: ~}":           "1:18 must be text, and is empty",
		"server: 8":                     "1:9 server is a number; it must be a mapping of keys to values, as in 'key: value'",
		"# é\nserver:\n  é\xff: 1":      "3:4 the file is not valid UTF-8; save it as UTF-8",
		"api: {scan: {max_limit: 010}}": "1:25 must be a whole number from 1 to 9223372036854775806 in plain digits, and is a number",
		"api: {scan: {max_limit: 99999999999999999999}}":                       "1:25 must be a whole number from 1 to 9223372036854775806",
		"api: {scan: {bq_cost_per_tb_usd: .inf}}":                              "1:34 must be a number that is not negative",
		"api: {scan: {bq_cost_per_tb_usd: -5}}":                                "1:34 must be a number that is not negative",
		"sources: {x: {type: lake, root: instance.yaml}}":                      "1:33 there is no folder instance.yaml; paths are relative to this file's folder",
		"sources: {x: {type: lake, root: data, key_file: ./data/none.json}}":   "1:49 key_file: there is no file ./data/none.json; paths are relative to this file's folder",
		"sources: {x: {type: lake, root: data, key_file: data}}":               "1:49 key_file: there is no file data; paths are relative to this file's folder",
		"sources: {x: {type: lake, root: data, key_file: data/a.csv}}":         "1:49 key_file: data/a.csv is no key",
		"sources: {x: {type: lake, root: data, key_file: data/key.json}, y: }": `1:65 source "y" has no type; known are lake, postgres`,
		"sources: {x: {type: ''}}":                                             `1:21 unknown source type ""; known are lake, postgres`,
		"sources: {x: }":                                                       `1:11 source "x" has no type; known are lake, postgres`,
		"metrics: {otlp: 'http://h:4318/#v1'}":                                 `1:17 "http://h:4318/#v1" is not the address of a collector; write it as in http://127.0.0.1:4318`,
		"tables: [{id: a, source: x, path: y}]":                                `1:26 unknown source "x"; the file has no sources`,
		"tables: {id: a}":                                                      "1:9 must be a list, each item on a line that begins with a dash, and is a mapping",
		strings.Repeat("#", maxFileBytes+1):                                    "0:0 the file is larger than 1048576 bytes",
	} {
		_, err := parseInstance(t, text)
		if got := faultsOf(t, err); len(got) != 1 || got[0] != want {
			t.Errorf("%.60q:\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestPathsStayBelowTheRoot(t *testing.T) {
	for path, ok := range map[string]bool{
		"a.parquet": true, "a/b/*.csv": true, "**/[ab]?.parquet": true, "k=v/x.csv.gz": true, "..a/b..": true, "ü ö.csv": true,
		"": false, " ": false, "/a": false, "../a": false, "a/../b": false, "a/..": false, `a\b`: false, "c:/a": false,
		"a//b": false, "./a": false, "a/": false, "a\x00b": false,
	} {
		if got := CheckPath(path) == ""; got != ok {
			t.Errorf("CheckPath(%q) is %q", path, CheckPath(path))
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1B": 1, "512MB": 512_000_000, "1.5 GiB": 3 << 29, "2TB": 2_000_000_000_000, "3KB": 3000, "1MiB": 1 << 20,
		"0B": 0, "MB": 0, "1": 0, "-1MB": 0, "1mb": 0, "99999999TB": 0, "0.1B": 0,
	} {
		inst, err := parseInstance(t, "sources: {f: {type: lake, root: data, memory_limit: '"+text+"'}}")
		if want == 0 {
			faultsOf(t, err)
			continue
		}
		if err != nil || inst.Sources[0].Size["memory_limit"] != want {
			t.Errorf("%s: %v, want %d", text, err, want)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "none.yaml"), dir} {
		_, err := LoadInstance(file, nil)
		faultsOf(t, err)
	}
}

func FuzzInstance(f *testing.F) {
	f.Add("server: {listen: a}\ntables:\n  - {id: x}\n")
	f.Add("sources: {a: {type: lake}}\n? [a]\n: b\n<<: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		inst, err := ParseInstance("instance.yaml", []byte(text), testTypes())
		if (inst == nil) == (err == nil) {
			t.Fatalf("instance %v, error %v", inst, err)
		}
		if err != nil {
			faultsOf(t, err)
		}
	})
}

// TestSchedules: when a run is due, and what is no schedule.
func TestSchedules(t *testing.T) {
	read := func(schedule string) (*Instance, error) {
		return ParseInstance("/x/instance.yaml", []byte("schedules:\n  - {"+schedule+"}\nsources: {}\ntables: []\n"), nil)
	}
	inst, err := read(`name: a, file: n.yaml, user: ann, daily: "06:30"`)
	if err != nil {
		t.Fatal(err)
	}
	for now, due := range map[string]string{
		"2026-03-02T06:29:59Z": "2026-03-01T06:30:00Z", "2026-03-02T06:30:00Z": "2026-03-02T06:30:00Z", "2026-03-02T23:00:00Z": "2026-03-02T06:30:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := inst.Schedules[0].Due(at).Format(time.RFC3339); got != due {
			t.Errorf("at %s, %s was due, not %s", now, due, got)
		}
	}
	if inst.Schedules[0].File != "/x/n.yaml" {
		t.Error(inst.Schedules[0].File)
	}
	for _, bad := range []string{
		`name: a, file: n, user: ann`, `name: a, file: n, user: ann, daily: "06:30", every_seconds: 5`, `name: a, file: n, daily: "06:30"`,
		`name: a b, file: n, user: ann, daily: "06:30"`, `name: a, file: n, user: ann, daily: "25:00"`, `name: a, file: n, user: ann, daily: "06:30", webhook: "http://example.com"`,
		`name: a, file: n, user: ann, every_seconds: 5}, {name: a, file: n, user: ann, every_seconds: 5`,
	} {
		if _, err := read(bad); err == nil {
			t.Errorf("%s is taken for a schedule", bad)
		}
	}
}
