package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/internal/testing/trinotest"
)

// series are the rows of the tables that BenchmarkFirstRow reads.
const series = "SELECT n, 'name ' || n AS name, n / 8.0 AS v FROM (SELECT range AS n FROM range(10000))"

// firsts are the sources of BenchmarkFirstRow. Each makes a table, and returns the line of
// its source, the place of the table there, and how the engine itself is asked for it: own
// returns with the first row, and rest reads all others.
var firsts = []struct {
	name  string
	start func(b *testing.B) (line, place string, own func(ctx context.Context) (rest func() error, err error))
}{
	{"postgres", firstPostgres},
	{"mariadb", firstMariaDB},
	{"clickhouse", firstClickHouse},
	{"spark/sail", func(b *testing.B) (string, string, func(context.Context) (func() error, error)) {
		return firstSpark(b, sparktest.Sail(b), "")
	}},
	{"spark/spark", func(b *testing.B) (string, string, func(context.Context) (func() error, error)) {
		return firstSpark(b, sparktest.Spark(b), ", token: "+strconv.Quote(sparktest.Token))
	}},
	{"trino", firstTrino},
	{"iceberg", func(b *testing.B) (string, string, func(context.Context) (func() error, error)) {
		dir := b.TempDir()
		table := sourcetest.Table{Columns: []sourcetest.Column{{Name: "n", Kind: sourcetest.Int}, {Name: "name", Kind: sourcetest.Text}, {Name: "v", Kind: sourcetest.Float}}}
		err := opentables.WriteIceberg(b.Context(), enginetest.Writer(b), filepath.Join(dir, "t"), table, series)
		if err != nil {
			b.Fatal(err)
		}
		return fmt.Sprintf("{ type: iceberg, root: %q }", dir), "path: t", firstDuckDB(b, "read_parquet("+duckdb.Literal(filepath.Join(dir, "t/data/a.parquet"))+")")
	}},
	{"delta", func(b *testing.B) (string, string, func(context.Context) (func() error, error)) {
		dir := b.TempDir()
		if err := opentables.WriteDeltaSeries(b.Context(), enginetest.Writer(b), filepath.Join(dir, "t"), 10000); err != nil {
			b.Fatal(err)
		}
		return fmt.Sprintf("{ type: delta, root: %q }", dir), "path: t", firstDuckDB(b, "read_parquet("+duckdb.Literal(filepath.Join(dir, "t/*.parquet"))+")")
	}},
	{"duckdb", func(b *testing.B) (string, string, func(context.Context) (func() error, error)) {
		file := filepath.Join(b.TempDir(), "a.duckdb")
		db, err := duckdb.OpenFile(file, false, duckdb.Options{})
		if err != nil {
			b.Fatal(err)
		}
		conn, err := db.Conn()
		if err == nil {
			err = errors.Join(conn.Exec(b.Context(), "CREATE TABLE t AS "+series), conn.Close())
		}
		if err = errors.Join(err, db.Close()); err != nil {
			b.Fatal(err)
		}
		own := firstDuckDB(b, "of.t")
		return fmt.Sprintf("{ type: duckdb, file: %q }", file), "relation: t", func(ctx context.Context) (func() error, error) {
			return own(context.WithValue(ctx, attached{}, file))
		}
	}},
	{"flightsql", firstFlight},
}

// attached is the key of a file that firstDuckDB attaches first.
type attached struct{}

