//go:build emulator

package bigquery

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/freeport"
)

// emulator is a process that speaks BigQuery's REST API.
type emulator struct{ url string }

// startEmulator starts what `make emulator` has built.
func startEmulator(t *testing.T) *emulator {
	t.Helper()
	binary := os.Getenv("BIGQUERY_EMULATOR")
	if binary == "" {
		t.Fatal("BIGQUERY_EMULATOR does not say where the emulator is: run make emulator")
	}
	rest, grpc := freePort(t), freePort(t)
	cmd := exec.CommandContext(t.Context(), binary, "--project=test-project", "--dataset=web", "--host=127.0.0.1", "--port="+rest, "--grpc-port="+grpc)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	e := &emulator{"http://127.0.0.1:" + rest + "/bigquery/v2/projects/test-project"}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		if resp, err := http.Get(e.url + "/datasets"); err == nil {
			_ = resp.Body.Close()
			return e
		}
		<-tick.C
	}
	t.Fatal("the emulator does not answer")
	return nil
}

func freePort(t *testing.T) string {
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// query runs a statement and returns the first column of its rows, and the
// second if that is a text.
func (e *emulator) query(sql string) ([]string, error) {
	body, err := json.Marshal(map[string]any{"query": sql, "useLegacySql": false, "maxResults": 10000})
	if err != nil {
		return nil, err
	}
	resp, err := http.Post(e.url+"/queries", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Schema struct{ Fields []struct{ Type, Mode string } }
		Rows   []struct {
			F []struct{ V any }
		}
		Error struct{ Message string }
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("%s: %.300s", resp.Status, data)
	}
	if answer.Error.Message != "" {
		return nil, fmt.Errorf("%s", answer.Error.Message)
	}
	var out []string
	for _, r := range answer.Rows {
		row := fmt.Sprint(r.F[0].V)
		if f := answer.Schema.Fields; len(f) > 1 && f[1].Type == "STRING" && f[1].Mode != "REPEATED" {
			text := "(null)"
			if r.F[1].V != nil {
				text = fmt.Sprint(r.F[1].V)
			}
			row += "|" + text
		}
		out = append(out, row)
	}
	return out, nil
}

// corpusGoogle makes the table by statements in GoogleSQL.
func corpusGoogle() []string {
	columns := []string{"row_no INT64"}
	for _, c := range corpusTable {
		columns = append(columns, quote(c.name)+" "+c.typ)
	}
	var rows []string
	for i := range corpusRows {
		cells := corpusRow(i, false)
		for at, c := range corpusTable {
			if cells[at+1] == "NULL" {
				cells[at+1] = "CAST(NULL AS " + c.typ + ")"
			}
		}
		row := strings.ReplaceAll(strings.Join(cells, ", "), notANumber, "CAST(NULL AS FLOAT64)")
		rows = append(rows, "SELECT "+row)
	}
	return []string{"CREATE TABLE web.orders (" + strings.Join(columns, ", ") + ")", "INSERT INTO web.orders " + strings.Join(rows, " UNION ALL ")}
}

// TestEmulator holds every statement that the printer makes of the corpora
// before the emulator, which has a SQL engine and an analyzer that are not
// ours: it must take them, and find the same rows as the server of package
// bqtest. Where it does not, either is wrong, and deviations says by which rule
// it is the emulator. It holds no NaN, which becomes NULL in its store.
func TestEmulator(t *testing.T) {
	e := startEmulator(t)
	for _, sql := range corpusGoogle() {
		if _, err := e.query(sql); err != nil {
			t.Fatalf("%.200s: %v", sql, err)
		}
	}
	takesForms(t, e)
	var same, failed, taken, deviating int
	for _, c := range corpusCases(t, "NULL") {
		rows, err := e.query(c.sql)
		if !c.ordered {
			slices.Sort(rows)
		}
		d := deviates(c, rows, err)
		switch {
		case c.refused && (err == nil || failsOnRows(err)):
			taken++
		case !c.refused && err == nil && c.err == nil && slices.Equal(rows, c.rows):
			same++
		case !c.refused && err != nil && c.err != nil && failsOnRows(err):
			failed++
		case d != nil:
			deviating++
			d.seen++
		case err != nil && !failsOnRows(err):
			t.Errorf("the emulator refuses\n%s\n%v", c.sql, err)
		default:
			t.Errorf("%s\nselects %v, %v in the emulator and %v, %v here", c.sql, rows, err, c.rows, c.err)
		}
	}
	for _, d := range deviations {
		t.Logf("deviation in %d statements: %s; the rule: %s", d.seen, d.name, d.rule)
		if d.seen == 0 {
			t.Errorf("no statement shows any more that %s", d.name)
		}
	}
	t.Logf("%d statements select the same rows, %d fail on the rows in both, the emulator takes %d that the test server cannot run, %d deviate",
		same, failed, taken, deviating)
	if same < 400 {
		t.Errorf("only %d statements were compared: this proves too little", same)
	}
}

// failsOnRows tells errors about values from those about the statement.
func failsOnRows(err error) bool {
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc([]string{"division by zero", "could not cast", "invalid", "out of bounds", "out of range", "out of the supported range", "overflow", "parse", "failed to convert", "bad"},
		func(s string) bool { return strings.Contains(text, s) }) && !strings.Contains(text, "syntax error") && !strings.Contains(text, "invalid_argument")
}
