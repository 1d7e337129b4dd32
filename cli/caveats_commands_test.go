package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/profiles"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/server/core"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
)

// doorsOfCommands are the commands that tell caveats: each returns the rest of a command
// line, about something of what is there, and what it must tell. They may run others
// before.
var doorsOfCommands = map[string]func(*world, []known) ([]string, map[string]bool){
	"da query":                                    answered(),
	"da query -o json":                            answered("-o", "json"),
	"da query -o csv":                             answered("-o", "csv"),
	"da query --max-tokens":                       answered("--max-tokens", "4000"),
	"da query --out FILE.csv":                     answered("--out", "FILE.csv"),
	"da query --out FILE.parquet":                 answered("--out", "FILE.parquet", "--json"),
	"da query --out FILE.csv --caveats FILE.json": answered("--out", "FILE.csv", "--caveats", "FILE.json"),
	"da saved run": func(w *world, there []known) ([]string, map[string]bool) {
		a := w.statement(there)
		if w.r.IntN(2) == 0 {
			a = w.ofTable()
		}
		w.question = &api.SavedQuestion{NewQuestion: api.NewQuestion{Name: "q", Question: "What is there?", SQL: a.sql}, Tables: []string{}}
		if w.r.IntN(2) == 0 {
			w.question.Approved = &api.Approval{By: "somebody", At: time.Now(), NewApproval: api.NewApproval{Result: "0"}}
		}
		return []string{"q"}, a.want
	},
	"da values": func(w *world, there []known) ([]string, map[string]bool) {
		k := w.either(there)
		column := w.column(k)
		return []string{k.name + "." + column}, k.told([]string{column})
	},
	"da profile": func(w *world, there []known) ([]string, map[string]bool) {
		k := w.either(there)
		if w.r.IntN(3) == 0 {
			return []string{k.name}, k.told(k.columns)
		}
		column := w.column(k)
		if w.r.IntN(2) == 0 { // it is kept, and then so is that of another column
			w.run("da profile", k.name, "--columns", column)
			w.run("da profile", k.name, "--columns", w.column(k))
		}
		return []string{k.name, "--columns", column}, k.told([]string{column})
	},
	"da context": func(w *world, _ []known) ([]string, map[string]bool) {
		return []string{"what is in t0?"}, known{caveats: w.searched}.told(nil)
	},
	"da catalog": func(w *world, _ []known) ([]string, map[string]bool) {
		return []string{"--search", "t0"}, known{caveats: w.searched}.told(nil)
	},
	"da describe": func(w *world, _ []known) ([]string, map[string]bool) {
		k := w.uncut()
		return []string{k.name}, k.told(k.columns)
	},
	"da fetch": fetchAgain,
	"da check": func(w *world, there []known) ([]string, map[string]bool) {
		k := w.stored(there)
		column := w.column(k)
		checks := []string{"not_null: [" + column + "]", "condition: " + column + " < 1", "range: {column: " + column + ", max: 3}",
			"condition: missing > 1\n      - not_null: [" + column + "]"} // the last makes each of them run alone
		w.write("checks.yaml", "tables:\n  "+k.name+":\n    checks:\n      - "+checks[w.r.IntN(len(checks))]+"\n")
		return []string{"checks.yaml"}, k.told([]string{column})
	},
	"da result list": func(w *world, there []known) ([]string, map[string]bool) {
		want := map[string]bool{}
		for _, k := range there {
			if strings.HasPrefix(k.name, "@") {
				maps.Copy(want, k.told(k.columns))
			}
		}
		return []string{"--json"}, want
	},
	"da files add": func(w *world, there []known) ([]string, map[string]bool) {
		a := w.statement(there)
		return []string{"book.xlsx", a.sql, "--create"}, a.want
	},
	"da snapshot diff": func(w *world, there []known) ([]string, map[string]bool) {
		x, y := w.stored(there), w.stored(there)
		both := slices.DeleteFunc(slices.Clone(x.columns), func(c string) bool { return !slices.Contains(y.columns, c) })
		args := []string{x.name, y.name}
		if w.r.IntN(2) == 0 {
			args = append(args, "--key", "id")
		} else if i := slices.Index(both, "a"); i >= 0 && w.r.IntN(2) == 0 {
			both, args = slices.Delete(both, i, i+1), append(args, "--ignore", "a")
		}
		want := x.told(both)
		maps.Copy(want, y.told(both))
		return args, want
	},
	"da snapshot show":   ofSnapshot("NAME"),
	"da snapshot note":   ofSnapshot("NAME", "a note", "--json"),
	"da snapshot tag":    ofSnapshot("NAME", "kept", "--json"),
	"da snapshot pin":    ofSnapshot("NAME", "--json"),
	"da snapshot copy":   ofSnapshot("NAME", "again", "--force"),
	"da snapshot export": ofSnapshot("NAME", "--target", "FILE.csv"),
	"da snapshot list": func(w *world, _ []known) ([]string, map[string]bool) {
		want := map[string]bool{}
		all, err := w.work.Store.List()
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range all {
			maps.Copy(want, known{caveats: m.Caveats, cut: m.Truncated}.told(worldColumns))
		}
		return []string{"--json"}, want
	},
	"da snapshot rename": func(w *world, there []known) ([]string, map[string]bool) {
		k := w.stored(there)
		w.run("da snapshot copy", k.name, "before", "--force")
		return []string{"before", "again", "--force"}, k.told(k.columns)
	},
	"da snapshot refresh": func(w *world, there []known) ([]string, map[string]bool) {
		args, want := fetchAgain(w, there)
		w.run("da fetch", args...)
		return []string{"again"}, want
	},
	"da snapshot import": func(w *world, there []known) ([]string, map[string]bool) {
		path, k := w.exported(there)
		return []string{path, "--as", "again", "--force"}, k.told(k.columns)
	},
	"da table map":      ofExport(),
	"da table describe": ofExport(),
	"da table stats":    ofExport(),
	"da table rows":     ofExport(),
	"da table export":   ofExport("--target", "out.xlsx", "--force"),
	"da table query": func(w *world, there []known) ([]string, map[string]bool) {
		path, k := w.exported(there)
		column := w.column(k)
		return []string{path, "SELECT " + column + " % 3 AS x, count(*) FROM data GROUP BY ALL"}, k.told([]string{column})
	},
}

