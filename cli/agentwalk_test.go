package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/demo"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// walker is an agent without a model. All that it knows of da is what da help
// --json says, and what the commands answer: it picks commands by the members
// of what they print and by their flags, and repairs what hints and details
// tell it to repair.
type walker struct {
	t    *testing.T
	p    *place
	help struct {
		Commands []struct {
			Path   string
			Flags  []struct{ Name string }
			Output *jsonschema.Schema
		}
		ExitCodes []struct {
			Code int
			Next string
		} `json:"exit_codes"`
	}
	bytes, calls int
	aside        func(*place)
}

// answer is a reply: a document, or an error.
type walkAnswer struct {
	doc    map[string]any
	failed exit.JSON
	code   int
}

func newWalker(t *testing.T, p *place) *walker {
	w := &walker{t: t, p: p}
	text := p.ok("help", "--json", "--max-tokens", "0")
	if err := json.Unmarshal([]byte(text), &w.help); err != nil {
		t.Fatal(err)
	}
	t.Logf("da help: %d bytes, read once", len(text))
	return w
}

// command finds the one command that prints these members and has these flags.
func (w *walker) command(members, flags []string) []string {
	w.t.Helper()
	var found []string
	for _, c := range w.help.Commands {
		has := func(flag string) bool {
			return slices.ContainsFunc(c.Flags, func(f struct{ Name string }) bool { return f.Name == flag })
		}
		prints := func(member string) bool {
			if c.Output == nil {
				return false
			}
			return slices.ContainsFunc(append(c.Output.AnyOf, c.Output), func(s *jsonschema.Schema) bool { return s.Properties[member] != nil })
		}
		if !slices.ContainsFunc(flags, func(f string) bool { return !has(f) }) && !slices.ContainsFunc(members, func(m string) bool { return !prints(m) }) {
			found = append(found, c.Path)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("commands that print %q and have %q: %q", members, flags, found)
	}
	return strings.Fields(found[0])[1:]
}

// call runs a command and counts what a model would have to read.
func (w *walker) call(command []string, args ...string) walkAnswer {
	w.t.Helper()
	if w.aside != nil {
		w.aside(w.p)
	}
	out := w.p.run(slices.Concat(command, args)...)
	w.bytes, w.calls = w.bytes+len(out.stdout)+len(out.stderr), w.calls+1
	a := walkAnswer{code: out.code}
	if out.code != 0 {
		a.failed = out.lastJSON(w.t)
		return a
	}
	if err := json.Unmarshal([]byte(out.stdout), &a.doc); err != nil {
		w.t.Fatalf("da %q: %v\n%s", args, err, out.stdout)
	}
	return a
}

// must is call for what has to succeed.
func (w *walker) must(command []string, args ...string) map[string]any {
	w.t.Helper()
	a := w.call(command, args...)
	if a.code != 0 {
		w.t.Fatalf("da %q: %+v", args, a.failed)
	}
	return a.doc
}

// next says what the help tells to do after an exit code.
func (w *walker) next(code int) string {
	for _, c := range w.help.ExitCodes {
		if c.Code == code {
			return c.Next
		}
	}
	return ""
}

// repaired runs a statement, and again with the column that was meant, if the
// answer says which.
func (w *walker) repaired(command []string, sql string) map[string]any {
	w.t.Helper()
	a := w.call(command, sql)
	if a.code == 0 {
		w.t.Fatal("there was nothing to repair")
	}
	suggestions, _ := a.failed.Details["suggestions"].([]any)
	position, _ := a.failed.Details["position"].(float64)
	if len(suggestions) == 0 || position == 0 {
		w.t.Fatalf("no word on what to repair: %+v", a.failed)
	}
	wrong := sql[int(position)-1:]
	wrong = wrong[:strings.IndexAny(wrong, " ,)")]
	right := fmt.Sprint(suggestions[0])
	for _, s := range suggestions {
		if strings.Contains(wrong, fmt.Sprint(s)) {
			right = fmt.Sprint(s)
		}
	}
	return w.must(command, strings.ReplaceAll(sql, wrong, right))
}

// cells are the rows of an answer with the constant columns back in place.
func cellsOfAnswer(doc map[string]any, columns ...string) [][]string {
	var out [][]string
	names := doc["columns"].([]any)
	constant, _ := doc["constant"].(map[string]any)
	for _, row := range doc["rows"].([]any) {
		var line []string
		for _, c := range columns {
			value := constant[c]
			if i := slices.Index(names, any(c)); i >= 0 {
				value = row.([]any)[i]
			}
			line = append(line, fmt.Sprint(value))
		}
		out = append(out, line)
	}
	return out
}

// done ends a question and says what it took.
func (w *walker) done(question string) {
	w.t.Logf("%-34s %6d bytes in %d calls", question, w.bytes, w.calls)
	w.bytes, w.calls = 0, 0
}

func TestAgentWalk(t *testing.T) {
	t.Parallel()
	walk(t, newPlace(t), func(*place) {})
}

// walk answers five questions over the data of da demo, and compares the answers with
// what the engine says of the files themselves. It returns where it has walked; aside is
// called before each command.
func walk(t *testing.T, p *place, aside func(*place)) *place {
	t.Helper()
	dir := filepath.Join(p.dir, "demo")
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	p.workbook(filepath.Join(p.dir, "regions"), "code,region\nLAX,west\nSAN,west\nSEA,west\nJFK,east\nBOS,east\n")
	p = p.with("CLAUDECODE=1", "DA_INSTANCE="+filepath.Join(dir, demo.InstanceFile))
	files := fmt.Sprintf("read_parquet(%s, hive_partitioning = true)", duckdb.Literal(filepath.Join(dir, "data/flights/**/*.parquet")))
	w := newWalker(t, p)
	w.aside = aside
	catalog := w.command([]string{"tables", "hits"}, []string{"search"})
	schema := w.command([]string{"sql_flavor", "partition_by", "where_dialect_hints"}, nil)
	check := w.command([]string{"uses_clock"}, nil)
	fetch := w.command([]string{"estimated_scan_bytes", "snapshot"}, []string{"select", "where", "estimate", "as"})
	query := w.command([]string{"rows_total", "rest"}, []string{"remote", "fetch"})
	load := w.command([]string{"source", "snapshot"}, []string{"as", "sheet", "root"})

	// 1. How many of June's flights from SFO were over an hour late, and how
	// late on average?
	hits := w.must(catalog, "--search", "delay origin")["hits"].([]any)
	table := fmt.Sprint(hits[0].(map[string]any)["id"])
	described := w.must(schema, table)
	partition := fmt.Sprint(described["partition_by"].([]any)[0])
	where := partition + " = 6 AND origin = 'SFO'"
	w.must(check, table, where)
	estimate := w.must(fetch, table, "--select", "date,delay,destination", "--where", where, "--estimate")
	if estimate["estimated_scan_bytes"].(float64) > 10e6 {
		t.Fatalf("too much: %v", estimate)
	}
	w.must(fetch, table, "--select", "date,delay,destination", "--where", where, "--as", "sfo_june")
	answer := w.must(query, "SELECT count(*) AS n, round(avg(delay), 3) AS mean FROM sfo_june WHERE delay > 60")
	sfo := files + " WHERE month = 6 AND origin = 'SFO'"
	equal(t, cellsOfAnswer(answer, "n", "mean"), engineSays(t, "SELECT count(*), round(avg(delay), 3) FROM "+sfo+" AND delay > 60"))
	w.done("1 a fetch")

	// 2. How many of them went to each region of the spreadsheet?
	w.must(load, "regions.xlsx", "--as", "regions")
	answer = w.must(query, "SELECT region, count(*) AS n FROM sfo_june JOIN regions ON code = destination GROUP BY region ORDER BY region")
	equal(t, cellsOfAnswer(answer, "region", "n"), engineSays(t,
		"SELECT CASE WHEN destination IN ('LAX', 'SAN', 'SEA') THEN 'west' ELSE 'east' END AS region, count(*) FROM "+sfo+
			" AND destination IN ('LAX', 'SAN', 'SEA', 'JFK', 'BOS') GROUP BY 1 ORDER BY 1"))
	w.done("2 a join with a spreadsheet")

	// 3. All flights ever, for at most 1 kB: it is told no, and leaves it.
	w.p = p.with("DA_MAX_SCAN_BYTES=1000")
	refused := w.call(fetch, table, "--as", "everything")
	if refused.code != 3 || refused.failed.Code != api.CodeBudget || refused.failed.Retryable || !strings.Contains(w.next(refused.code), "ask for less") {
		t.Errorf("exit %d: %+v; next: %s", refused.code, refused.failed, w.next(refused.code))
	}
	w.p = p
	if again := w.call(query, "SELECT 1 FROM everything"); again.code != 2 {
		t.Errorf("something was fetched: %+v", again)
	}
	w.done("3 a refusal")

	// 4. The longest delay, by a name that the column does not have.
	answer = w.repaired(query, "SELECT max(arr_delay) AS longest FROM sfo_june")
	equal(t, cellsOfAnswer(answer, "longest"), engineSays(t, "SELECT max(delay) FROM "+sfo))
	w.done("4 a repair")

	// 5. Over a million rows: what is shown, what is left out and what is kept
	// add up.
	w.must(fetch, table, "--select", "delay,origin", "--where", partition+" = 6", "--as", "june")
	million := "SELECT a.delay, b.origin FROM %s AS a CROSS JOIN (SELECT DISTINCT origin FROM %[1]s ORDER BY origin LIMIT 21) AS b"
	answer = w.must(query, fmt.Sprintf(million, "june"))
	elided := answer["elided"].(map[string]any)
	delay := elided["columns"].([]any)[slices.Index(answer["columns"].([]any), any("delay"))].(map[string]any)
	sum := delay["sum"].(float64)
	for _, row := range cellsOfAnswer(answer, "delay") {
		var n float64
		if _, err := fmt.Sscan(row[0], &n); err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	result := fmt.Sprint(answer["rest"].(map[string]any)["result"])
	kept := w.must(query, "SELECT count(*) AS n, sum(delay) AS s, count(DISTINCT origin) AS o FROM "+result)
	june := engineSays(t, "SELECT count(*), sum(delay)::BIGINT, count(DISTINCT origin) FROM ("+fmt.Sprintf(million, "("+"SELECT delay, origin FROM "+files+" WHERE month = 6)")+")")
	equal(t, cellsOfAnswer(kept, "n", "s", "o"), june)
	if total := fmt.Sprintf("%.3f %.3f", answer["rows_total"], sum); total != june[0][0]+" "+june[0][1] || answer["rows_total"].(float64) < 1e6 || answer["truncated"] != true {
		t.Errorf("rows and sum are %s, not %q", total, june)
	}
	w.done("5 a million rows")
	return p
}

// engineSays runs a statement on the files, beside da.
func engineSays(t *testing.T, sql string) [][]string {
	t.Helper()
	conn := enginetest.Conn(t)
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	var out [][]string
	for rows.Next() {
		b := rows.RecordBatch()
		for i := range int(b.NumRows()) {
			var line []string
			for j := range int(b.NumCols()) {
				line = append(line, wordOf(b.Column(j).ValueStr(i)))
			}
			out = append(out, line)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func equal(t *testing.T, got, want [][]string) {
	t.Helper()
	for i := range got {
		for j := range got[i] {
			got[i][j] = wordOf(got[i][j])
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// wordOf writes a number in one way.
func wordOf(s string) string {
	var f float64
	if n, err := fmt.Sscan(s, &f); n == 1 && err == nil && fmt.Sprint(f) != "" {
		return fmt.Sprintf("%.3f", f)
	}
	return s
}
