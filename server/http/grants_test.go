package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/server/core"
)

// staff is the data of these tests, as Go sees it: nil is NULL. The names of
// team c are no numbers, those of the others are.
type staff struct {
	id   int64
	team *string
	pay  *int64
	name string
}

var staffColumns = []string{"id", "team", "pay", "name"}

func (s staff) value(column string) string {
	switch column {
	case "id":
		return strconv.FormatInt(s.id, 10)
	case "team":
		if s.team == nil {
			return "NULL"
		}
		return *s.team
	case "pay":
		if s.pay == nil {
			return "NULL"
		}
		return strconv.FormatInt(*s.pay, 10)
	}
	return s.name
}

func makeStaff() []staff {
	var all []staff
	for i := range int64(120) {
		s := staff{id: i, name: strconv.FormatInt(i*7%50, 10)}
		if i%11 != 0 {
			team := string(rune('a' + i%3))
			s.team = &team
			if team == "c" {
				s.name = "n" + s.name
			}
		}
		if i%7 != 0 {
			pay := i * 37 % 100
			s.pay = &pay
		}
		all = append(all, s)
	}
	return all
}

// condition is a predicate in two languages. Fails says on which rows the
// engine fails; nil: on none.
type condition struct {
	text    string
	columns []string
	holds   func(staff) bool
	fails   func(staff) bool
}

func (s staff) isTeam(t string) bool { return s.team != nil && *s.team == t }

var conditions = []condition{
	{"", nil, func(staff) bool { return true }, nil},
	{"team = 'a'", []string{"team"}, func(s staff) bool { return s.isTeam("a") }, nil},
	{"team <> 'c'", []string{"team"}, func(s staff) bool { return s.team != nil && *s.team != "c" }, nil},
	{"team IS NULL", []string{"team"}, func(s staff) bool { return s.team == nil }, nil},
	{"pay > 50", []string{"pay"}, func(s staff) bool { return s.pay != nil && *s.pay > 50 }, nil},
	{"NOT (pay > 50)", []string{"pay"}, func(s staff) bool { return s.pay != nil && *s.pay <= 50 }, nil},
	{"id < 40 OR team = 'b'", []string{"id", "team"}, func(s staff) bool { return s.id < 40 || s.isTeam("b") }, nil},
	{"id BETWEEN 20 AND 90 AND team IN ('a', 'b')", []string{"id", "team"}, func(s staff) bool { return s.id >= 20 && s.id <= 90 && (s.isTeam("a") || s.isTeam("b")) }, nil},
	{"id >= 0", []string{"id"}, func(staff) bool { return true }, nil},
	{"id < 0", []string{"id"}, func(staff) bool { return false }, nil},
	{"name LIKE '1%'", []string{"name"}, func(s staff) bool { return strings.HasPrefix(s.name, "1") }, nil},
	{"CAST(name AS INTEGER) > 20", []string{"name"}, func(s staff) bool { n, _ := strconv.Atoi(s.name); return n > 20 },
		func(s staff) bool { return strings.HasPrefix(s.name, "n") }},
}

// grantModel is a grant as this test understands it.
type grantModel struct {
	columns []string
	rule    condition
}

func (g grantModel) holds(columns []string) bool {
	for _, c := range columns {
		if !slices.Contains(g.columns, c) {
			return false
		}
	}
	return true
}

// rowsFor are the rows of a request that names the columns; nil, false: none of
// the grants has them all.
func rowsFor(all []staff, grants []grantModel, columns []string) (rows []staff, ok bool) {
	for _, s := range all {
		for _, g := range grants {
			if g.holds(columns) {
				ok = true
				if g.rule.holds(s) {
					rows = append(rows, s)
					break
				}
			}
		}
	}
	return rows, ok
}

// staffServer is a core over the data, and a way to be each user by two doors.
type staffServer struct {
	t    testing.TB
	core *core.Core
	url  string
}