// commandsElsewhere tell caveats, and are not run here.
var commandsElsewhere = map[string]string{
	"da ask":                 "the same events and receipts as in world.ask",
	"da receipt show":        "the receipt of world.ask",
	"da metric query":        "answers a statement as da query does",
	"da plan":                "reads no row",
	"da report":              "the door reports.ReadRows",
	"da why":                 "reads receipts of files: TestFiguresOfTenKinds, scripts why_export and why_plot",
	"da open":                "needs a desktop; writes what da snapshot export writes",
	"da sync":                "TestSyncTellsWhatTheSourceWarnsOf",
	"da admin table refresh": "as da sync",
	"da joins":               "verifies by the statements of da query: script joins",
	"da snapshot restore":    "gives the caveats of what is kept, as da snapshot show",
	"da schema":              "what is known without a row: script schema_caveats",
}

// toolsOfRows are the tools that tell caveats and that world.ask calls.
var toolsOfRows = map[string]bool{"query": true, "query_remote": true, "table_query": true, "add_result": true, "values": true, "profile": true,
	"context": true, "catalog_sample": true, "catalog_search": true, "fetch": true, "table_get_map": true, "table_describe": true,
	"table_stats": true, "table_read_rows": true, "table_export": true, "get_dataset_info": true, "find_value_columns": true,
	"snapshot_import": true}

// toolsElsewhere tell caveats, and are not called here.
var toolsElsewhere = map[string]string{
	"metric":           "answers a statement as query does",
	"joins":            "see da joins",
	"snapshot_refresh": "answers as da snapshot refresh does",
	"catalog_sync":     "answers as da sync does",
	"snapshot_restore": "see da snapshot restore",
	"catalog_schema":   "see da schema",
}

// answered is a way of a statement: over what is there, or over a table of the service.
func answered(way ...string) func(*world, []known) ([]string, map[string]bool) {
	return func(w *world, there []known) ([]string, map[string]bool) {
		a, args := w.statement(there), []string{}
		if w.r.IntN(3) == 0 {
			a = w.ofTable()
			a.sql += " -- da"
			args = []string{"--fetch", "--fresh"}
		}
		for _, arg := range way {
			if _, ext, ok := strings.Cut(arg, "FILE."); ok {
				arg = w.file(ext)
			}
			args = append(args, arg)
		}
		return append([]string{a.sql}, args...), a.want
	}
}

// ofSnapshot is a door of a command about one snapshot, which it calls NAME.
func ofSnapshot(args ...string) func(*world, []known) ([]string, map[string]bool) {
	return func(w *world, there []known) ([]string, map[string]bool) {
		k, out := w.stored(there), slices.Clone(args)
		for i := range out {
			out[i] = strings.Replace(strings.Replace(out[i], "NAME", k.name, 1), "FILE.csv", w.file("csv"), 1)
		}
		return out, k.told(k.columns)
	}
}

