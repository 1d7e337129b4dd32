package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// ranged makes a source read by short ranges, and closes it with the test.
func ranged(t *testing.T, p *Postgres, connections int) {
	p.rangeBlocks, p.connections = 16, connections
	t.Cleanup(func() { p.Close() })
}

// reading waits until so many connections read ranges.
func (d *database) reading(t *testing.T, want int) {
	t.Helper()
	d.wait(t, fmt.Sprintf("%d connections read ranges", want), fmt.Sprintf(`SELECT count(*) = %d FROM pg_stat_activity
		WHERE datname = $1 AND application_name = 'da' AND state <> 'idle' AND query LIKE '%%ctid >=%%'`, want))
}

// wait asks until the answer is yes. $1 is the name of the database.
func (d *database) wait(t *testing.T, what, sql string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for yes := false; !yes; {
		if err := d.admin.QueryRow(t.Context(), sql, d.Name).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("it is not so that %s", what)
		}
	}
}

// ids counts the values of the first column, an id.
func ids(r array.RecordReader, err error) (map[int32]int, error) {
	if err != nil {
		return nil, err
	}
	defer r.Release()
	got := map[int32]int{}
	for r.Next() {
		for _, id := range r.RecordBatch().Column(0).(*array.Int32).Int32Values() {
			got[id]++
		}
	}
	return got, r.Err()
}

// each is every number between two once.
func each(from, to int32) map[int32]int {
	all := map[int32]int{}
	for i := from; i <= to; i++ {
		all[i]++
	}
	return all
}

// TestRangesAreOneSnapshot moves each row to another place, takes some away and
// adds others while several connections read.
func TestRangesAreOneSnapshot(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 3)
	scan := wideOf(t, d, "40000")
	r, err := d.source.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	d.reading(t, 3)
	d.exec(t, "DELETE FROM big WHERE id % 10 = 0; UPDATE big SET id = id + 1; INSERT INTO big SELECT * FROM big")
	if got, err := ids(r, nil); err != nil || !maps.Equal(got, each(1, 40_000)) {
		t.Errorf("%d ids, not those that there were, %v", len(got), err)
	}
}

// agreed is a connection that is about to read a scan by ranges.
func (d *database) agreed(t *testing.T, scan source.Scan) (*pgxpool.Conn, work) {
	t.Helper()
	conn, err := d.source.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan := func() (work, error) {
		return d.source.plan(t.Context(), conn.Conn(), scan.Relation.Name, func(*relation) source.Scan { return scan })
	}
	w, err := plan()
	if err == nil && w.ranges != nil {
		w, err = d.source.agree(t.Context(), conn.Conn(), w, plan)
	}
	if err != nil || w.ranges == nil {
		t.Fatalf("it is not read by ranges: %v", err)
	}
	return conn, w
}

// TestOneSnapshotIsJoined holds that a connection which joins sees the state of
// the database that the first one sees, or does not join.
func TestOneSnapshotIsJoined(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "30000")
	conn, w := d.agreed(t, scan)
	defer finish(conn)
	rs, columns := w.ranges, w.columns[:1]
	d.exec(t, "DELETE FROM big")
	same := d.source.join(t.Context(), rs)
	if same == nil {
		t.Fatal("the snapshot cannot be joined")
	}
	if got, err := ids(run(t.Context(), same, once("SELECT id FROM public.big"), columns, asking{})); err != nil || len(got) != 30_000 {
		t.Errorf("%d ids, %v", len(got), err)
	}
	for _, other := range []*ranges{{from: rs.from, exported: rs.exported, seen: "1:1:"}, {from: rs.from, exported: "00000009-00000009-9", seen: rs.seen}} {
		if conn := d.source.join(t.Context(), other); conn != nil {
			t.Errorf("%+v was joined", other)
			finish(conn)
		}
	}
}

