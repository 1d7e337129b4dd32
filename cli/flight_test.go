package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
)

const flightInstance = `server: { flight: "127.0.0.1:0" }
sources:
  files: { type: lake, root: ./data }
tables:
  - { id: flights, source: files, path: "flights/**/*.parquet", public: true }
  - { id: airports, source: files, path: airports.csv }
`

// flightServer serves the demo's data under further lines of an instance, with further files beside it (names and texts in
// turn), and returns who has its first token, and the address of Flight SQL.
func flightServer(t *testing.T, lines string, files ...string) (admin *place, address string) {
	t.Helper()
	p := newPlace(t)
	p.ok("demo", "--dir", "srv")
	for i := 0; i+1 < len(files); i += 2 {
		p.write(t, "srv/"+files[i], files[i+1])
	}
	file := filepath.Join(p.dir, "srv", "team.yaml")
	if err := os.WriteFile(file, []byte(lines+flightInstance), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := p.with("DA_INSTANCE="+file).command("serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	var url, token string
	var said bytes.Buffer
	log := bufio.NewScanner(io.TeeReader(stderr, &said))
	for address == "" && log.Scan() {
		for begin, to := range map[string]*string{"Admin token, shown only now: ": &token, "Flight SQL on grpc://": &address} {
			if rest, ok := strings.CutPrefix(log.Text(), begin); ok {
				*to = rest
			}
		}
		if _, at, ok := strings.Cut(log.Text(), " on http://"); ok {
			url = "http://" + at
		}
	}
	if url == "" || token == "" || address == "" {
		t.Fatalf("the server says %s", said.String())
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // a server waits for who reads its log
	return p.with("DA_SERVER="+url, "DA_TOKEN="+token), address
}

// driver asks over Flight SQL.
type driver struct {
	t *testing.T
	*flightsql.Client
	token string
}

func dial(t *testing.T, address, token string) driver {
	t.Helper()
	c, err := flightsql.NewClient(address, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return driver{t, c, token}
}

// rows are those of an answer, as texts.
func (d driver) rows(ask func(d driver) (*flight.FlightInfo, error)) (rows []string, err error) {
	d.t.Helper()
	info, err := ask(d)
	if err != nil {
		return nil, err
	}
	r, err := d.DoGet(metadata.AppendToOutgoingContext(d.t.Context(), "authorization", "Bearer "+d.token), info.Endpoint[0].Ticket)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if told := api.SchemaCaveats(r.Schema()); len(told) > 0 {
		rows = append(rows, string(told[0].Kind))
	}
	for r.Next() {
		rec := r.RecordBatch()
		for i := range int(rec.NumRows()) {
			var cells []string
			for _, col := range rec.Columns() {
				if _, ok := col.(*array.Binary); !ok {
					cells = append(cells, col.ValueStr(i))
				}
			}
			rows = append(rows, strings.Join(cells, " "))
		}
	}
	return rows, r.Err()
}

func (d driver) query(sql string) ([]string, error) {
	d.t.Helper()
	return d.rows(func(d driver) (*flight.FlightInfo, error) {
		return d.Execute(metadata.AppendToOutgoingContext(d.t.Context(), "authorization", "Bearer "+d.token), sql)
	})
}

func (d driver) tables() []string {
	d.t.Helper()
	rows, err := d.rows(func(d driver) (*flight.FlightInfo, error) {
		return d.GetTables(metadata.AppendToOutgoingContext(d.t.Context(), "authorization", "Bearer "+d.token), &flightsql.GetTablesOpts{IncludeSchema: true})
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return rows
}

// TestFlightSQLHasTheRulesOfTheServer holds that a driver reads through the same gate as
// everybody: grants, rules of rows, caps, tokens and the audit.
func TestFlightSQLHasTheRulesOfTheServer(t *testing.T) {
	t.Parallel()
	admin, address := flightServer(t, "api: { scan: { max_limit: 300 } }\n")
	admin.ok("admin", "user", "create", "ann")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(admin.ok("admin", "token", "create", "--user", "ann", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	ann, anyone, root := dial(t, address, made.Token), dial(t, address, "da_no"), dial(t, address, admin.get("DA_TOKEN"))

	if got := ann.tables(); !slices.Equal(got, []string{"  flights TABLE"}) {
		t.Errorf("%q", got)
	}
	const states = "SELECT state, count(*) AS n FROM airports GROUP BY ALL ORDER BY n DESC LIMIT 2"
	if got, err := root.query(states); err != nil || !slices.Equal(got, []string{"AK 263", "TX 209"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, c := range []struct {
		who  driver
		sql  string
		want codes.Code
	}{
		{ann, states, codes.PermissionDenied},
		{ann, "SELECT * FROM flights", codes.ResourceExhausted}, // cut, and a driver cannot be told
		{ann, "DROP TABLE flights", codes.InvalidArgument},
		{ann, "SELECT * FROM read_csv('/etc/passwd')", codes.InvalidArgument},
		{anyone, "SELECT 1 FROM flights LIMIT 1", codes.Unauthenticated},
	} {
		if got, err := c.who.query(c.sql); status.Code(err) != c.want || !strings.Contains(err.Error(), "[") {
			t.Errorf("%s: %d rows, %v, want %s", c.sql, len(got), err, c.want)
		}
	}

	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--rows", "state = 'WA'", "--columns", "iata,state")
	if got, err := ann.query("SELECT state, count(*) FROM airports GROUP BY ALL"); err != nil || !slices.Equal(got, []string{"hidden", "WA 65"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := ann.query("SELECT city FROM airports"); err == nil {
		t.Errorf("a column that is not granted is read: %q", got)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+made.Token)
	prepared, err := ann.Prepare(ctx, "SELECT * FROM airports;")
	if err != nil || prepared.DatasetSchema().NumFields() != 2 {
		t.Errorf("%v, %v", prepared, err)
	}
	if _, err := ann.ExecuteUpdate(ctx, "DELETE FROM airports"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an update is answered with %v", err)
	}
	if _, err := ann.Prepare(ctx, "DELETE FROM airports"); err == nil || strings.Contains(err.Error(), "reserved word") {
		t.Errorf("a DELETE is refused with %v", err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, admin.get("DA_SERVER")+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+admin.get("DA_TOKEN"))
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if figures, err := io.ReadAll(answer.Body); err != nil || !regexp.MustCompile(`FlightService/.*status="403"`).Match(figures) {
		t.Errorf("refusals are not counted: %v", err)
	}
	if audit := admin.ok("admin", "audit", "--user", "ann", "-o", "csv"); !strings.Contains(audit, ",remote_query,ann,airports") {
		t.Errorf("the audit has\n%s", audit)
	}
	admin.ok("admin", "user", "delete", "ann")
	if _, err := ann.query("SELECT 1 FROM flights LIMIT 1"); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a user who is gone is answered: %v", err)
	}
}