// ofExport is a door of a command about a file that a snapshot was written into.
func ofExport(args ...string) func(*world, []known) ([]string, map[string]bool) {
	return func(w *world, there []known) ([]string, map[string]bool) {
		path, k := w.exported(there)
		return append([]string{path}, args...), k.told(k.columns)
	}
}

// fetchAgain is a door of the command that fetches, as a snapshot that others may replace.
func fetchAgain(w *world, _ []known) ([]string, map[string]bool) {
	k := w.uncut()
	columns := []string{"id", w.column(k)}
	return []string{k.name, "--select", strings.Join(columns, ","), "--as", "again", "--force"}, k.told(columns)
}

func (w *world) column(k known) string { return k.columns[w.r.IntN(len(k.columns))] }

// stored is a snapshot of what is there.
func (w *world) stored(there []known) known {
	there = slices.DeleteFunc(slices.Clone(there), func(k known) bool { return !strings.HasPrefix(k.name, "s") || strings.HasPrefix(k.name, "step") })
	return there[w.r.IntN(len(there))]
}

// uncut is a table of the service that no limit cuts.
func (w *world) uncut() known {
	id := "t0"
	for _, other := range slices.Sorted(maps.Keys(w.tables)) {
		if w.tables[id].cut && !w.tables[other].cut {
			id = other
		}
	}
	tab := w.tables[id]
	tab.cut = false // a cut fetch is refused
	return known{name: id, columns: worldColumns, caveats: slices.Concat(tab.before, tab.after)}
}

// either is a snapshot, or a table of the service.
func (w *world) either(there []known) known {
	if w.r.IntN(2) == 0 {
		return w.uncut()
	}
	return w.stored(there)
}

// exported writes a snapshot as parquet.
func (w *world) exported(there []known) (path string, k known) {
	k = w.stored(there)
	path = w.file("parquet")
	w.run("da snapshot export", k.name, "--target", path)
	return path, k
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(w.dir(), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir(), name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) dir() string { return filepath.Join(w.home, "dir") }

var (
	aMark = regexp.MustCompile(`mark \d+`)
	aCut  = regexp.MustCompile(`only the first|"truncated": ?true`)
)

// run runs a command of da, one in eight in a process of its own, and returns what it
// tells: on standard error, and as caveats of JSON.
func (w *world) run(command string, args ...string) (told []api.Caveat) {
	w.t.Helper()
	w.write("none", "")
	env := map[string]string{"HOME": w.home, "DA_HOME": w.home, "DA_SERVER": w.server(), "DA_TOKEN": "somebody", "DA_CONFIG": filepath.Join(w.dir(), "none")}
	line := append(strings.Fields(command)[1:], args...)
	var stdout, stderr string
	var failed bool
	if w.r.IntN(8) == 0 {
		cmd := exec.CommandContext(w.t.Context(), daPath, line...)
		cmd.Dir, cmd.Env = w.dir(), os.Environ()
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		failed = cmd.Run() != nil
		stdout, stderr = out.String(), errs.String()
	} else {
		streams, _, out, errs := iostreams.Test()
		getenv := func(name string) string { return cmp.Or(env[name], os.Getenv(name)) }
		failed = Main(w.t.Context(), line, app.Env{IO: streams, Getenv: getenv, Home: w.home, Dir: w.dir(), Now: time.Now, Args0: daPath}) != 0
		stdout, stderr = out.String(), errs.String()
	}
	if failed && command != "da check" { // which fails if a check does not hold, or cannot be run
		w.t.Errorf("%s %q: %s", command, args, stderr)
	}
	seen := map[string]bool{}
	tell := func(text string) {
		for _, mark := range aMark.FindAllString(text, -1) {
			seen[mark] = true
		}
		if aCut.MatchString(text) {
			seen["cut"] = true
		}
	}
	tell(stderr)
	if i := slices.Index(args, "--caveats"); i > 0 { // who names a file reads that alone
		clear(seen)
		text, err := os.ReadFile(args[i+1])
		if err != nil {
			w.t.Error(err)
		}
		tell(string(text))
	} else if json.Valid([]byte(stdout)) {
		tell(stdout)
	}
	for mark := range seen {
		c := api.Caveat{Kind: api.CaveatOther, Text: mark}
		if mark == "cut" {
			c.Kind = api.CaveatCut
		}
		told = append(told, c)
	}
	return told
}

// server is the address of the world as a server.
func (w *world) server() string {
	if w.api == "" {
		w.api = serveBackend(w.t, servedWorld{w: w}, nil)
	}
	return w.api
}

// command runs one of doorsOfCommands.
func (w *world) command(there []known) {
	there = slices.DeleteFunc(slices.Clone(there), func(k known) bool { return strings.HasPrefix(k.name, "step") }) // of a session
	w.ran++
	name := w.drawn(slices.Sorted(maps.Keys(doorsOfCommands)), int(w.seed)*30+w.ran)
	args, want := doorsOfCommands[name](w, there)
	if w.r.IntN(2) == 0 && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-o") || strings.HasPrefix(a, "--json") }) {
		args = append(args, "--json")
	}
	w.compare(name+" "+strings.Join(args, " "), w.run(strings.Split(name, " -")[0], args...), want)
}