// TestRangesWaitForTheReader holds that a connection may rest between two ranges
// for longer than its role lets others rest in a transaction.
func TestRangesWaitForTheReader(t *testing.T) {
	d := newDatabase(t)
	scan := wideOf(t, d, "40000")
	p := d.open(t, "idle_in_transaction_session_timeout=2000")
	ranged(t, p, 3)
	r, err := p.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	d.wait(t, "a connection rests between two ranges", `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = $1 AND application_name = 'da'
		AND state = 'idle in transaction' AND query LIKE '%ctid >=%' AND clock_timestamp() - state_change > INTERVAL '3 s'`)
	if got, err := ids(r, nil); err != nil || len(got) != 40_000 {
		t.Errorf("%d ids, %v", len(got), err)
	}
}

// TestWhoeverJoinsHangsUp holds that a connection which is no longer wanted is
// closed, and waits for nothing, least of all for the engine to cancel something.
func TestWhoeverJoinsHangsUp(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	conn, err := d.source.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, quit := context.WithCancel(context.WithValue(t.Context(), needless{}, true))
	done := make(chan error)
	go func() {
		_, err := conn.Exec(ctx, "SELECT pg_sleep(600)")
		done <- err
	}()
	running := `SELECT count(*) = %d FROM pg_stat_activity WHERE datname = $1 AND application_name = 'da' AND state = 'active'`
	d.wait(t, "the statement runs", fmt.Sprintf(running, 1))
	quit()
	var e *pgconn.PgError
	if err := <-done; err == nil || errors.As(err, &e) {
		t.Errorf("the engine answers: %v", err)
	}
	if !conn.Conn().IsClosed() {
		t.Error("the connection is open")
	}
	abandon(conn)
	d.wait(t, "nothing runs", fmt.Sprintf(running, 0))
}

// TestRangesFilter holds that the predicate and the rule hold in each range.
func TestRangesFilter(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "10000")
	parse := parser(t, d.source, "big")
	for _, c := range []struct {
		where, rule string
		want        map[int32]int
	}{
		{"", "", each(1, 10_000)},
		{"id > 5 AND id <= 9000", "", each(6, 9_000)},
		{"id > 5", "id < 9900", each(6, 9_899)},
		{"id > 5 AND 10 / (id - 9950) <= 0", "id < 9900", each(6, 9_899)},
	} {
		scan.Where, scan.Relation.Rule = nil, nil
		if c.where != "" {
			scan.Where = parse(c.where)
		}
		if c.rule != "" {
			scan.Relation.Rule = parse(c.rule)
		}
		if got, err := ids(d.source.Scan(t.Context(), scan)); err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%q with the rule %q: %d ids, not %d, %v", c.where, c.rule, len(got), len(c.want), err)
		}
	}
}

// TestRangesFailAsOne holds that an error in any range is the error of the scan,
// and leaves no connection behind.
func TestRangesFailAsOne(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 3)
	scan := wideOf(t, d, "40000")
	scan.Where = parser(t, d.source, "big")("10 / (id - 39000) <= 0")
	_, err := ids(d.source.Scan(t.Context(), scan))
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != "sqlstate_22012" {
		t.Errorf("%v", err)
	}
	if n := d.source.pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are still taken", n)
	}
	d.reading(t, 0)
}

// fragile breaks at a value that comes long after the first batch.
type fragile struct {
	vector
	seen int
}

func (f *fragile) add(data []byte, values []span) error {
	if f.seen += len(values); f.seen > 10_000 {
		panic("it is broken")
	}
	return f.vector.add(data, values)
}

// TestRangesOutliveAPanic holds that what breaks in a connection's goroutine is
// an error of the scan, and not the end of the process.
func TestRangesOutliveAPanic(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 1)
	conn, w := d.agreed(t, wideOf(t, d, "40000"))
	whole := w.columns[0].codec
	w.columns[0].codec.column = func() vector { return &fragile{vector: whole.vector()} }
	_, err := ids(d.source.readRanges(t.Context(), conn, w.ranges, w.columns, asking{}))
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindConnectionLost || e.Err == nil || !strings.Contains(e.Err.Error(), "it is broken") {
		t.Errorf("%v", err)
	}
	if n := d.source.pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are still taken", n)
	}
}