func newStaffServer(t testing.TB, limits string) *staffServer {
	t.Helper()
	dir := t.TempDir()
	var values []string
	for _, s := range makeStaff() {
		lit := func(column string) string {
			if s.value(column) == "NULL" {
				return "NULL"
			}
			return duckdb.Literal(s.value(column))
		}
		values = append(values, fmt.Sprintf("(%s::BIGINT, %s::VARCHAR, %s::BIGINT, %s::VARCHAR)", lit("id"), lit("team"), lit("pay"), lit("name")))
	}
	enginetest.Parquet(t, filepath.Join(dir, "staff.parquet"), "SELECT * FROM (VALUES "+strings.Join(values, ", ")+") t(id, team, pay, name)")
	if err := os.WriteFile(filepath.Join(dir, "other.csv"), []byte("k,v\n1,one\n2,two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openCore(t, dir, `
api: { scan: `+limits+` }
sources:
  files: { type: lake, root: . }
  more: { type: lake, root: . }
tables:
  - { id: staff, source: files, path: staff.parquet, query_mode: local, where_examples: ["pay > 10", "team = 'a'"] }
  - { id: open, source: files, path: other.csv, public: true }
  - { id: closed, source: files, path: other.csv }
  - { id: far, source: more, path: other.csv, public: true }
`)
	srv := httptest.NewServer(newHandler(c, slog.New(slog.DiscardHandler), testDoor))
	t.Cleanup(srv.Close)
	return &staffServer{t: t, core: c, url: srv.URL}
}

// openCore is a core over an instance whose file lies in a folder. It ends with
// the test.
func openCore(t testing.TB, dir, instance string) *core.Core {
	t.Helper()
	inst, sources, store := instancetest.Open(t, dir, instance)
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// user makes a user and returns a token of theirs.
func (s *staffServer) user(name string) string {
	s.t.Helper()
	admin := s.core.As(core.LocalAdmin)
	if _, err := admin.CreateUser(s.t.Context(), api.NewUser{Name: name}); err != nil {
		s.t.Fatal(err)
	}
	token, err := admin.CreateToken(s.t.Context(), api.NewToken{User: name})
	if err != nil {
		s.t.Fatal(err)
	}
	return token.Secret
}

// as is the core for a user, without HTTP.
func (s *staffServer) as(name string) *core.Session {
	s.t.Helper()
	users, err := s.core.As(core.LocalAdmin).Users(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	at := slices.IndexFunc(users, func(u api.User) bool { return u.Name == name })
	if at < 0 {
		s.t.Fatalf("there is no user %s", name)
	}
	return s.core.As(core.Principal{User: name, UserID: users[at].ID})
}

func (s *staffServer) grant(g api.NewGrant) *api.Grant {
	s.t.Helper()
	made, err := s.core.As(core.LocalAdmin).CreateGrant(s.t.Context(), g)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// over is the service as it is over HTTP.
func (s *staffServer) over(token string) *client.Client {
	s.t.Helper()
	c, err := client.New(client.Options{URL: s.url, Token: token})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// answerOf reads a result as sorted texts.
func answerOf(stream *api.Stream, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	rows := []string{}
	for stream.Batches.Next() {
		for _, r := range arrowjson.Rows(stream.Batches.RecordBatch()) {
			rows = append(rows, cells(r.Values))
		}
	}
	sort.Strings(rows)
	return rows, stream.Batches.Err()
}

func namesOf(columns []api.Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

func cells(values []any) string {
	var parts []string
	for _, v := range values {
		text := fmt.Sprint(v)
		if v == nil {
			text = "NULL"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "|")
}

func project(rows []staff, columns []string) []string {
	out := []string{}
	for _, s := range rows {
		var parts []string
		for _, c := range columns {
			parts = append(parts, s.value(c))
		}
		out = append(out, strings.Join(parts, "|"))
	}
	sort.Strings(out)
	return out
}

// subset picks at least one column, in table order.
func subset(rnd *rand.Rand) []string {
	for {
		var out []string
		for _, c := range staffColumns {
			if rnd.IntN(3) > 0 {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
}

// TestGrantsAgainstAPlainFilter builds random grants and requests, and compares
// every door's answer with a plain filter over the data.
func TestGrantsAgainstAPlainFilter(t *testing.T) {
	t.Parallel()
	rounds := 2 // some seconds each; `make grants` has 200
	if text := os.Getenv("DA_GRANT_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	all := makeStaff()
	s := newStaffServer(t, "{ max_daily_bytes_per_user: 100000000000000 }")
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(1, uint64(round)))
		name := fmt.Sprintf("u%d", round)
		token := s.user(name)
		var grants []grantModel
		for range 1 + rnd.IntN(3) {
			g := grantModel{columns: staffColumns, rule: conditions[rnd.IntN(len(conditions)-1)]} // a rule that fails would hide nothing
			asked := api.NewGrant{User: name, TableID: "staff", Rows: g.rule.text}
			if rnd.IntN(3) > 0 {
				g.columns = subset(rnd)
				asked.Columns = g.columns
			}
			grants = append(grants, g)
			s.grant(asked)
		}
		doors := map[string]api.Data{"core": s.as(name).Data(), "http": s.over(token).Data()}
		for door, svc := range doors {
			c := grantCheck{t: t, what: fmt.Sprintf("round %d, %s, %+v", round, door, describeGrants(grants)), all: all, grants: grants, svc: svc}
			c.metadata()
			c.sync()
			for range 3 {
				c.request(rnd)
			}
			if t.Failed() {
				return
			}
		}
	}
}

func describeGrants(grants []grantModel) (out []string) {
	for _, g := range grants {
		out = append(out, fmt.Sprintf("%v where %q", g.columns, g.rule.text))
	}
	return out
}

// grantCheck holds one caller's answers against the model.
type grantCheck struct {
	t      *testing.T
	what   string
	all    []staff
	grants []grantModel
	svc    api.Data
}

func (c grantCheck) fail(door string, got, want any) {
	c.t.Helper()
	c.t.Errorf("%s\n%s: got  %v\nwant %v", c.what, door, got, want)
}

func (c grantCheck) visible() []string {
	var out []string
	for _, col := range staffColumns {
		if slices.ContainsFunc(c.grants, func(g grantModel) bool { return g.holds([]string{col}) }) {
			out = append(out, col)
		}
	}
	return out
}

// ruled says that some rows are hidden from requests that name the columns.
func (c grantCheck) ruled(columns []string) bool {
	return !slices.ContainsFunc(c.grants, func(g grantModel) bool { return g.holds(columns) && g.rule.text == "" })
}

// metadata checks catalog, schema and sample.
func (c grantCheck) metadata() {
	ctx := context.Background()
	schema, err := c.svc.Schema(ctx, "staff")
	if err != nil || !slices.Equal(namesOf(schema.Columns), c.visible()) {
		c.fail("schema", err, c.visible())
		return
	}
	if (schema.RowCount == nil) != c.ruled(nil) || (schema.SizeBytes == nil) != c.ruled(nil) {
		c.fail("schema's sizes", schema.RowCount, c.ruled(nil))
	}
	list, err := c.svc.Tables(ctx)
	if err != nil || len(list.Tables) != 3 {
		c.fail("catalog", err, "three tables")
		return
	}
	for _, col := range staffColumns {
		found, err := c.svc.Search(ctx, api.SearchRequest{Query: col, Limit: 50})
		if err != nil {
			c.fail("search "+col, err, "hits")
			return
		}
		shown := slices.ContainsFunc(found.Hits, func(h api.SearchHit) bool { return h.ID == "staff" })
		if want := slices.Contains(c.visible(), col); shown != want {
			c.fail("search "+col, found, want)
		}
	}
	entry := list.Tables[2]
	if entry.ID != "staff" || (entry.RoughSizeHint == nil) != c.ruled(nil) {
		c.fail("catalog", entry, c.ruled(nil))
	}
	typed, _ := predicate.NewSchema(predicate.DuckDB, schema.Columns)
	for _, text := range entry.WhereExamples {
		if _, err := predicate.Parse(predicate.DuckDB, text, typed); err != nil {
			c.fail("an example of the catalog", text, "columns "+strings.Join(c.visible(), ","))
		}
	}
	sample, err := c.svc.Sample(ctx, "staff", 100)
	if err != nil {
		c.fail("sample", err, "rows")
		return
	}
	rows, ok := rowsFor(c.all, c.grants, sample.Columns)
	may := project(rows, sample.Columns)
	if want := min(100, len(may)); len(sample.Rows) != want && ok {
		c.fail("sample", len(sample.Rows), want)
	}
	for _, r := range sample.Rows {
		if text := cells(r.Values); !slices.Contains(may, text) {
			c.fail("sample", text, "a row that may be seen")
		}
	}
}

// sync checks the file that the caller may take away.
func (c grantCheck) sync() {
	ctx := context.Background()
	list, err := c.svc.Manifest(ctx)
	if err != nil || len(list.Tables) != 1 || len(list.Failed) != 0 {
		c.fail("manifest", list, err)
		return
	}
	file := filepath.Join(c.t.TempDir(), "staff.parquet")
	data, err := c.svc.TableData(ctx, list.Tables[0], 0, list.Tables[0].Bytes)
	if err != nil {
		c.fail("sync", err, "a file")
		return
	}
	bytes, err := io.ReadAll(data)
	if err := errors.Join(err, data.Close(), os.WriteFile(file, bytes, 0o600)); err != nil {
		c.fail("sync", err, "a file")
		return
	}
	columns, rows := readParquetFile(c.t, file)
	want, ok := rowsFor(c.all, c.grants, columns)
	if !ok || !slices.Equal(rows, project(want, columns)) {
		c.fail(fmt.Sprintf("sync of %v", columns), rows, project(want, columns))
	}
}

func readParquetFile(t *testing.T, file string) (columns, rows []string) {
	t.Helper()
	conn := enginetest.Conn(t)
	stream, err := conn.Query(t.Context(), "SELECT * FROM read_parquet("+duckdb.Literal(file)+")")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Release()
	for _, f := range stream.Schema().Fields() {
		columns = append(columns, f.Name)
	}
	rows = []string{}
	for stream.Next() {
		for _, r := range arrowjson.Rows(stream.RecordBatch()) {
			rows = append(rows, cells(r.Values))
		}
	}
	sort.Strings(rows)
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return columns, rows
}

// request checks a random request at all doors that take it.
func (c grantCheck) request(rnd *rand.Rand) {
	ctx := context.Background()
	sel, where := subset(rnd), conditions[rnd.IntN(len(conditions))]
	req := api.ScanRequest{TableID: "staff", Select: sel, Where: where.text}
	named := slices.Concat(sel, where.columns)
	if rnd.IntN(4) == 0 {
		order := staffColumns[rnd.IntN(4)]
		req.OrderBy, named = []string{order}, append(named, order)
	}
	if rnd.IntN(5) == 0 {
		req.Select, sel = nil, c.visible()
		named = slices.Concat(sel, named)
		named = slices.DeleteFunc(named, func(n string) bool {
			return !slices.Contains(sel, n) && !slices.Contains(where.columns, n) && !slices.Contains(req.OrderBy, n)
		})
	}
	rows, ok := rowsFor(c.all, c.grants, named)
	fails := false
	var want []staff
	for _, s := range rows {
		fails = fails || where.fails != nil && where.fails(s)
		if where.holds(s) {
			want = append(want, s)
		}
	}
	what := fmt.Sprintf("%+v", req)
	got, err := answerOf(c.svc.Scan(ctx, req))
	c.compare("scan "+what, got, err, project(want, sel), ok, fails)
	if rnd.IntN(3) == 0 {
		got, err = fileAnswer(c.t, c.svc, api.FileRequest{Scan: req, Codec: []string{api.FileSnappy, api.FileZstd}[rnd.IntN(2)]})
		c.compare("file "+what, got, err, project(want, sel), ok, fails)
	}
	est, err := c.svc.Estimate(ctx, req)
	c.estimate("estimate "+what, est, err, ok, c.ruled(named))

	sql := "SELECT " + strings.Join(sel, ", ") + " FROM staff"
	if where.text != "" {
		sql += " WHERE " + where.text
	}
	if len(req.OrderBy) > 0 {
		sql += " ORDER BY " + req.OrderBy[0]
	}
	got, err = answerOf(c.svc.Query(ctx, api.QueryRequest{SQL: sql}))
	c.compare("query "+sql, got, err, project(want, sel), ok, fails)
	if rnd.IntN(4) == 0 {
		c.statements(where)
	}
}

// compare wants the model's rows, or the refusal that tells nothing.
func (c grantCheck) compare(door string, got []string, err error, want []string, ok, fails bool) {
	switch {
	case !ok && err == nil:
		c.fail(door, got, "a refusal")
	case !ok:
		if !api.CodeRejected.Is(err) && !api.CodeQueryFailed.Is(err) {
			c.fail(door, err, "a refusal as of an unknown column")
		}
	case fails:
		if !api.CodeQueryFailed.Is(err) {
			c.fail(door, err, "a failed conversion")
		} else if strings.Contains(err.Error(), "n") && strings.Contains(fmt.Sprint(err), "'n") && c.ruled(nil) {
			c.fail(door, err, "an error without values")
		}
	case err != nil || !slices.Equal(got, want):
		c.fail(door, fmt.Sprint(got, err), want)
	}
}

func (c grantCheck) estimate(door string, est *api.Estimate, err error, ok, ruled bool) {
	switch {
	case !ok && !api.CodeRejected.Is(err):
		c.fail(door, err, "a refusal")
	case !ok:
	case err != nil:
		c.fail(door, err, "figures")
	case ruled && (est.ResultRows != nil || est.RowsUpperBound != nil || est.TableRows != nil || est.ResultBytes != nil || est.ResultTruncated != nil):
		c.fail(door, *est, "no figure about rows")
	case !ruled && est.RowsUpperBound == nil:
		c.fail(door, *est, "figures about rows")
	}
}

// statements checks aggregates and other ways to reach rows and columns.
func (c grantCheck) statements(where condition) {
	ctx := context.Background()
	visible := c.visible()
	count := func(rows []staff, err bool) []string { return []string{strconv.Itoa(len(rows))} }
	any, _ := rowsFor(c.all, c.grants, nil)
	whole, wholeOK := rowsFor(c.all, c.grants, visible)
	for sql, want := range map[string][]string{
		"SELECT count(*) FROM staff":                                          count(any, false),
		"SELECT count(*) FROM staff a, staff b":                               {strconv.Itoa(len(any) * len(any))},
		"WITH open AS (SELECT 1 AS one FROM staff) SELECT count(*) FROM open": count(any, false),
	} {
		got, err := answerOf(c.svc.Query(ctx, api.QueryRequest{SQL: sql}))
		c.compare(sql, got, err, want, true, false)
	}
	for _, sql := range []string{
		"SELECT * FROM staff", "SELECT staff.* FROM staff", "SELECT s.* FROM staff s", "FROM staff", "SELECT COLUMNS(*) FROM staff",
		"SELECT unnest(staff) FROM staff", "SELECT * FROM (SELECT DISTINCT s FROM staff s) x, (SELECT unnest(x.s))",
		"SELECT * FROM staff NATURAL JOIN (SELECT * FROM staff)",
	} {
		got, err := answerOf(c.svc.Query(ctx, api.QueryRequest{SQL: sql}))
		if err == nil && !wholeOK {
			c.fail(sql, got, "a refusal")
		}
		if err != nil && wholeOK && strings.HasSuffix(sql, "FROM staff") {
			c.fail(sql, err, "rows")
		}
		if err == nil && strings.HasSuffix(sql, "FROM staff") && !slices.Equal(got, project(whole, visible)) {
			c.fail(sql, got, project(whole, visible))
		}
		may := strings.Join(project(whole, visible), "\n")
		for _, row := range got {
			// A joined row holds a visible one.
			if !strings.Contains(sql, "DISTINCT") && !strings.Contains(sql, "NATURAL") && !strings.Contains(may, row) {
				c.fail(sql, row, "a row that may be seen")
			}
		}
	}
	for _, col := range staffColumns {
		rows, ok := rowsFor(c.all, c.grants, append([]string{col}, where.columns...))
		if where.fails != nil {
			continue
		}
		sql := "SELECT count(*) FILTER (" + col + " IS NOT NULL), count(*) FROM staff"
		if where.text != "" {
			sql += " WHERE " + where.text
		}
		set, n := 0, 0
		for _, s := range rows {
			if where.holds(s) {
				n++
				if s.value(col) != "NULL" {
					set++
				}
			}
		}
		got, err := answerOf(c.svc.Query(ctx, api.QueryRequest{SQL: sql}))
		c.compare(sql, got, err, []string{fmt.Sprintf("%d|%d", set, n)}, ok, false)
	}
}