// data is what the world offers its users.
func (w *world) data() api.Data {
	return api.Data{Catalog: w, Scanner: w, Querier: w, Searcher: w, Modeler: w, Knower: worldKnower{w: w}, Meter: w, Syncer: w}
}

// servedWorld is the world as a server.
type servedWorld struct {
	httpapi.Backend
	w *world
}

// Authenticate implements httpapi.Backend.
func (servedWorld) Authenticate(context.Context, string) (core.Principal, error) {
	return core.Principal{User: "somebody"}, nil
}

// Data implements httpapi.Backend.
func (s servedWorld) Data(core.Principal) api.Data { return s.w.data() }

// Access implements httpapi.Backend.
func (servedWorld) Access(context.Context, core.Principal) (string, error) { return "all", nil }

// SignIns implements httpapi.Backend.
func (servedWorld) SignIns(core.Principal) api.SignInKeeper { return nil }

// Left implements httpapi.Backend.
func (servedWorld) Left(context.Context, core.Principal) api.Remaining { return api.Remaining{} }

// Answered implements httpapi.Backend.
func (servedWorld) Answered(string, string, int, time.Duration) {}

// worldKnower knows one question.
type worldKnower struct {
	api.Knower
	w *world
}

// Known implements api.Knower.
func (k worldKnower) Known(context.Context) (*api.Known, error) {
	return &api.Known{Questions: []api.SavedQuestion{}, Notes: []api.Note{}}, nil
}

// SavedQuestion implements api.Knower.
func (k worldKnower) SavedQuestion(context.Context, string) (*api.SavedQuestion, error) {
	return k.w.question, nil
}

// SemanticModel implements api.Modeler.
func (w *world) SemanticModel(context.Context) (*api.SemanticModel, error) {
	return &api.SemanticModel{Tables: []api.SemanticTable{}, Metrics: []api.Metric{}}, nil
}

// Search implements api.Searcher.
func (w *world) Search(_ context.Context, r api.SearchRequest) (*api.SearchResult, error) {
	out := &api.SearchResult{Query: r.Query, Total: 1, Tables: len(w.tables), ColumnsKnown: len(w.tables), Caveats: w.searched}
	out.Hits = []api.SearchHit{{ID: "t0", Name: "t0", Matches: []api.SearchMatch{}}}
	return out, nil
}

// Quota implements api.Meter.
func (w *world) Quota(context.Context) (*api.QuotaStatus, error) { return &api.QuotaStatus{}, nil }

// Sample implements api.Catalog.
func (w *world) Sample(_ context.Context, id string, _ int) (*api.Sample, error) {
	tab := w.tables[id]
	return &api.Sample{TableID: id, Columns: worldColumns, Rows: []api.Row{}, Caveats: slices.Concat(tab.before, tab.after)}, nil
}

var (
	aColumn = regexp.MustCompile(`\b(id|a|b|c)\b`)
	aTable  = regexp.MustCompile(`\bt\d\b`)
)

