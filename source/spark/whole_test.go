package spark

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// drained counts the rows of a reader.
func drained(r array.RecordReader, err error) (rows int64, _ error) {
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	return rows, r.Err()
}

func TestSailTellsTheTruth(t *testing.T) { tellsTheTruth(t, sparktest.Sail(t)) }

func TestSparkTellsTheTruth(t *testing.T) {
	server := sparktest.Spark(t)
	tellsTheTruth(t, server)
	s := opened(t, Options{URI: server.URI(), Token: sparktest.Token})
	defer s.Close()

	// More than spark.driver.maxResultSize.
	exec(t, server, "CREATE VIEW large AS SELECT id AS n, repeat(uuid(), 30) AS pad FROM range(200000)")
	_, err := drained(s.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "large"}, Select: []string{"n", "pad"}}))
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindOutOfResources || !strings.Contains(e.Hint, "spark.driver.maxResultSize") {
		t.Errorf("a result that is too large: %v", err)
	}

	// Texts under another collation are compared by their bytes.
	exec(t, server, "CREATE TABLE collated (n BIGINT, v STRING COLLATE UTF8_LCASE) USING parquet", "INSERT INTO collated VALUES (1, 'a'), (2, 'A')")
	rel := source.Relation{Name: "collated"}
	scan := source.Scan{Relation: rel, Select: []string{"v"}, Where: where(t, s, rel.Name, "v = 'a'")}
	if rows, err := drained(s.Scan(t.Context(), scan)); rows != 1 || err != nil {
		t.Errorf("%d rows are like a, %v", rows, err)
	}
	// As are those of a fixed length, without padding on one side only.
	exec(t, server, "CREATE TABLE padded (n BIGINT, v CHAR(3)) USING parquet", "INSERT INTO padded VALUES (1, 'a')")
	rel.Name = "padded"
	for text, want := range map[string]int64{"v = 'a'": 0, "v = 'a  '": 1} {
		scan := source.Scan{Relation: rel, Select: []string{"v"}, Where: where(t, s, rel.Name, text)}
		if rows, err := drained(s.Scan(t.Context(), scan)); rows != want || err != nil {
			t.Errorf("%s: %d rows, %v", text, rows, err)
		}
	}
	// What has no type of ours is text, with a warning.
	exec(t, server, "CREATE VIEW odd AS SELECT INTERVAL '1-2' YEAR TO MONTH AS a, array(INTERVAL '1' DAY) AS b, parse_json('{\"x\":1}') AS c, NULL AS d")
	r, err := s.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "odd"}, Select: []string{"a", "b", "c", "d"}})
	if err != nil || !r.Next() || len(api.SchemaCaveats(r.Schema())) != 4 {
		t.Fatalf("odd types: %v", err)
	}
	r.Release()
	// A session that the server has forgotten is made anew.
	own := opened(t, Options{URI: "sc://" + server.Address, Token: sparktest.Token})
	defer own.Close()
	if err := own.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := own.call(t.Context(), "ReleaseSession", own.current.request(0)); err != nil {
		t.Fatal(err)
	}
	if rows, err := drained(own.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "many"}, Select: []string{"n"}})); rows != 300000 || err != nil {
		t.Errorf("in a new session: %d rows, %v", rows, err)
	}
	// A path is no table.
	if _, err := s.Schema(t.Context(), source.Relation{Name: "text./etc/hostname"}); err == nil {
		t.Error("a file was read by its path")
	}
}

func where(t *testing.T, s *Spark, relation, text string) predicate.Expr {
	t.Helper()
	schema, err := s.Schema(t.Context(), source.Relation{Name: relation})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.DuckDB, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	e, err := predicate.Parse(predicate.DuckDB, text, typed)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func tellsTheTruth(t *testing.T, server *sparktest.Server) {
	s := opened(t, Options{URI: server.URI(), Token: sparktest.Token})
	defer s.Close()

	// All rows of a result whose stream ends many times.
	exec(t, server, "CREATE TABLE many USING parquet AS SELECT id AS n, rpad(concat('pad', id), 100, 'x') AS pad FROM range(300000)")
	many := source.Scan{Relation: source.Relation{Name: "many"}, Select: []string{"n", "pad"}}
	if rows, err := drained(s.Scan(t.Context(), many)); rows != 300000 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}

	// An error behind the first rows is one, and tells values to those only who see all.
	exec(t, server, "CREATE TABLE texts USING parquet AS SELECT id AS n, if(id = 99999, 'secret', '1') AS v FROM range(100000)",
		"CREATE VIEW failing AS SELECT n, CAST(v AS BIGINT) AS v FROM texts")
	failing := source.Scan{Relation: source.Relation{Name: "failing"}, Select: []string{"n", "v"}}
	if _, err := drained(s.Scan(t.Context(), failing)); !api.CodeQueryFailed.Is(err) || !strings.Contains(err.Error(), "secret") {
		t.Errorf("all is seen: %v", err)
	}
	failing.Relation.Columns = []string{"n", "v"}
	if _, err := drained(s.Scan(t.Context(), failing)); !api.CodeQueryFailed.Is(err) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a part is seen: %v", err)
	}

	// What is cancelled uses no processor any more.
	exec(t, server, "CREATE VIEW endless AS SELECT id AS n FROM range(1000000000000) WHERE id % 7 = 8")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := drained(s.Scan(ctx, source.Scan{Relation: source.Relation{Name: "endless"}, Select: []string{"n"}}))
		ended <- err
	}()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	busy := func() int64 { // ticks of a hundredth of a second, in half a second
		before := server.Worked()
		<-tick.C
		<-tick.C
		return server.Worked() - before
	}
	for busy() < 30 {
		if t.Context().Err() != nil {
			return
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	last := int64(100)
	for range 60 {
		if last = busy(); last < 15 {
			break
		}
	}
	if last >= 15 {
		t.Errorf("a minute after it was cancelled the engine still works: %d", last)
	}
}

// TestSailForgets: a Sail says of no session that it is another one than before, and has none
// of its settings then.
func TestSailForgets(t *testing.T) {
	server := sparktest.Sail(t)
	s := opened(t, Options{URI: server.URI()})
	defer s.Close()
	for _, when := range []string{"at first", "started again"} {
		if when != "at first" {
			server.Kill()
			server.Restart(t)
		}
		exec(t, server, "CREATE TABLE texts USING parquet AS SELECT 'x' AS v")
		if _, err := drained(s.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "texts"}, Select: []string{"v"}})); err != nil {
			t.Fatal(err)
		}
		for _, p := range settings {
			answer, err := s.call(t.Context(), "Config", s.current.request(0, within(3, within(2, text(1, p[0])))))
			if err != nil || !bytes.Contains(answer, text(2, p[1])) {
				t.Errorf("%s, %s is not %s: %q, %v", when, p[0], p[1], answer, err)
			}
		}
	}
}
