package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/resultset"
)

// maskedWorld is a table of people. Two worlds differ only in what the masks of
// maskedGrants hide: values of as many bytes that have the same last four characters, the
// same month, the same thousands, and the same equalities.
func maskedWorld(t *testing.T, dir string, second bool) {
	t.Helper()
	mail, card, born, pay, secret, code := "'aa' || lpad((i % 70)::VARCHAR, 3, '0') || '@x.org'", "'41111111' || lpad((i * 7919 % 10000)::VARCHAR, 4, '0') || '1234'",
		"DATE '1980-01-01' + (i % 28)::INTEGER", "1000 * (1 + i % 50) + i % 900", "lpad((i * 31 % 9973)::VARCHAR, 12, 'q')", "(100 + i * 13 % 101)::BIGINT"
	if second {
		mail, card, born, pay, secret, code = "'zz' || lpad((699 - i % 70)::VARCHAR, 3, '0') || '@y.com'", "'55555555' || lpad((i * 104729 % 10000)::VARCHAR, 4, '0') || '1234'",
			"DATE '1980-01-28' - (i % 28)::INTEGER", "1000 * (1 + i % 50) + 999 - i % 900", "lpad((9999 - i)::VARCHAR, 12, 'z')", "(200 - i * 13 % 101)::BIGINT"
	}
	sql := fmt.Sprintf(`SELECT i AS id, chr(97 + (i %% 3)::INTEGER) AS team, 'n' || i AS name, %s AS mail, %s AS card, (%s)::DATE AS born, (%s)::BIGINT AS pay,
		CASE WHEN i %% 7 <> 0 THEN %s END AS secret, %s AS code FROM range(400) t(i)`, mail, card, born, pay, secret, code)
	conn := enginetest.Writer(t)
	for file, options := range map[string]string{"people.parquet": "FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1", "people.csv": "FORMAT csv"} {
		path := filepath.Join(dir, file)
		if err := conn.Exec(t.Context(), "COPY ("+sql+") TO '"+path+"' ("+options+")"); err != nil {
			t.Fatal(err)
		}
		asEver(t, path)
	}
	// In all, mails are as long in both worlds; in each part of the table they are not.
	for part := range 4 {
		n, letter := 1+10*part, "q"
		if second {
			n, letter = 1+10*(3-part), "z"
		}
		for format, options := range map[string]string{"parquet": "FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1", "csv": "FORMAT csv"} {
			path := filepath.Join(dir, format, fmt.Sprint("day=", part))
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(path, "x."+format)
			sql := fmt.Sprintf("SELECT * REPLACE (repeat('%s', %d) || lpad(id::VARCHAR, 4, '0') AS mail, repeat('%[1]s', %[2]d) AS secret) FROM (%s) WHERE id %% 4 = %d", letter, n, sql, part)
			if err := conn.Exec(t.Context(), "COPY ("+sql+") TO '"+path+"' ("+options+")"); err != nil {
				t.Fatal(err)
			}
			asEver(t, path)
		}
	}
}

