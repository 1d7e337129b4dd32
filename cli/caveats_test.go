package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/render"
	"github.com/agnes-data/da/table/xlsx"
	"github.com/agnes-data/da/toolbox/fit"
)

// doorsOfRows are the functions through which rows leave, by their names in the
// code, or routes of the page. Each returns the caveats that its reader gets.
var doorsOfRows = map[string]func(*world, api.Rows) ([]api.Caveat, error){
	"/api/page/query":      pageDoor("/api/page/query", `{"sql":"SELECT 1"}`),
	"/api/page/rows":       pageDoor("/api/page/rows", `{"table_id":"t"}`),
	"/api/page/desk/query": pageDoor("/api/page/desk/query", `{"sql":"SELECT 1"}`),
	"/api/page/file":       pageDoor("/api/page/file", `{"sql":"SELECT 1","format":"csv"}`),
	"/api/page/results":    pageDoor("/api/page/results", `{"sql":"SELECT 1"}`),
	"output.Write": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		formats := []output.Format{output.Table, output.JSON, output.NDJSON, output.CSV, output.TSV, output.Markdown, output.Arrow}
		format := formats[w.r.IntN(len(formats))]
		w.count.use("output.Write " + string(format))
		summary, err := output.Write(w.t.Context(), new(bytes.Buffer), rows, format, output.Options{})
		return summary.Caveats, err
	},
	"output.WriteFile": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		formats := []output.Format{output.CSV, output.Parquet, output.XLSX, output.Arrow}
		o := output.Options{WriteWorkbook: app.WriteWorkbook, WriteParquet: w.work.WriteParquet}
		path, format := w.file("arrow"), formats[w.r.IntN(len(formats))]
		w.count.use("output.WriteFile " + string(format))
		summary, err := output.WriteFile(w.t.Context(), path, rows, format, true, o)
		if err == nil && format != output.CSV {
			return inFile(path)
		}
		return summary.Caveats, err
	},
	"output.Into": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		summary, err := output.Into(w.t.Context(), rows, 0, func(rows api.Rows) ([]api.Caveat, error) {
			return nil, read(rows)
		})
		return summary.Caveats, err
	},
	"render.Write": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		done, err := render.Write(w.t.Context(), new(bytes.Buffer), rows, render.Options{Format: render.CSV})
		return done.Caveats, err
	},
	"plot.Read": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		chart, err := plot.Read(w.t.Context(), rows, plot.Spec{Kind: plot.Bar})
		if err != nil {
			return nil, err
		}
		var svg bytes.Buffer
		cut := slices.ContainsFunc(chart.Caveats, func(c api.Caveat) bool { return c.Kind == api.CaveatCut })
		if err := chart.SVG(&svg); err == nil && cut != strings.Contains(svg.String(), "(first ") {
			w.t.Errorf("a chart of a cut result, %v, has the title %.300s", cut, svg.String())
		}
		return chart.Caveats, nil
	},
	"reports.ReadRows": func(_ *world, rows api.Rows) ([]api.Caveat, error) {
		got, err := reports.ReadRows(rows, 10_000)
		if err != nil {
			return nil, err
		}
		return got.Caveats, nil
	},
	"reports.Add": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		receipt, book := reports.NewReceipt(time.Now()), xlsx.NewBook(new(bytes.Buffer))
		defer book.Abort()
		if _, err := receipt.Add(w.t.Context(), book, rows, "", figures.Answer{Statement: "SELECT 1"}); err != nil {
			return nil, err
		}
		return receipt.Answers[0].Caveats, nil
	},
	"query.Answer": func(w *world, rows api.Rows) ([]api.Caveat, error) {
		answer, err := query.Answer(w.t.Context(), w.work, rows, query.About{SQL: "SELECT 1"}, fit.Options{MaxTokens: 4000})
		if err != nil {
			return nil, err
		}
		return answer.Caveats, nil
	},
}

// inFile are the caveats that a file of rows tells to who reads it.
func inFile(path string) ([]api.Caveat, error) {
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch f.Kind {
	case format.Parquet:
		return f.Tagged(), nil
	case format.Arrow:
		rows, _, err := f.Arrow()
		if err != nil {
			return nil, err
		}
		defer rows.Release()
		err = read(rows)
		return rows.Caveats(), err
	}
	p, err := f.Profile(context.Background(), intake.Options{})
	if err != nil {
		return nil, err
	}
	return p.Told, nil
}