// Query implements api.Querier: the rows are those of an engine, with the caveats of the
// columns that the statement names.
func (w *world) Query(ctx context.Context, r api.QueryRequest) (*api.Stream, error) {
	engine := enginetest.Writer(w.t)
	for id := range w.tables {
		sql := "CREATE TEMP TABLE " + id + " AS SELECT i AS id, i % 7 AS a, i * 3 AS b, i * 4 AS c FROM range(20) t(i)"
		if err := engine.Exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	columns := aColumn.FindAllString(r.SQL, -1)
	if strings.Contains(strings.ReplaceAll(r.SQL, "count(*)", ""), "SELECT *") {
		columns = worldColumns
	}
	var before, after []api.Caveat
	for _, id := range slices.Compact(slices.Sorted(slices.Values(aTable.FindAllString(r.SQL, -1)))) {
		before, after = append(before, w.tables[id].before...), append(after, w.tables[id].after...)
	}
	rows, err := engine.Query(ctx, r.SQL)
	if err != nil {
		return nil, err
	}
	counted := &countedRows{RecordReader: rows, schema: api.SchemaWith(rows.Schema().Fields(), api.CaveatsAbout(columns, before))}
	return &api.Stream{Batches: counted, EffectiveAsOf: time.Now(), CloseFunc: rows.Release, End: func() api.End {
		return api.End{Rows: counted.n, Caveats: api.CaveatsAbout(columns, after)}
	}}, nil
}

// countedRows are those of an engine, with the schema of a source.
type countedRows struct {
	array.RecordReader
	schema *arrow.Schema
	n      int64
}

// Schema implements array.RecordReader.
func (c *countedRows) Schema() *arrow.Schema { return c.schema }

// RecordBatch implements array.RecordReader.
func (c *countedRows) RecordBatch() arrow.RecordBatch {
	batch := c.RecordReader.RecordBatch()
	return array.NewRecordBatch(c.schema, batch.Columns(), batch.NumRows())
}

// Next implements array.RecordReader.
func (c *countedRows) Next() bool {
	if !c.RecordReader.Next() {
		return false
	}
	c.n += c.RecordReader.RecordBatch().NumRows()
	return true
}

// TestKeptProfilesTell holds that a column's profile that is kept, and then that of another
// column with it, tells what is known of the column.
func TestKeptProfilesTell(t *testing.T) {
	w := newWorld(t, 1)
	w.version = "v1"
	for _, c := range []string{"a", "b"} {
		w.tables["t0"].before = append(w.tables["t0"].before, api.Caveat{Kind: api.CaveatNarrowed, Text: "mark " + c, About: api.Subject{Columns: []string{c}}})
	}
	for _, column := range []string{"a", "b", "a"} {
		p, err := profiles.Of(t.Context(), w.work, profiles.Request{Name: "t0", Columns: []string{column}}, plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.compare("the profile of "+column, p.Of([]string{column}).Caveats, known{caveats: slices.Concat(w.tables["t0"].before, w.tables["t0"].after)}.told([]string{column}))
	}
}

// TestEveryDoorThatTellsIsTried: what prints or answers caveats is a part of the property
// test, or it is said what holds it.
func TestEveryDoorThatTellsIsTried(t *testing.T) {
	list := reflect.TypeFor[[]api.Caveat]()
	var tells func(of reflect.Type, seen map[reflect.Type]bool) bool
	tells = func(of reflect.Type, seen map[reflect.Type]bool) bool {
		if of == list || seen[of] {
			return of == list
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			return tells(of.Elem(), seen)
		case reflect.Struct:
			for i := range of.NumField() {
				if tells(of.Field(i).Type, seen) {
					return true
				}
			}
		}
		return false
	}
	for name := range doorsOfCommands { // `da query -o json` is a way of `da query`
		if command, _, ok := strings.Cut(name, " -"); ok && doorsOfCommands[command] == nil {
			t.Errorf("%s is a way of no command", name)
		}
	}
	for name, prints := range outputs() {
		told := slices.ContainsFunc(prints, func(p output.Form) bool { return tells(reflect.TypeOf(p.Value), map[reflect.Type]bool{}) })
		tried := doorsOfCommands[name] != nil || commandsElsewhere[name] != ""
		if ofContents := strings.HasPrefix(name, "da files "); told && !tried && !ofContents {
			t.Errorf("%s tells caveats, and is in neither doorsOfCommands nor commandsElsewhere", name)
		}
		if tried && !told {
			t.Errorf("%s is tried, and tells nothing", name)
		}
	}
	box, err := toolbox.New(tool.Config{Data: func() (api.Data, error) { return api.Data{}, nil }, Work: newWorld(t, 1).work, Tools: agent.ToolSets})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range box.Definitions() {
		schema, err := json.Marshal(d.Out)
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(string(schema), `"caveats":`)
		if tried := toolsOfRows[d.Name] || toolsElsewhere[d.Name] != ""; told != tried {
			t.Errorf("tool %s: tells caveats: %v, tried or said why not: %v", d.Name, told, tried)
		}
	}
}
