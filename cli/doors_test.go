package cli

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// doorAnswer is what a statement gives at one door.
type doorAnswer struct {
	refused bool
	rows    []string // the values of each as JSON
}

// TestStatementsAtAllDoors asks the statements of testdata/doors.sql here, over HTTP, on the page, by a tool and by a driver:
// the rows are the same everywhere, and what one door refuses, all refuse, for a reason that is named.
func TestStatementsAtAllDoors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/doors.sql")
	if err != nil {
		t.Fatal(err)
	}
	pieces := statement.Split(string(text))
	p, address := flightServer(t, "")
	p.ok("fetch", "airports", "--as", "airports")
	p.ok("fetch", "flights", "--as", "flights")
	here, remote := p.batch(), p.batch("--remote")
	tools, err := p.overHTTP(bearer{})
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	d := dial(t, address, p.get("DA_TOKEN"))
	for i, piece := range pieces {
		want := here[i]
		if remote := remote[i]; remote.refused != want.refused || !slices.Equal(remote.rows, want.rows) {
			t.Errorf("%s\nhere   %v\nremote %v", piece.Text, want, remote)
		}
		if page := p.onPage(piece.Text); page.refused != want.refused || !slices.Equal(page.rows, want.rows) {
			t.Errorf("%s\nhere %v\npage %v", piece.Text, want, page)
		}
		arguments := map[string]any{"sql": piece.Text, "max_tokens": 100_000}
		r, err := tools.CallTool(t.Context(), &mcp.CallToolParams{Name: "query_remote", Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		answer := r.Content[0].(*mcp.TextContent).Text
		short := strings.Contains(answer, `"constant":`) // whose values are not in the rows
		if tool := rowsIn(t, answer); r.IsError != want.refused || len(tool.rows) != len(want.rows) || !short && !slices.Equal(tool.rows, want.rows) {
			t.Errorf("%s\nhere %v\ntool %s", piece.Text, want, answer)
		}
		if driven, err := d.query(piece.Text); (err != nil) != want.refused || len(driven) != len(want.rows) {
			t.Errorf("%s\nhere   %v\ndriver %v %v", piece.Text, want, driven, err)
		}
	}
}

// batch runs all statements in one process, to the end.
func (p *place) batch(args ...string) (all []doorAnswer) {
	p.t.Helper()
	file, err := os.Getwd()
	if err != nil {
		p.t.Fatal(err)
	}
	out := p.run(append([]string{"query", "--file", file + "/testdata/doors.sql", "--keep-going", "--json", "--max-tokens", "0"}, args...)...)
	var answers []struct {
		Error *api.Error        `json:"error"`
		Rows  []json.RawMessage `json:"rows"`
	}
	if err := json.Unmarshal([]byte(out.stdout), &answers); err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, out.stdout, out.stderr)
	}
	for _, a := range answers {
		got := doorAnswer{refused: a.Error != nil}
		for _, row := range a.Rows {
			got.rows = append(got.rows, valuesOf(p.t, row))
		}
		all = append(all, got)
	}
	return all
}

// valuesOf are the values of an object, without its names, as the list that other doors give.
func valuesOf(t testing.TB, object json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var values []string
	for d.More() {
		var value json.RawMessage
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		values = append(values, string(value))
	}
	return "[" + strings.Join(values, ",") + "]"
}

func rowsIn(t testing.TB, text string) (got doorAnswer) {
	t.Helper()
	var answer struct{ Rows []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, row := range answer.Rows {
		got.rows = append(got.rows, string(row))
	}
	return got
}

func (p *place) onPage(sql string) doorAnswer {
	p.t.Helper()
	status, text := p.request("POST", "/api/page/query", map[string]string{"sql": sql})
	if status != 200 {
		if status >= 500 {
			p.t.Errorf("%s: %s %s", sql, strconv.Itoa(status), text)
		}
		return doorAnswer{refused: true}
	}
	return rowsIn(p.t, text)
}