// TestEveryDoorOfRowsIsTried: a new function that takes rows to show them joins
// the property test.
func TestEveryDoorOfRowsIsTried(t *testing.T) {
	inner := []string{"api.WithCaveats", "api.Demand", "analyst.Reserve", "app.WriteWorkbook", "app.AddSheet", "serve.DeskStream", "tool.Tells", "values.Watch"} // these only pass rows on
	seen := map[string]bool{}
	for _, dir := range []string{"*", "../table/render", "../plot", "../document/reports", "../analyst", "../analyst/*", "../toolbox/*"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && takesRows(f) {
					seen[file.Name.Name+"."+f.Name.Name] = true
				}
			}
		}
	}
	for name := range seen {
		if doorsOfRows[name] == nil && !slices.Contains(inner, name) {
			t.Errorf("%s takes rows, and is not in doorsOfRows", name)
		}
	}
	for name := range doorsOfRows {
		if !seen[name] && !strings.HasPrefix(name, "/") { // a route

			t.Errorf("there is no door %s", name)
		}
	}
}

func takesRows(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		s, ok := p.Type.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Rows" {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && x.Name == "api"
	})
}

// world is a service whose tables have caveats, and a workplace beside it.
type world struct {
	t      *testing.T
	r      *rand.Rand
	work   *analyst.Analyst
	tables map[string]*caveated
	home   string
	seed   uint64
	n      int
	count  *counted
	shown  int // answers by doorsOfRows
	ran    int // commands
	// served is the page, at an address, once rows have left by it.
	served  *servedRows
	address string
	// api is the address of the world as a server; what it knows is below.
	api      string
	question *api.SavedQuestion
	searched []api.Caveat
	version  string // of all tables
	// synced is a table that is synced, and its file.
	synced []api.Caveat
	file0  []byte
}

// caveated is a table with what is known of it: before its rows, and after them.
type caveated struct {
	before, after []api.Caveat
	cut           bool
}

var worldColumns = []string{"id", "a", "b", "c"}

func newWorld(t *testing.T, seed uint64) *world {
	home := t.TempDir()
	store, err := snapshot.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), home: home, seed: seed, count: &counted{}, tables: map[string]*caveated{}}
	w.work = &analyst.Analyst{Home: home, Store: store, Now: time.Now, Connect: func() (analyst.Remote, error) {
		if seed%2 == 0 {
			return analyst.Remote{Name: "world", Data: w.data()}, nil
		}
		c, err := client.New(client.Options{URL: w.server(), Token: "somebody"}) // over HTTP
		if err != nil {
			return analyst.Remote{}, err
		}
		return analyst.Remote{Name: c.URL(), Data: c.Data()}, nil
	}}
	for i := range 3 {
		tab := &caveated{cut: w.r.IntN(6) == 0}
		for range w.r.IntN(4) {
			tab.before = append(tab.before, w.caveat())
		}
		for range w.r.IntN(3) {
			tab.after = append(tab.after, w.caveat())
		}
		w.tables["t"+strconv.Itoa(i)] = tab
	}
	w.searched = []api.Caveat{w.caveat(), w.caveat()}
	for i := range w.searched {
		w.searched[i].About = api.Subject{}
	}
	w.version = []string{"", "v1"}[w.r.IntN(2)]
	return w
}

// caveat makes one that no other is like, of any kind but cut.
func (w *world) caveat() api.Caveat {
	kinds := api.CaveatKinds()
	kind := kinds[w.r.IntN(len(kinds))].Kind
	if kind == api.CaveatCut {
		kind = api.CaveatUnread
	}
	w.n++
	c := api.Caveat{Kind: kind, Text: fmt.Sprintf("mark %d", w.n)}
	if w.r.IntN(2) == 0 {
		c.About.Columns = []string{worldColumns[1+w.r.IntN(3)]}
	}
	return c
}

