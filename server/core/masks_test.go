package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// maskedCore is a core over one table that nobody sees without a grant.
func maskedCore(t *testing.T) *Core {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte("id,team,mail,pay\n1,a,ann@x.org,1500\n2,b,bob@x.org,2500\n3,a,,3500\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, filepath.Join(dir, "people.parquet"), "SELECT id::INTEGER AS id, team, mail, pay FROM read_csv('"+filepath.Join(dir, "people.csv")+"')")
	return coreOf(t, dir, `
sources: { files: { type: lake, root: . } }
tables:
  - { id: people, source: files, path: people.csv, query_mode: local }
  - { id: others, source: files, path: people.parquet }
`)
}

// maskedUser is a user with grants on the tables.
func maskedUser(t *testing.T, c *Core, name string, grants ...api.NewGrant) *Session {
	t.Helper()
	s := userOf(t, c, name)
	for _, g := range grants {
		for _, g.TableID = range []string{"people", "others"} {
			g.User = name
			if _, err := c.As(LocalAdmin).CreateGrant(t.Context(), g); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// rowsOf are the rows of a scan, or the kind of its error.
func rowsOf(t *testing.T, s *Session, req api.ScanRequest) string {
	t.Helper()
	stream, err := s.Scan(t.Context(), req)
	var e *api.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var rows []string
	for stream.Batches.Next() {
		for _, r := range arrowjson.Rows(stream.Batches.RecordBatch()) {
			rows = append(rows, strings.TrimSpace(fmt.Sprintln(r.Values...)))
		}
	}
	if err := stream.Batches.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return strings.Join(rows, "; ")
}

// TestGrantsWithMasksCombine by the rule of docs/access.md.
func TestGrantsWithMasksCombine(t *testing.T) {
	c := maskedCore(t)
	last4, null, none := api.Masks{"mail": "last4"}, api.Masks{"mail": "null"}, api.Masks(nil)
	for i, test := range []struct {
		what          string
		grants        []api.NewGrant
		mail, byMail  string
		justID, where string
	}{
		{"one that masks", []api.NewGrant{{Masks: last4}}, "1 ****.org; 2 ****.org; 3 <nil>", "masked_column", "1; 2; 3", "masked_column"},
		{"one that masks beside all", []api.NewGrant{{Masks: last4}, {Masks: none}}, "1 ann@x.org; 2 bob@x.org; 3 <nil>", "1 ann@x.org", "1; 2; 3", "1"},
		{"one that masks beside some rows", []api.NewGrant{{Masks: last4}, {Rows: "team = 'b'"}}, "1 ****.org; 2 ****.org; 3 <nil>", "", "1; 2; 3", ""},
		{"two masks", []api.NewGrant{{Masks: last4, Rows: "team = 'a'"}, {Masks: null, Rows: "team = 'b'"}}, "1 <nil>; 2 <nil>; 3 <nil>", "masked_column", "1; 2; 3", "masked_column"},
		{"two masks of the same rows", []api.NewGrant{{Masks: last4, Rows: "team = 'a'"}, {Masks: null, Rows: "team = 'a'"}}, "1 <nil>; 3 <nil>", "masked_column", "1; 3", "masked_column"},
		{"the same mask", []api.NewGrant{{Masks: last4, Rows: "team = 'a'"}, {Masks: last4, Rows: "team = 'b'"}}, "1 ****.org; 2 ****.org; 3 <nil>", "masked_column", "1; 2; 3", "masked_column"},
		{"as many rows, less masked", []api.NewGrant{{Masks: api.Masks{"mail": "last4", "pay": "null"}}, {Masks: api.Masks{"pay": "null"}, Rows: "team = 'a'"}, {Masks: api.Masks{"pay": "null"}}}, "1 ann@x.org; 2 bob@x.org; 3 <nil>", "1 ann@x.org", "1; 2; 3", "1"},
		{"a part of the columns", []api.NewGrant{{Columns: []string{"id", "team"}}, {Columns: []string{"id", "mail"}, Masks: last4}}, "1 ****.org; 2 ****.org; 3 <nil>", "masked_column", "1; 2; 3", "masked_column"},
	} {
		s := maskedUser(t, c, fmt.Sprint("u", i), test.grants...)
		for _, table := range []string{"people", "others"} {
			for _, ask := range []struct {
				req  api.ScanRequest
				want string
			}{
				{api.ScanRequest{Select: []string{"id", "mail"}}, test.mail},
				{api.ScanRequest{Select: []string{"id", "mail"}, Where: "mail = 'ann@x.org'"}, test.byMail},
				{api.ScanRequest{Select: []string{"id"}}, test.justID},
				{api.ScanRequest{Select: []string{"id"}, Where: "mail LIKE 'ann%'"}, test.where},
			} {
				ask.req.TableID = table
				if got := rowsOf(t, s, ask.req); got != ask.want {
					t.Errorf("%s, %+v: %s, not %s", test.what, ask.req, got, ask.want)
				}
			}
		}
	}
}

// TestMasksAreNotShared: who sees more asks first, and who sees less gets nothing of it,
// by all that is kept: samples, files to sync, schemas, hints, and fingerprints.
func TestMasksAreNotShared(t *testing.T) {
	c := maskedCore(t)
	users := map[string]*Session{
		"clear": maskedUser(t, c, "clear", api.NewGrant{}), "ends": maskedUser(t, c, "ends", api.NewGrant{Masks: api.Masks{"mail": "last4"}}),
		"null": maskedUser(t, c, "null", api.NewGrant{Masks: api.Masks{"mail": "null"}}), "hash": maskedUser(t, c, "hash", api.NewGrant{Masks: api.Masks{"mail": "hash"}}),
	}
	want := map[string]string{"clear": "ann@x.org", "ends": "****.org", "null": "<nil>", "hash": c.state.Hash("mask", "ann@x.org")}
	seen := map[string]map[string]string{"rights": {}, "file": {}, "access": {}, "sample": {}}
	for range 2 { // made, and kept
		for _, name := range []string{"clear", "ends", "null", "hash"} {
			s := users[name]
			sample, err := s.Sample(t.Context(), "people", 1)
			if err != nil || fmt.Sprint(sample.Rows[0].Values[2]) != want[name] {
				t.Fatalf("%s: %+v, %v", name, sample, err)
			}
			told := strings.Contains(fmt.Sprint(api.Texts(sample.Caveats)), `"mail" is masked`)
			schema, err := s.Schema(t.Context(), "people")
			if err != nil || told == (name == "clear") || (schema.Columns[2].Masked == "") != (name == "clear") {
				t.Errorf("%s is told %v: %+v, %v", name, sample.Caveats, schema, err)
			}
			est, err := s.Estimate(t.Context(), api.ScanRequest{TableID: "people", Select: []string{"id"}})
			if err != nil {
				t.Fatal(err)
			}
			file, err := s.LocalTable(t.Context(), "people")
			if err != nil {
				t.Fatal(err)
			}
			access, err := c.Access(t.Context(), s.who)
			if err != nil {
				t.Fatal(err)
			}
			for what, of := range map[string]string{"rights": est.Rights, "file": file.XXH3, "access": access, "sample": fmt.Sprint(sample.Rows[0].Values)} {
				if other, ok := seen[what][of]; ok && other != name {
					t.Errorf("%s and %s have the same %s", name, other, what)
				}
				seen[what][of] = name
			}
		}
	}
}

// TestHashesJoin: equal values of two tables have the same hash, whatever their type.
func TestHashesJoin(t *testing.T) {
	c := maskedCore(t)
	s := maskedUser(t, c, "h", api.NewGrant{Masks: api.Masks{"mail": "hash", "id": "hash"}})
	people, others := rowsOf(t, s, api.ScanRequest{TableID: "people"}), rowsOf(t, s, api.ScanRequest{TableID: "others"})
	if people != others || !strings.Contains(people, c.state.Hash("mask", "1")) {
		t.Errorf("%s, and %s", people, others)
	}
}

// TestStatementsDoNotHaveWhatIsMasked and say what to do; the audit says what was masked.
func TestStatementsDoNotHaveWhatIsMasked(t *testing.T) {
	c := maskedCore(t)
	s := maskedUser(t, c, "s", api.NewGrant{Masks: api.Masks{"mail": "hash"}})
	for sql, want := range map[string]string{
		"SELECT sum(pay) AS n FROM people": "", "SELECT mail FROM people": "masked_column", "SELECT * FROM people": "masked_column",
		"SELECT * EXCLUDE (mail) FROM people": "masked_column", "SELECT people FROM people": "masked_column", "SELECT mai FROM people": "binder",
	} {
		stream, err := s.Query(t.Context(), api.QueryRequest{SQL: sql})
		var e *api.Error
		switch {
		case err == nil:
			if _, err = drain(t, stream); err != nil || want != "" {
				t.Errorf("%s: %v", sql, err)
			}
		case !errors.As(err, &e) || e.Kind != want || want == "masked_column" && len(e.Next) == 0 || strings.Contains(fmt.Sprint(e, e.Hint, e.Details), "mail") && want == "binder":
			t.Errorf("%s: %v", sql, err)
		}
	}
	rowsOf(t, s, api.ScanRequest{TableID: "people", Select: []string{"mail", "id"}})
	events, err := c.As(LocalAdmin).Audit(t.Context(), api.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	granted, fetched := false, false
	for _, e := range events {
		granted = granted || e.Data.Action == "grant_create" && e.Data.Subject == "people: s, mail=hash"
		fetched = fetched || e.EventType == api.EventScan && slices.Equal(e.Data.Masked, []string{"mail"})
	}
	if !granted || !fetched {
		t.Errorf("the audit: %v %v", granted, fetched)
	}
}

// TestFiguresOfMaskedTables: sizes are not told, and examples of conditions name no masked
// column.
func TestFiguresOfMaskedTables(t *testing.T) {
	c := maskedCore(t)
	for name, s := range map[string]*Session{
		"clear": maskedUser(t, c, "clear", api.NewGrant{}), "masked": maskedUser(t, c, "masked", api.NewGrant{Masks: api.Masks{"mail": "hash", "team": "null"}}),
	} {
		masked := name == "masked"
		list, err := s.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list.Tables {
			if told := strings.Contains(fmt.Sprint(e.WhereExamples), "mail"); (e.SizeBytes == nil) != masked || told == masked {
				t.Errorf("%s: the catalog has %+v", name, e)
			}
		}
		est, err := s.Estimate(t.Context(), api.ScanRequest{TableID: "people", Select: []string{"mail"}})
		if err != nil || masked && est.ResultBytes != nil {
			t.Errorf("%s: %+v, %v", name, est, err)
		}
	}
}

// TestRowsComeMasked: no other place of the core asks a source for rows of a relation than
// those that mask them, and that of statements, whose relations have no masked column.
func TestRowsComeMasked(t *testing.T) {
	calls := regexp.MustCompile(`\.(Scan|Sample|Query|QueryFor)\(`)
	allowed := map[string]int{"masks.go": 3, "query.go": 2}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(text)) {
			if calls.MatchString(line) && regexp.MustCompile(`source\.(Scan|Sample)\(|runner\.|payer\.`).MatchString(line) {
				found++
			}
		}
		if found != allowed[file] {
			t.Errorf("%s asks a source for rows in %d places, not %d: let Core.rows or Core.firstRows do it", file, found, allowed[file])
		}
	}
	rel := source.Relation{Masks: map[string]string{"mail": "null"}}
	if unmaskedOnly(rel) == nil {
		t.Error("a statement may have all columns")
	}
	if rel.Columns = []string{"id"}; unmaskedOnly(rel) != nil {
		t.Error("a statement may not have what is not masked")
	}
}

// TestNothingTellsMaskedTypes: a type can list the values of a column.
func TestNothingTellsMaskedTypes(t *testing.T) {
	dir := t.TempDir()
	if err := enginetest.Writer(t).Exec(t.Context(), "ATTACH '"+filepath.Join(dir, "p.duckdb")+"' AS p; CREATE TYPE p.illness AS ENUM ('SECRET', 'b');"+
		" CREATE TABLE p.people AS SELECT 1 AS id, 'b'::p.illness AS ill; DETACH p"); err != nil {
		t.Fatal(err)
	}
	c := coreOf(t, dir, `
sources: { files: { type: duckdb, file: p.duckdb } }
tables:
  - { id: people, source: files, relation: people }
`)
	for name, mask := range map[string]string{"clear": "", "masked": "constant"} {
		g := api.NewGrant{User: name, TableID: "people"}
		if mask != "" {
			g.Masks = api.Masks{"ill": mask}
		}
		s := userOf(t, c, name)
		if _, err := c.As(LocalAdmin).CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, req := range []api.ScanRequest{{TableID: "people"}, {TableID: "people", Where: "ill > 5"}, {TableID: "people", Where: "abs(ill) = 1"}} {
			stream, err := s.Scan(t.Context(), req)
			if err != nil {
				said += fmt.Sprint(err, err.(*api.Error).Hint, err.(*api.Error).Details)
				continue
			}
			said += fmt.Sprint(stream.Batches.Schema(), stream.Caveats())
			stream.Close()
		}
		schema, err := s.Schema(t.Context(), "people")
		if err != nil {
			t.Fatal(err)
		}
		if said += fmt.Sprint(schema); strings.Contains(said, "SECRET") == (mask != "") {
			t.Errorf("%s is told %s", name, said)
		}
	}
}

// TestErrorsQuoteNoMaskedValue: a cell that does not fit the type of a masked column.
func TestErrorsQuoteNoMaskedValue(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte("id,pay\n1,77\n2,SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := coreOf(t, dir, `
sources: { files: { type: lake, root: . } }
tables:
  - { id: people, source: files, path: people.csv, types: { pay: integer } }
`)
	s := userOf(t, c, "s")
	if _, err := c.As(LocalAdmin).CreateGrant(t.Context(), api.NewGrant{User: "s", TableID: "people", Masks: api.Masks{"pay": "number:10"}}); err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]string{{"id"}, {"id", "pay"}} {
		for _, who := range []*Session{c.As(LocalAdmin), s} {
			said := ""
			stream, err := who.Scan(t.Context(), api.ScanRequest{TableID: "people", Select: columns})
			if err == nil {
				said = fmt.Sprint(stream.Caveats())
				_, err = drain(t, stream)
			}
			var e *api.Error
			if errors.As(err, &e) {
				said += fmt.Sprint(e.Message, e.Hint, e.Details)
			}
			if who == s && (strings.Contains(said, "SECRET") || strings.Contains(said, "line")) {
				t.Errorf("%v: told %s", columns, said)
			}
			if who != s && !strings.Contains(said, "pay") && len(columns) > 1 {
				t.Errorf("nothing is wrong: %s", said)
			}
		}
	}
}

// TestEstimatesOfPartsUnderMasks: parts of a table that a condition chooses have the bytes
// of all where masked values take space, and files are not told one by one.
func TestEstimatesOfPartsUnderMasks(t *testing.T) {
	dir := t.TempDir()
	for part := range 3 {
		for _, format := range []string{"csv", "parquet"} {
			path := filepath.Join(dir, format, fmt.Sprint("day=", part))
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			sql := fmt.Sprintf("SELECT %d AS id, repeat('m', %d) AS mail", part, 10+100*part)
			if err := enginetest.Writer(t).Exec(t.Context(), "COPY ("+sql+") TO '"+filepath.Join(path, "x."+format)+"' (FORMAT "+format+")"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mails.json"), []byte(`{"title": "Mails", "tables": ["people"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := coreOf(t, dir, `
dashboards: .
sources: { files: { type: lake, root: . } }
tables:
  - { id: people, source: files, path: "csv/*/*.csv" }
  - { id: others, source: files, path: "parquet/*/*.parquet" }
`)
	for name, s := range map[string]*Session{
		"clear": maskedUser(t, c, "clear", api.NewGrant{}), "masked": maskedUser(t, c, "masked", api.NewGrant{Masks: api.Masks{"mail": "hash"}}),
	} {
		masked := name == "masked"
		for table, column := range map[string]string{"people": "id", "others": "mail"} {
			var bytes []int64
			for _, where := range []string{"", "day = 0"} {
				est, err := s.Estimate(t.Context(), api.ScanRequest{TableID: table, Select: []string{column}, Where: where})
				if err != nil {
					t.Fatal(err)
				}
				bytes = append(bytes, *est.ScanBytes)
			}
			if (bytes[0] == bytes[1]) != masked {
				t.Errorf("%s: %s.%s reads %v bytes", name, table, column, bytes)
			}
		}
		est, err := s.Estimate(t.Context(), api.ScanRequest{TableID: "others", Select: []string{"id", "mail"}})
		if err != nil || (est.ResultBytes == nil) != masked {
			t.Errorf("%s: %+v, %v", name, est, err)
		}
		stream, err := s.Scan(t.Context(), api.ScanRequest{TableID: "others", Select: []string{"id"}, Files: true})
		if err != nil {
			t.Fatal(err)
		}
		for more := true; more; more = stream.Batches.Next() {
			continue // to the last row
		}
		if files := stream.End().Files; (len(files) == 0) != masked {
			t.Errorf("%s: files %v", name, files)
		}
		stream.Close()
		found, err := s.Search(t.Context(), api.SearchRequest{Query: "mail", Limit: 5})
		if err != nil || (found.Total == 0) != masked {
			t.Errorf("%s finds %+v, %v", name, found, err)
		}
		boards, err := s.Dashboards(t.Context())
		if err != nil || (len(boards) == 0) != masked {
			t.Errorf("%s has the dashboards %v, %v", name, boards, err)
		}
		v, err := s.readRights(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hidden, ok, err := v.hiddenOf(t.Context(), "people")
		if slices.Contains(hidden, "mail") != masked || !ok || err != nil {
			t.Errorf("%s: metrics and notes do not have %v, %v, %v", name, hidden, ok, err)
		}
	}
}