// firstFlight asks a server of the tests, which passes on what DuckDB gives.
func firstFlight(b *testing.B) (line, place string, own func(context.Context) (func() error, error)) {
	server := flighttest.New(b, flighttest.Options{})
	if err := server.Exec(b.Context(), "CREATE TABLE t AS "+series); err != nil {
		b.Fatal(err)
	}
	client, err := flightsql.NewClient(strings.TrimPrefix(server.URI(), "grpc://"), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	return fmt.Sprintf("{ type: flightsql, uri: %q }", server.URI()), "relation: main.t", func(ctx context.Context) (func() error, error) {
		info, err := client.Execute(ctx, "SELECT * FROM main.t")
		if err != nil {
			return nil, err
		}
		rows, err := client.DoGet(ctx, info.Endpoint[0].Ticket)
		if err != nil {
			return nil, err
		}
		rows.Next()
		return func() error {
			defer rows.Release()
			for rows.Next() {
			}
			return rows.Err()
		}, nil
	}
}

func firstPostgres(b *testing.B) (line, place string, own func(context.Context) (func() error, error)) {
	cluster := pgtest.New(b, pgtest.Options{})
	conn, err := pgx.Connect(b.Context(), cluster.DSN("dbname=postgres"))
	if err == nil {
		_, err = conn.Exec(b.Context(), "CREATE TABLE t AS SELECT n, 'name ' || n AS name, n / 8.0::float8 AS v FROM generate_series(0, 9999) n")
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	return fmt.Sprintf("{ type: postgres, dsn: %q }", cluster.DSN("dbname=postgres")), "relation: public.t", func(ctx context.Context) (func() error, error) {
		rows, err := conn.Query(ctx, "SELECT * FROM t")
		if err != nil {
			return nil, err
		}
		rows.Next()
		return func() error {
			for rows.Next() {
			}
			return rows.Err()
		}, nil
	}
}

func firstMariaDB(b *testing.B) (line, place string, own func(context.Context) (func() error, error)) {
	server := mariatest.New(b)
	db, err := sql.Open("mysql", server.DSN("root", "", "", ""))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for _, s := range []string{"CREATE DATABASE shop", "USE shop", "CREATE TABLE shop.t AS SELECT seq AS n, concat('name ', seq) AS name, seq / 8.0e0 AS v FROM (SELECT 1) x JOIN seq_0_to_9999"} {
		if _, err := db.ExecContext(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	return fmt.Sprintf("{ type: mariadb, dsn: %q }", server.DSN("root", "", "shop", "")), "relation: t", func(ctx context.Context) (func() error, error) {
		rows, err := db.QueryContext(ctx, "SELECT * FROM shop.t") //nolint:rowserrcheck,sqlclosecheck // in rest
		if err != nil {
			return nil, err
		}
		rows.Next()
		return func() error {
			for rows.Next() {
			}
			return rows.Err()
		}, nil
	}
}

func firstClickHouse(b *testing.B) (line, place string, own func(context.Context) (func() error, error)) {
	engine := chtest.NewEngine(b)
	if err := engine.Exec("CREATE DATABASE shop", "CREATE TABLE shop.t ENGINE = MergeTree ORDER BY n AS SELECT number AS n, concat('name ', toString(number)) AS name, number / 8.0 AS v FROM numbers(10000)"); err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("{ type: clickhouse, dsn: %q }", engine.DSN("shop", "")), "relation: t", func(ctx context.Context) (func() error, error) {
		return firstArrow(ctx, engine.DSN("", "default_format=ArrowStream&output_format_arrow_compression_method=none"), "", "SELECT * FROM shop.t")
	}
}

func firstSpark(b *testing.B, server *sparktest.Server, keys string) (line, place string, own func(context.Context) (func() error, error)) {
	name := fmt.Sprintf("first_%d", time.Now().UnixNano())
	if err := server.Exec(b.Context(), "CREATE TABLE "+name+" USING parquet AS SELECT id AS n, CONCAT('name ', id) AS name, id / 8.0D AS v FROM range(10000)"); err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("{ type: spark, uri: %q%s }", server.URI(), keys), "relation: " + name, func(ctx context.Context) (func() error, error) {
		first, end := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			end <- server.Rows(ctx, "SELECT * FROM "+name, func([]byte) {
				select {
				case first <- struct{}{}:
				default:
				}
			})
		}()
		select {
		case <-first:
			return func() error { return <-end }, nil
		case err := <-end:
			return func() error { return nil }, err
		}
	}
}

// firstTrino asks the server of make trino.
func firstTrino(b *testing.B) (line, place string, own func(context.Context) (func() error, error)) {
	server := os.Getenv("DA_TRINO")
	if server == "" {
		b.Skip("make trino starts a server for it")
	}
	if err := trinotest.Exec(server, "CREATE SCHEMA IF NOT EXISTS memory.first", "DROP TABLE IF EXISTS memory.first.t",
		"CREATE TABLE memory.first.t AS SELECT orderkey AS n, comment AS name, totalprice AS v FROM tpch.tiny.orders LIMIT 10000"); err != nil {
		b.Fatal(err)
	}
	page := func(ctx context.Context, method, address, body string) (next string, data int, err error) {
		r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
		if err != nil {
			return "", 0, err
		}
		r.Header.Set("X-Trino-User", "da")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", 0, err
		}
		defer res.Body.Close()
		var said struct {
			Next  string `json:"nextUri"`
			Data  []any
			Error any
		}
		if err := json.NewDecoder(res.Body).Decode(&said); err != nil || said.Error != nil {
			return "", 0, fmt.Errorf("%v %w", said.Error, err)
		}
		return said.Next, len(said.Data), nil
	}
	return fmt.Sprintf("{ type: trino, dsn: %q }", "http://da@"+server+"/memory/first"), "relation: t", func(ctx context.Context) (func() error, error) {
		next, data, err := page(ctx, http.MethodPost, "http://"+server+"/v1/statement", "SELECT * FROM memory.first.t")
		for err == nil && data == 0 && next != "" {
			next, data, err = page(ctx, http.MethodGet, next, "")
		}
		return func() error {
			for err == nil && next != "" {
				next, _, err = page(ctx, http.MethodGet, next, "")
			}
			return err
		}, err
	}
}

// firstDuckDB reads a relation in this process.
func firstDuckDB(b *testing.B, relation string) func(context.Context) (func() error, error) {
	conn := enginetest.Conn(b)
	return func(ctx context.Context) (func() error, error) {
		if file, ok := ctx.Value(attached{}).(string); ok {
			if err := conn.Exec(ctx, "ATTACH "+duckdb.Literal(file)+" AS of (READ_ONLY)"); err != nil {
				return nil, err
			}
		}
		rows, err := conn.Query(ctx, "SELECT * FROM "+relation)
		if err != nil {
			return nil, err
		}
		rows.Next()
		return func() error {
			for rows.Next() {
			}
			rows.Release()
			if ctx.Value(attached{}) != nil {
				return errors.Join(rows.Err(), conn.Exec(ctx, "DETACH of"))
			}
			return rows.Err()
		}, nil
	}
}

// firstArrow returns with the first batch of an answer in Arrow.
func firstArrow(ctx context.Context, address, token, body string) (rest func() error, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	rows, err := ipc.NewReader(res.Body)
	if err != nil || !rows.Next() {
		said, _ := io.ReadAll(res.Body)
		return nil, fmt.Errorf("%s: no rows: %w %s", res.Status, err, said)
	}
	return func() error {
		defer rows.Release()
		_, err := io.Copy(io.Discard, res.Body)
		return err
	}, nil
}

// BenchmarkFirstRow measures how much later than from the engine itself the first of 10,000
// rows comes through a server: by the medians and by the least times of both, in turn, and
// what of a processor the server takes for all rows.
func BenchmarkFirstRow(b *testing.B) {
	for _, of := range firsts {
		b.Run(of.name, func(b *testing.B) {
			line, place, own := of.start(b)
			p := newPlace(b)
			if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte("sources:\n  main: "+line+"\ntables:\n  - { id: t, source: main, "+place+", public: true }\n"), 0o600); err != nil {
				b.Fatal(err)
			}
			process, served := p.server()
			through := func(ctx context.Context) (func() error, error) {
				return firstArrow(ctx, served.get("DA_SERVER")+"/api/v2/scan", "Bearer "+served.get("DA_TOKEN"), `{"table_id": "t"}`)
			}
			var times [2][]float64
			var before time.Duration
			for i := range b.N + 2 { // without the first two of each
				if i == 2 {
					before = processor(b, process.Process.Pid)
				}
				for which, ask := range []func(context.Context) (func() error, error){own, through} {
					start := time.Now()
					rest, err := ask(b.Context())
					took := time.Since(start)
					if err == nil {
						err = rest()
					}
					if err != nil {
						b.Fatal(which, err)
					}
					if i > 1 {
						times[which] = append(times[which], float64(took.Microseconds())/1000)
					}
				}
			}
			slices.Sort(times[0])
			slices.Sort(times[1])
			b.ReportMetric(times[1][b.N/2]-times[0][b.N/2], "ms-beyond")
			b.ReportMetric(times[1][0]-times[0][0], "least-ms-beyond")
			b.ReportMetric(times[0][b.N/2], "ms-own")
			b.ReportMetric(float64((processor(b, process.Process.Pid)-before).Milliseconds())/float64(b.N), "processor-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