// maskedDatabase puts the lines of a world into PostgreSQL.
func maskedDatabase(t *testing.T, db pgtest.Database, dir string) {
	t.Helper()
	const sql = `DROP TABLE IF EXISTS people; CREATE TABLE people (id bigint PRIMARY KEY, team text, name text, mail varchar(20), card text, born date, pay bigint,
		secret text, code bigint)`
	if out, err := db.Command("psql", "-v", "ON_ERROR_STOP=1", "-c", sql, "-c", `\copy people FROM '`+filepath.Join(dir, "people.csv")+`' (FORMAT csv, HEADER)`,
		"-c", "CREATE INDEX ON people (mail)", "-c", "VACUUM ANALYZE people").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// asEver gives a file the same time in both worlds.
func asEver(t *testing.T, path string) {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// maskedGrants are what users see of the tables: by everything masked, by hashes alone,
// by one grant that masks beside one with a rule, and in a part of the columns.
var maskedGrants = map[string][]api.NewGrant{
	"all": {{Masks: api.Masks{"mail": "constant:hidden", "card": "last4", "born": "date:month", "pay": "number:1000", "secret": "null", "code": "constant"}}},
	"hashed": {{Columns: []string{"id", "team", "mail", "secret", "code"},
		Masks: api.Masks{"mail": "hash", "code": "hash", "secret": "constant"}}},
	"mixed": {{Masks: api.Masks{"mail": "null", "card": "last4", "born": "date:year", "pay": "number:1000", "secret": "null", "code": "null"}},
		{Columns: []string{"id", "team", "mail"}, Rows: "team = 'a'", Masks: api.Masks{"mail": "constant"}}},
	"ruled": {{Rows: "team <> 'c'", Masks: api.Masks{"mail": "constant", "card": "null", "born": "date:month", "pay": "null", "secret": "constant", "code": "null"}}},
}

var maskedTables = []string{"people", "lines", "kept", "days", "parts", "rows"}

var maskedColumns = []string{"mail", "card", "born", "pay", "secret", "code"}

// tryMasked are statements that try to come by a masked column C of a table T.
var tryMasked = []string{
	"SELECT C FROM T ORDER BY id", "SELECT * FROM T ORDER BY id", "SELECT * EXCLUDE (C) FROM T ORDER BY id", "SELECT COLUMNS('.*') FROM T", "SELECT COLUMNS(* EXCLUDE (id)) FROM T",
	"SELECT T FROM T ORDER BY 1", "SELECT count(*) FROM T WHERE C IS NULL", "SELECT count(DISTINCT C) FROM T", "SELECT min(C), max(C) FROM T", "SELECT id FROM T ORDER BY C LIMIT 3",
	"SELECT team, count(*) FROM T GROUP BY team, C", "SELECT count(*) FROM T GROUP BY ALL", "SELECT a.id FROM T a JOIN T b USING (C)", "SELECT a.id FROM T a NATURAL JOIN T b", "SELECT CAST(C AS INTEGER) FROM T",
	"SELECT error(C::VARCHAR) FROM T", "SELECT id FROM T WHERE CASE WHEN C::VARCHAR > 'm' THEN 1/0 ELSE 1 END > 0", "SELECT * FROM T LIMIT 0", "SELECT C FROM T LIMIT 0", "SELECT row_number() OVER (ORDER BY C) FROM T",
	"SELECT * REPLACE (1 AS C) FROM T", "SELECT * RENAME (C AS d) FROM T", "FROM T SELECT id", "SELECT \"C\" FROM T", "SELECT T.C FROM T", "SELECT x.c FROM T x(a,b,c,d,e,f,g,h,i)", "SELECT (SELECT max(C) FROM T)",
	"WITH q AS (SELECT * FROM T) SELECT id FROM q", "WITH q AS (TABLE T) SELECT count(*) FROM q", "SELECT to_json(T) FROM T", "SELECT struct_pack(c := C) FROM T", "SELECT id FROM T QUALIFY rank() OVER (ORDER BY C) = 1",
	"SELECT * FROM (PIVOT T ON C USING count(*))", "UNPIVOT T ON C INTO NAME n VALUE v", "SUMMARIZE T", "DESCRIBE T", "EXPLAIN SELECT C FROM T", "SELECT id FROM T WHERE EXISTS (SELECT 1 FROM T o WHERE o.C = T.C AND o.id <> T.id)",
	"SELECT team, count(*) AS n, sum(id) AS s FROM T GROUP BY team ORDER BY team", "SELECT id, name FROM T WHERE id % 50 = 0 ORDER BY id", "SELECT count(*) AS n FROM T", "SELECT hash(T) FROM T", "SELECT rowid FROM T", "SELECT * FROM T USING SAMPLE 1",
	"SELECT id FROM T UNION SELECT C FROM T", "SELECT unnest([C]) FROM T", "SELECT getvariable('C') FROM T", "SELECT stats(C) FROM T", "SELECT current_setting('memory_limit') FROM T", "SELECT list(C) FROM T", "SELECT id FROM T WHERE C = (SELECT C FROM T LIMIT 1)",
	"SELECT mode(C) FROM T", "SELECT approx_count_distinct(C) FROM T", "SELECT team, any_value(C) FROM T GROUP BY ALL", "SELECT file_row_number, filename FROM T", "SELECT * LIKE '%a%' FROM T", "SELECT id FROM T ORDER BY ALL", "SELECT DISTINCT ON (C) id FROM T",
}

// tryPostgres are statements in another language over the table of a database.
var tryPostgres = []string{
	"SELECT C FROM T", "SELECT * FROM T ORDER BY id", "SELECT T FROM T", "SELECT T.* FROM T", "SELECT (T).C FROM T", "SELECT (T).* FROM T", "SELECT x FROM T x", "SELECT row_to_json(T) FROM T",
	"SELECT to_jsonb(x) FROM T x", "SELECT T::text FROM T", "SELECT count(T) FROM T", "SELECT C(T) FROM T", "SELECT T.C FROM T", "SELECT md5(T::text) FROM T", "SELECT pg_column_size(T) FROM T", "SELECT ctid FROM T",
	"SELECT xmin FROM T", "SELECT tableoid FROM T", "SELECT a.id FROM T a JOIN T b USING (C)", "SELECT a.id FROM T a NATURAL JOIN T b", "SELECT count(*) FROM T WHERE C IS NULL", "SELECT max(C) FROM T", "SELECT id FROM T ORDER BY C",
	"SELECT DISTINCT ON (C) id FROM T", "SELECT team, count(*) FROM T GROUP BY team, C", "WITH q AS (SELECT * FROM T) SELECT id FROM q", "TABLE T", "SELECT id FROM T, LATERAL (SELECT C) l", "SELECT CAST(C AS integer) FROM T",
	"SELECT team, count(*) AS n, sum(id) AS s FROM T GROUP BY team ORDER BY team", "SELECT id, name FROM T WHERE id % 50 = 0 ORDER BY id", "SELECT count(*) AS n FROM T", "SELECT x.c FROM T x(a,b,c,d,e,f,g,h,i)", "SELECT 1 FROM T x(a,C) WHERE C > '1'",
	"SELECT nothere FROM T", "SELECT name::integer FROM T", "SELECT row(T.*) FROM T", "SELECT id FROM T WHERE T IS NOT NULL", "SELECT id FROM T WHERE (T.*) IS DISTINCT FROM NULL", "SELECT * FROM T WHERE false", "SELECT jsonb_object_keys(to_jsonb(T)) FROM T",
}

// tryWhere are conditions over a masked column C, and some without one.
var tryWhere = []string{
	"", "", "id < 30", "team = 'a'", "day = 1", "day IN (0, 3)", "day = 2 AND id > 100", "C IS NULL", "C = 'x'", "C > 5", "CAST(C AS INTEGER) > 1", "id < 30 AND C IS NOT NULL", "id < 30 OR C LIKE '%1%'", "length(C) > 3", "CAST(name AS INTEGER) > 1", "nothere = 1",
	"\"C\" IN ('a')", "C = C", "coalesce(C, 'x') = 'x'", "id = 7", "id BETWEEN 10 AND 12 AND team <> 'b'", "C", "NOT (C IS NULL)",
}

// request is one of a door: a method, a path and a body.
type request struct {
	method, path, body string
	file               *api.ScanRequest // a file with the rows of a scan
}

func maskedRequests(rng *rand.Rand, n int, tables []string) (all []request) {
	for _, table := range tables { // from then on it is known what the catalog says of them
		all = append(all, request{"GET", "/api/v2/schema/" + table, "", nil})
	}
	post := func(path string, body any) {
		text, _ := json.Marshal(body)
		all = append(all, request{"POST", path, string(text), nil})
	}
	for _, path := range []string{"/api/v2/catalog", "/api/v2/model", "/api/page/dashboards", "/api/page/tables", "/api/v2/catalog/search?q=mail", "/api/page/tables?q=secret",
		"/api/v2/known", "/api/v2/questions/mails", "/api/v2/questions/teams", "/api/v2/catalog/search?q=mail+constant&any=true", "/api/v2/whoami"} {
		all = append(all, request{"GET", path, "", nil})
	}
	for len(all) < n {
		table := tables[rng.IntN(len(tables))]
		c := maskedColumns[rng.IntN(len(maskedColumns))]
		fill := func(text string) string {
			return regexp.MustCompile(`\b[CT]\b`).ReplaceAllStringFunc(text, func(w string) string { return map[string]string{"C": c, "T": table}[w] })
		}
		switch door := rng.IntN(12); door {
		case 0:
			all = append(all, request{"GET", "/api/v2/schema/" + table, "", nil})
		case 1:
			all = append(all, request{"GET", "/api/v2/sample/" + table + "?n=" + strconv.Itoa(1+rng.IntN(20)), "", nil})
		case 2:
			all = append(all, request{"GET", "/api/sync/tables/kept", "", nil}, request{"GET", "/api/sync/manifest", "", nil})
		case 3, 4, 5, 6:
			sql := fill(tryMasked[rng.IntN(len(tryMasked))])
			if table == "rows" {
				sql = fill(tryPostgres[rng.IntN(len(tryPostgres))])
			}
			post([]string{"/api/query", "/api/page/query", "/api/page/price", "/api/page/results"}[door-3], api.QueryRequest{SQL: sql})
			if rng.IntN(4) == 0 {
				post("/api/page/file", api.PageFile{SQL: sql, Format: "csv"})
			}
		default:
			scan := api.ScanRequest{TableID: table, Where: fill(tryWhere[rng.IntN(len(tryWhere))])}
			for _, name := range append([]string{"id", "team", "name"}, maskedColumns...) {
				if rng.IntN(3) == 0 {
					scan.Select = append(scan.Select, name)
				}
			}
			if rng.IntN(3) == 0 {
				scan.OrderBy = []string{[]string{"id DESC", c, c + " DESC", "team, id"}[rng.IntN(4)]}
			}
			if rng.IntN(2) == 0 {
				scan.OrderBy = append([]string{"id"}, scan.OrderBy...)
			}
			if rng.IntN(2) == 0 {
				scan.Limit = new(int64(rng.IntN(20)))
			}
			if scan.Limit == nil && scan.OrderBy == nil { // the files of a table come in any order
				scan.OrderBy = []string{"id"}
			}
			scan.Files, scan.RefuseCut = rng.IntN(2) == 0, rng.IntN(2) == 0
			post([]string{"/api/v2/scan", "/api/v2/scan/estimate", "/api/page/rows", "/api/v2/scan/estimate", "/api/v2/scan"}[door-7], scan)
			switch rng.IntN(8) {
			case 2:
				all = append(all, request{"FILE", "/api/v2/scan", fmt.Sprint(scan), &scan})
			case 0:
				post("/api/page/file", api.PageFile{Scan: &scan, Format: []string{"csv", "json"}[rng.IntN(2)]})
			case 1:
				post("/api/page/results", api.KeepResult{Scan: &scan})
			}
		}
	}
	return all[:n]
}

// volatile is what differs from one request to the next: numbers of requests, hashes and
// times.
var volatile = regexp.MustCompile(`[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}|"?20\d\d-\d\d-\d\dT[0-9:.]+Z"?|"elapsed_ms":\d+|"record_xxh3":"[0-9a-f]+"`)

// answers are those to all requests of a user, without what is volatile. Texts that
// look like hashes are numbered by where they come first: two worlds whose hashed values
// are equal in the same rows have the same answers.
func (s *staffServer) answers(token string, requests []request) (all []string) {
	for _, r := range requests {
		if r.file != nil {
			all = append(all, s.file(token, *r.file))
			continue
		}
		status, header, body := s.ask(r.method, r.path, token, r.body)
		var kept api.KeptResult
		if r.path == "/api/page/results" && json.Unmarshal([]byte(body), &kept) == nil && kept.ID != "" {
			// By a column that may be masked, and what the columns hold.
			for _, more := range [][2]string{{"rows", `{"part":{"order":{"at":0}},"from":0,"limit":50}`}, {"summaries", `{"part":{},"columns":[0]}`}} {
				_, _, text := s.ask("POST", r.path+"/"+kept.ID+"/"+more[0], token, more[1])
				body += text
			}
			body = strings.ReplaceAll(body, kept.ID, "id")
		}
		seen := map[string]string{}
		body = volatile.ReplaceAllStringFunc(body, func(text string) string {
			if strings.ContainsAny(text, "\":-") {
				return "<>" // a time, or how long it took
			}
			if seen[text] == "" {
				seen[text] = fmt.Sprintf("<%d>", len(seen))
			}
			return seen[text]
		})
		var told []string
		for _, name := range []string{"X-Agnes-Row-Rule", "X-Agnes-Ordered", "Content-Type", "X-Agnes-Caveats"} {
			told = append(told, header.Get(name))
		}
		all = append(all, fmt.Sprint(status, told, body))
	}
	return all
}

// file is a parquet file with the rows of a scan, and what goes along with it.
func (s *staffServer) file(token string, req api.ScanRequest) string {
	f, err := s.over(token).ScanFile(s.t.Context(), api.FileRequest{Scan: req, Codec: api.FileSnappy})
	if err != nil {
		return fmt.Sprint("400 ", err)
	}
	defer f.Close()
	data, err := io.ReadAll(f.Data)
	return fmt.Sprint("200 ", string(data), volatile.ReplaceAllString(fmt.Sprint(f.Caveats(), f.End().Rows, f.Ordered, f.RowRule, err), "<>"))
}

// used are the bytes that a user has got today.
func (s *staffServer) used(token string) int64 {
	q, err := s.over(token).Quota(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return q.ResultBytes
}

// TestMasksHideWhatIsBelow asks two worlds that differ only below masks the same
// questions by all doors of the server: the answers are the same to the byte, and hold
// nothing of what is below. MASK_CAMPAIGN asks more.
func TestMasksHideWhatIsBelow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	maskedWorld(t, dir, false)
	database := pgtest.Shared(t)
	maskedDatabase(t, database, dir)
	c := openCore(t, dir, fmt.Sprintf(`
sources: { files: { type: lake, root: . }, crm: { type: postgres, dsn: "%s" } }
tables:
  - { id: rows, source: crm, relation: public.people }
  - { id: people, source: files, path: people.parquet, where_examples: ["mail = 'x'", "id > 3"] }
  - { id: lines, source: files, path: people.csv }
  - { id: days, source: files, path: "csv/*/*.csv" }
  - { id: parts, source: files, path: "parquet/*/*.parquet" }
  - { id: kept, source: files, path: people.parquet, query_mode: local }
`, database.DSN("")))
	asksTwoWorlds(t, c, maskedTables, maskedGrants, func() {
		maskedWorld(t, dir, true)
		maskedDatabase(t, database, dir)
	})
}

// asksTwoWorlds asks of tables, makes the second world, and asks again.
func asksTwoWorlds(t *testing.T, c *core.Core, tables []string, granted map[string][]api.NewGrant, second func()) {
	t.Helper()
	n := 60
	if text := os.Getenv("MASK_CAMPAIGN"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	h := newHandler(c, slog.New(slog.DiscardHandler), testDoor)
	h.results = resultset.New(t.TempDir(), resultset.Usual)
	h.writeRows = countRows
	t.Cleanup(h.results.Close)
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	s := &staffServer{t: t, core: c, url: srv.URL}
	tokens := map[string]string{}
	for user, grants := range granted {
		tokens[user] = s.user(user)
		for _, g := range grants {
			for _, table := range tables {
				g.User, g.TableID = user, table
				s.grant(g)
			}
		}
	}
	for name, sql := range map[string]string{"mails": "SELECT mail FROM " + tables[0], "teams": "SELECT team, count(*) FROM " + tables[len(tables)-1] + " GROUP BY team"} {
		if _, err := c.As(core.LocalAdmin).SaveQuestion(t.Context(), api.NewQuestion{Name: name, Question: "which " + name + "?", SQL: sql}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.As(core.LocalAdmin).RefreshCaches(t.Context()); err != nil {
		t.Fatal(err)
	}
	requests, got := map[string][]request{}, map[string]int64{}
	first := map[string][]string{}
	for i, user := range slices.Sorted(maps.Keys(granted)) {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		requests[user] = maskedRequests(rng, n/len(granted)+1, tables)
		first[user] = s.answers(tokens[user], requests[user])
		got[user] = s.used(tokens[user])
	}
	second()
	if err := c.As(core.LocalAdmin).RefreshCaches(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := map[int]int{}
	for user := range granted {
		answers := s.answers(tokens[user], requests[user])
		if used := s.used(tokens[user]); user != "hashed" && used != 2*got[user] { // files of hashes compress differently
			t.Errorf("%s has got %d bytes of one world, and %d of the other", user, got[user], used-got[user])
		}
		for i, got := range answers {
			r := requests[user][i]
			var status int
			_, _ = fmt.Sscan(got, &status)
			said[status]++
			// Other hashes have another order, and a parquet file says which are the first and last.
			ordered := user == "hashed" && (strings.HasPrefix(r.path, "/api/sync/") || r.path == "/api/page/results" || r.file != nil)
			if got != first[user][i] && !ordered {
				at := 0
				for at < min(len(got), len(first[user][i])) && got[at] == first[user][i][at] {
					at++
				}
				t.Errorf("%s: %s %s %s: the worlds differ at %d:\n%.200q\n%.200q", user, r.method, r.path, r.body, at, got[max(0, at-60):], first[user][i][max(0, at-60):])
			}
			for _, below := range []string{"@x.org", "@y.com", "4111111", "5555555", "1980-01-1", "qqqq", "zzzz"} {
				if strings.Contains(got, below) {
					t.Errorf("%s: %s %s %s: %s is in the answer", user, r.method, r.path, r.body, below)
				}
			}
		}
	}
	if said[200] == 0 || said[400] == 0 || said[500]+said[404]+said[502]+said[503] != 0 {
		t.Errorf("answers by status: %v", said)
	}
	t.Logf("%d requests to each world, answers by status: %v", n, said)
}