func (w *world) file(ext string) string {
	w.n++
	return filepath.Join(w.home, fmt.Sprintf("file%d.%s", w.n, ext))
}

// Tables implements api.Catalog.
func (w *world) Tables(context.Context) (*api.TableList, error) {
	out := &api.TableList{Tables: []api.Table{}}
	for _, id := range slices.Sorted(maps.Keys(w.tables)) {
		out.Tables = append(out.Tables, api.Table{ID: id, Name: id, SQLFlavor: "duckdb"})
	}
	return out, nil
}

// Schema implements api.Catalog.
func (w *world) Schema(_ context.Context, id string) (*api.TableSchema, error) {
	if w.tables[id] == nil {
		return nil, &api.Error{Code: api.CodeUnknownTable}
	}
	out := &api.TableSchema{TableID: id, SQLFlavor: "duckdb"}
	for _, name := range worldColumns {
		out.Columns = append(out.Columns, api.Column{Name: name, Type: "BIGINT", Nullable: true})
	}
	return out, nil
}

// Estimate implements api.Scanner.
func (w *world) Estimate(_ context.Context, r api.ScanRequest) (*api.Estimate, error) {
	return &api.Estimate{TableID: r.TableID, Version: w.version, Rights: "all", Source: "world"}, nil
}

// Scan implements api.Scanner: 20 rows, whose caveats are those of the columns
// that are asked for.
func (w *world) Scan(_ context.Context, req api.ScanRequest) (*api.Stream, error) {
	tab := w.tables[req.TableID]
	batches, err := w.rows(req.Select, api.CaveatsAbout(req.Select, tab.before))
	if err != nil {
		return nil, err
	}
	end := api.End{Rows: 20, Truncated: tab.cut, Caveats: api.CaveatsAbout(req.Select, tab.after)}
	return &api.Stream{Batches: batches, EffectiveAsOf: time.Now(), End: func() api.End { return end }}, nil
}