// TestRangesLeaveConnections holds that a scan gets along with the connections
// that are free, and that others need not wait for it.
func TestRangesLeaveConnections(t *testing.T) {
	d := newDatabase(t)
	scan := wideOf(t, d, "40000")
	for most, want := range map[string]int{"1": 1, "2": 2, "3": 3} {
		p := d.open(t, "pool_max_conns="+most)
		ranged(t, p, 5)
		r, err := p.Scan(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		d.reading(t, want)
		if got, err := ids(r, nil); err != nil || len(got) != 40_000 {
			t.Errorf("of %s connections: %d ids, %v", most, len(got), err)
		}
	}
	p := d.open(t, "pool_max_conns=4")
	ranged(t, p, 2)
	for want := range 3 { // half of the connections are for those who come later
		r, err := p.Scan(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		d.reading(t, min(want+2, 4))
	}
}

// TestWhatIsReadByRanges holds that these are large stored tables, read from
// their beginning to their end.
func TestWhatIsReadByRanges(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "20000")
	parse := parser(t, d.source, "big")
	d.exec(t, `DROP ROLE IF EXISTS partly; CREATE ROLE partly LOGIN; GRANT SELECT (id, n, small) ON big TO partly;
		DROP ROLE IF EXISTS policed; CREATE ROLE policed LOGIN; GRANT SELECT ON big TO policed; CREATE POLICY p ON big USING (at <= now()); ALTER TABLE big ENABLE ROW LEVEL SECURITY;
		CREATE UNIQUE INDEX ON big (id); ANALYZE big; CREATE VIEW viewed AS SELECT * FROM big; CREATE MATERIALIZED VIEW kept AS SELECT * FROM big;
		CREATE TABLE parts (LIKE big) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts DEFAULT; INSERT INTO parts SELECT * FROM big;
		CREATE TABLE small AS SELECT * FROM big LIMIT 100`)
	partly := d.open(t, "user=partly")
	t.Cleanup(func() { partly.Close() })
	policed := d.open(t, "user=policed")
	t.Cleanup(func() { policed.Close() })
	partly.rangeBlocks, policed.rangeBlocks = 16, 16
	limit := int64(10_000)
	for name, c := range map[string]struct {
		from *Postgres
		edit func(*source.Scan)
		want bool
	}{
		"a table":                {d.source, func(*source.Scan) {}, true},
		"most of a table":        {d.source, func(s *source.Scan) { s.Where = parse("id > 5") }, true},
		"a materialized view":    {d.source, func(s *source.Scan) { s.Relation.Name = "kept" }, true},
		"a view":                 {d.source, func(s *source.Scan) { s.Relation.Name = "viewed" }, false},
		"a partitioned table":    {d.source, func(s *source.Scan) { s.Relation.Name = "parts" }, false},
		"a small table":          {d.source, func(s *source.Scan) { s.Relation.Name = "small" }, false},
		"some rows":              {d.source, func(s *source.Scan) { s.Limit = &limit }, false},
		"rows in order":          {d.source, func(s *source.Scan) { s.OrderBy = []predicate.Order{{Column: "n"}} }, false},
		"rows that an index has": {d.source, func(s *source.Scan) { s.Where = parse("id = 5") }, false},
		"rows that a policy has": {policed, func(*source.Scan) {}, false},
		"granted columns":        {partly, func(s *source.Scan) { s.Select = []string{"id", "n"} }, false},
	} {
		scan := scan
		c.edit(&scan)
		conn, err := c.from.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := describe(t.Context(), conn.Conn(), scan.Relation.Name)
		if err != nil {
			t.Fatal(err)
		}
		rs, err := c.from.split(t.Context(), conn.Conn(), r, scan)
		if err != nil || (rs != nil) != c.want {
			t.Errorf("%s: read by ranges %t, %v", name, rs != nil, err)
		}
		finish(conn)
		if got, err := ids(c.from.Scan(t.Context(), scan)); err != nil || len(got) == 0 {
			t.Errorf("%s: %d ids, %v", name, len(got), err)
		}
	}
}