// rows are 20 rows, which tell caveats before them.
func (w *world) rows(columns []string, caveats []api.Caveat) (array.RecordReader, error) {
	var fields []arrow.Field
	for _, name := range columns {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	schema := api.SchemaWith(fields, caveats)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for j := range fields {
		for i := range 20 {
			b.Field(j).(*array.Int64Builder).Append(int64(i * (j + 1)))
		}
	}
	return array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
}

// known is a thing that statements can name: its columns, and what may be told of
// it.
type known struct {
	name    string
	columns []string
	caveats []api.Caveat
	cut     bool
}

// concerning returns the caveats that have to do with one of the columns.
func concerning(columns []string, caveats []api.Caveat) (out []api.Caveat) {
	for _, c := range caveats {
		if len(c.About.Columns) == 0 || slices.Contains(columns, c.About.Columns[0]) {
			out = append(out, c)
		}
	}
	return out
}

// told returns the marks that a statement that reads columns must tell.
func (k known) told(columns []string) map[string]bool {
	marks := map[string]bool{}
	for _, c := range concerning(columns, k.caveats) {
		if c.Kind == api.CaveatCut { // of a snapshot that was exported, and imported again
			c.Text = "cut"
		}
		marks[c.Text] = true
	}
	if k.cut {
		marks["cut"] = true
	}
	return marks
}

// derived is what a stored step or a result of k's rows is known by.
func (k known) derived(name string, columns []string, from []string) known {
	out := known{name: name, columns: columns, cut: k.cut}
	for _, c := range concerning(from, k.caveats) {
		c.About.Columns = nil // the columns may have other names there
		out.caveats = append(out.caveats, c)
	}
	return out
}

// fetchAll fetches each table, one in two as a part of its columns.
func (w *world) fetchAll() (all []known) {
	for _, id := range []string{"t0", "t1", "t2"} {
		columns := slices.Clone(worldColumns)
		if w.r.IntN(2) == 0 {
			columns = append([]string{"id"}, worldColumns[1+w.r.IntN(3)])
		}
		name := "s" + id[1:]
		tab := w.tables[id]
		res, err := fetch.Run(w.t.Context(), w.work, fetch.Request{Scan: api.ScanRequest{TableID: id, Select: columns}, Name: name, AllowCut: true})
		if err != nil {
			w.t.Fatal(err)
		}
		k := known{name: name, columns: columns, caveats: concerning(columns, append(slices.Clone(tab.before), tab.after...)), cut: tab.cut}
		w.compare("fetch", res.Caveats, k.told(columns))
		if w.r.IntN(3) == 0 {
			kept, err := keep.Copy(w.t.Context(), w.work, name, name+"c", false)
			if err != nil {
				w.t.Fatal(err)
			}
			w.compare("copy", kept.Caveats, k.told(columns))
			k.name += "c"
		}
		all = append(all, k)
	}
	if w.r.IntN(2) == 0 {
		all = append(all, w.sync())
	}
	return all
}

// sync syncs a table.
func (w *world) sync() known {
	w.synced = []api.Caveat{w.caveat(), w.caveat()}
	path := w.file("parquet")
	rows, err := w.rows(worldColumns, nil)
	if err == nil {
		_, err = w.work.WriteParquet(w.t.Context(), path, rows)
	}
	if err == nil {
		w.file0, err = os.ReadFile(path)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	result, err := tablesync.Run(w.t.Context(), w.work, tablesync.Request{})
	if err != nil || len(result.Installed) != 1 {
		w.t.Fatalf("a sync: %v, %+v", err, result)
	}
	k := known{name: "local0", columns: worldColumns, caveats: w.synced}
	w.compare("sync", result.Installed[0].Caveats, k.told(worldColumns))
	return k
}

// Manifest implements api.Syncer.
func (w *world) Manifest(context.Context) (*api.SyncManifest, error) {
	out := &api.SyncManifest{Tables: []api.SyncTable{}}
	if w.file0 != nil {
		sum := xxh3.Hash128(w.file0).Bytes()
		out.Tables = append(out.Tables, api.SyncTable{TableID: "local0", Rows: 20, Bytes: int64(len(w.file0)), XXH3: hex.EncodeToString(sum[:]), Caveats: w.synced})
	}
	return out, nil
}

// LocalTable implements api.Syncer.
func (w *world) LocalTable(ctx context.Context, _ string) (*api.SyncTable, error) {
	m, err := w.Manifest(ctx)
	return &m.Tables[0], err
}

// TableData implements api.Syncer.
func (w *world) TableData(_ context.Context, _ api.SyncTable, from, n int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(w.file0[from : from+n])), nil
}

// counted counts the answers of all worlds, and those of each door.
type counted struct {
	mu                      sync.Mutex
	untold, needless, tried int
	used                    map[string]int
}

// use counts an answer of a door.
func (c *counted) use(door string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[door]++
}

// so tells how many answers were tried, and what was wrong with them.
func (c *counted) so() (tried int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tried, fmt.Sprintf("%d answers: %d marks untold, %d told without need", c.tried, c.untold, c.needless)
}

// drawn gives each door its turn.
func (w *world) drawn(doors []string, turn int) string {
	door := doors[turn%len(doors)]
	w.count.use(door)
	return door
}

// compare counts marks that are not told, and marks that are told without need.
func (w *world) compare(at string, got []api.Caveat, want map[string]bool) {
	w.t.Helper()
	w.count.mu.Lock()
	defer w.count.mu.Unlock()
	w.count.tried++
	seen := map[string]bool{}
	for _, c := range got {
		mark := c.Text
		if c.Kind == api.CaveatCut {
			mark = "cut"
		}
		if !strings.HasPrefix(mark, "mark ") && mark != "cut" {
			continue
		}
		if seen[mark] && mark != "cut" {
			w.t.Errorf("%s: %s is told twice", at, mark)
		}
		if seen[mark] = true; !want[mark] {
			w.count.needless++
			w.t.Logf("%s: %s is told without need", at, mark)
		}
	}
	for mark := range want {
		if !seen[mark] {
			w.count.untold++
			w.t.Errorf("%s: %s is not told", at, mark)
		}
	}
}

// asked is a statement, the two columns of its result that can be drawn, and what
// must be told with it.
type asked struct {
	sql, x, y string
	want      map[string]bool
}

// statement makes a random statement over what is there.
func (w *world) statement(there []known) asked {
	r, k := w.r, there[w.r.IntN(len(there))]
	column := k.columns[r.IntN(len(k.columns))]
	a := asked{fmt.Sprintf("SELECT %s AS x, %[1]s AS y FROM %s", column, k.name), "x", "y", k.told([]string{column})}
	switch r.IntN(5) {
	case 0:
		a = asked{"SELECT * FROM " + k.name, k.columns[0], k.columns[len(k.columns)-1], k.told(k.columns)}
	case 1:
		a.sql, a.y = fmt.Sprintf("SELECT %s %% 3 AS x, count(*) AS n FROM %s GROUP BY ALL", column, k.name), "n"
	case 2: // a join reads id of both
		other := there[r.IntN(len(there))]
		if !slices.Contains(k.columns, "id") || !slices.Contains(other.columns, "id") {
			break
		}
		a.sql, a.y = fmt.Sprintf("SELECT l.%s AS x, count(*) AS n FROM %s l JOIN %s r ON l.id = r.id GROUP BY ALL", column, k.name, other.name), "n"
		a.want = k.told([]string{column, "id"})
		maps.Copy(a.want, other.told([]string{column, "id"}))
	case 3:
		a.sql = fmt.Sprintf("WITH w AS (SELECT %s AS q FROM %s) SELECT q AS x, q AS y FROM w WHERE q > 1", column, k.name)
	}
	return a
}

// step defines a step that later statements can read.
func (w *world) step(s *query.Session, there []known) []known {
	k := there[w.r.IntN(len(there))]
	if !slices.Contains(k.columns, "id") {
		return there
	}
	w.n++
	columns := []string{k.columns[w.r.IntN(len(k.columns))], "id"}
	d := statement.Definition{Name: fmt.Sprintf("step%d", w.n), Table: w.r.IntN(2) == 0, Query: fmt.Sprintf("SELECT %s AS q, id FROM %s", columns[0], k.name)}
	if _, err := s.Define(w.t.Context(), d); err != nil {
		w.t.Fatalf("%+v: %v", d, err)
	}
	return append(there, k.derived(d.Name, []string{"q", "id"}, columns))
}

// values asks for the values of a column of something that is no step of a session.
func (w *world) values(there []known) {
	there = slices.DeleteFunc(slices.Clone(there), func(k known) bool { return strings.HasPrefix(k.name, "step") })
	k := there[w.r.IntN(len(there))]
	column := k.columns[w.r.IntN(len(k.columns))]
	found, err := values.Of(w.t.Context(), w.work, values.Request{Table: k.name, Column: column}, plan.Options{Kept: true})
	if err != nil {
		w.t.Fatalf("values of %s.%s: %v", k.name, column, err)
	}
	w.compare("values of "+k.name+"."+column, found.Caveats, k.told([]string{column}))
}

// pipeline runs a random statement over what is there, and shows it by a random
// door. It may leave a step behind for the statements to come.
func (w *world) pipeline(s *query.Session, there []known) []known {
	ctx, r := w.t.Context(), w.r
	switch r.IntN(12) {
	case 0, 1, 2:
		return w.step(s, there)
	case 3:
		w.values(there)
		return there
	}
	a := w.statement(there)
	sql, want := a.sql, a.want
	result, err := s.Query(ctx, sql, true)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	defer result.Close()
	rows := result.Rows()
	if r.IntN(2) == 0 { // a near value only adds a caveat
		rows = values.Near{Work: w.work, Kept: true}.Watch(ctx, rows, sql)
	}
	if r.IntN(8) == 0 { // kept as a result
		answer, err := query.Answer(ctx, w.work, rows, query.About{SQL: sql}, fit.Options{MaxTokens: 4000, MaxRows: 1})
		if err != nil {
			w.t.Fatal(err)
		}
		w.compare("answer to "+sql, answer.Caveats, want)
		if answer.Rest != nil {
			out := known{name: answer.Rest.Result, columns: answer.Columns, cut: want["cut"]}
			for mark := range want {
				if mark != "cut" {
					out.caveats = append(out.caveats, api.Caveat{Text: mark})
				}
			}
			if slices.Contains(answer.Columns, "x") {
				out.columns = []string{"x"}
			}
			return append(there, out)
		}
		return there
	}
	all, err := keepRows(rows)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	for range doorsOfEach {
		w.shown++
		door := w.drawn(slices.Sorted(maps.Keys(doorsOfRows)), int(w.seed)+w.shown)
		shown := *all
		if !strings.HasPrefix(door, "/") && r.IntN(2) == 0 { // routes have sources that tell late
			shown.early = nil
		}
		got, err := doorsOfRows[door](w, &shown)
		if err != nil {
			w.t.Fatalf("%s: %s: %v", door, sql, err)
		}
		w.compare(door+" of "+sql, got, want)
	}
	return there
}

// doorsOfEach is the number of doors that show the rows of one statement.
const doorsOfEach = 8

// keptRows are rows that can be read again, and what they tell before their last one and
// after it.
type keptRows struct {
	api.Rows
	batches     []arrow.RecordBatch
	early, late []api.Caveat
	next        int
}

// keepRows reads rows to their end.
func keepRows(rows api.Rows) (*keptRows, error) {
	k := &keptRows{Rows: rows, early: rows.Caveats()}
	for rows.Next() {
		batch := rows.RecordBatch()
		batch.Retain()
		k.batches = append(k.batches, batch)
	}
	k.late = rows.Caveats()
	return k, rows.Err()
}

// Next implements array.RecordReader.
func (k *keptRows) Next() bool {
	k.next++
	return k.next <= len(k.batches)
}

// RecordBatch implements array.RecordReader.
func (k *keptRows) RecordBatch() arrow.RecordBatch { return k.batches[k.next-1] }

// Retain implements array.RecordReader.
func (*keptRows) Retain() {}

// Release implements array.RecordReader.
func (*keptRows) Release() {}

// Caveats implements api.Rows.
func (k *keptRows) Caveats() []api.Caveat {
	if k.next > len(k.batches) {
		return k.late
	}
	return k.early
}

func read(rows array.RecordReader) error {
	for rows.Next() {
	}
	return rows.Err()
}

// TestCaveatsArrive makes random pipelines from tables with caveats to doors, and
// holds that all that can touch an answer is told with it. DA_CAVEATS sets how many, and
// DA_CAVEATS_FROM the seed after which they begin. What was counted is said after every
// 50 seeds, and before the time of the test run ends.
func TestCaveatsArrive(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("DA_CAVEATS"))
	first, _ := strconv.ParseUint(os.Getenv("DA_CAVEATS_FROM"), 10, 64) // 0: from the first
	commands := 6
	if err != nil {
		count, commands = 2000, 30
	}
	c := &counted{used: map[string]int{}}
	end, limited := t.Deadline()
	seeds := make(chan uint64)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := range seeds {
				t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { caveatsArrive(t, seed, c, commands) })
			}
		})
	}
	for seed := first + 1; ; seed++ {
		tried, text := c.so()
		if tried >= count || limited && time.Until(end) < time.Minute {
			break
		}
		if seed%50 == 0 {
			t.Log(text)
		}
		seeds <- seed
	}
	close(seeds)
	group.Wait()
	tried, text := c.so()
	t.Log(text)
	if tried < count {
		t.Logf("the time is over: %d answers were to be tried", count)
	}
	if c.needless*100 > tried {
		t.Errorf("%d of %d answers tell something without need", c.needless, tried)
	}
	for _, door := range slices.Concat(slices.Collect(maps.Keys(doorsOfRows)), slices.Collect(maps.Keys(doorsOfCommands))) {
		if n := c.used[door]; n < 5 && tried >= 2000 {
			t.Errorf("%s was tried %d times", door, n)
		}
	}
}

// caveatsArrive makes the pipelines of one world.
func caveatsArrive(t *testing.T, seed uint64, c *counted, commands int) {
	w := newWorld(t, seed)
	w.count = c
	there := w.fetchAll()
	s, err := query.Open(t.Context(), w.work, plan.Brief)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 60 {
		there = w.pipeline(s, there)
	}
	for range commands {
		w.command(there)
	}
	if seed%2 == 1 { // a model's tools take their time
		w.ask(there)
	}
}
