package postgres

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// lockedOut waits until somebody waits for a lock on a table.
func (d *database) lockedOut(t *testing.T, table string) {
	t.Helper()
	d.wait(t, "somebody waits for a lock", `SELECT count(*) > 0 FROM pg_locks l JOIN pg_database b ON b.oid = l.database
		WHERE b.datname = $1 AND NOT l.granted AND l.relation = '`+table+`'::regclass`)
}

// TestTablesAreFilledAnew holds that who asks for a table while a transaction
// empties and fills it gets the rows that are there then, whether by ranges or
// not: nothing is left in it for a snapshot from before.
func TestTablesAreFilledAnew(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	scan := rowsOf(t, d, "10000")
	relations := map[string]source.Relation{"big": scan.Relation}
	byRanges := d.open(t, "")
	ranged(t, byRanges, 2)
	for how, read := range map[string]func() (array.RecordReader, error){
		"read as one":    func() (array.RecordReader, error) { return d.source.Scan(t.Context(), scan) },
		"read by ranges": func() (array.RecordReader, error) { return byRanges.Scan(t.Context(), scan) },
		"queried": func() (array.RecordReader, error) {
			return d.source.Query(t.Context(), "SELECT id FROM big", relations)
		},
	} {
		fill, err := d.admin.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fill.Exec(t.Context(), `CREATE TEMP TABLE kept AS SELECT * FROM big; TRUNCATE big; INSERT INTO big SELECT * FROM kept; DROP TABLE kept`, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
		var got map[int32]int
		done := make(chan error)
		go func() {
			var err error
			got, err = ids(read())
			done <- err
		}()
		locked := d.watcher(t)
		locked.lockedOut(t, "big")
		if err := fill.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || !maps.Equal(got, each(1, 10_000)) {
			t.Errorf("%s: %d ids, %v", how, len(got), err)
		}
	}
}

// TestTablesAreFilledAnewBeforeTheSnapshot holds that the snapshot of ranges is
// not older than the lock on their table.
func TestTablesAreFilledAnewBeforeTheSnapshot(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "10000")
	conn, err := d.source.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan := func() (work, error) {
		return d.source.plan(t.Context(), conn.Conn(), "big", func(*relation) source.Scan { return scan })
	}
	before, err := plan()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := d.admin.Exec(t.Context(), `BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM big; TRUNCATE big; INSERT INTO big SELECT * FROM kept; COMMIT`, pgx.QueryExecModeSimpleProtocol)
		done <- err
	}()
	d.watcher(t).lockedOut(t, "big")
	w, err := d.source.agree(t.Context(), conn.Conn(), before, plan)
	if err != nil || w.ranges == nil {
		t.Fatalf("it is not read by ranges: %v", err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	got, err := ids(d.source.readRanges(t.Context(), conn, w.ranges, w.columns, asking{}))
	if err != nil || !maps.Equal(got, each(1, 10_000)) {
		t.Errorf("%d ids, %v", len(got), err)
	}
}

// watcher is the database on another connection, for while its own is in a
// transaction.
func (d *database) watcher(t *testing.T) *database {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return &database{Database: d.Database, admin: conn}
}

// TestRangesAreReadUnderALock holds that what is written anew while ranges are
// read waits for all of them, also if it came before the other connections: none
// of them takes a range that it would then find empty, or elsewhere.
func TestRangesAreReadUnderALock(t *testing.T) {
	for _, anew := range []string{"TRUNCATE big", "VACUUM FULL big", "ALTER TABLE big ALTER id TYPE bigint", "DROP TABLE big", "ALTER TABLE big RENAME TO other"} {
		d := newDatabase(t)
		ranged(t, d.source, 3)
		scan := rowsOf(t, d, "10000")
		d.exec(t, "DELETE FROM big WHERE id <= 3000")
		conn, w := d.agreed(t, scan)
		done := make(chan error)
		go func() {
			_, err := d.admin.Exec(t.Context(), anew)
			done <- err
		}()
		d.watcher(t).lockedOut(t, "big")
		got, err := ids(d.source.readRanges(t.Context(), conn, w.ranges, w.columns, asking{seesAll: true}))
		if err != nil || !maps.Equal(got, each(3_001, 10_000)) {
			t.Errorf("%s: %d ids, %v", anew, len(got), err)
		}
		if err := <-done; err != nil {
			t.Errorf("%s: %v", anew, err)
		}
	}
}

// TestRangesAreOfOneTable holds that a table which begins to inherit from another
// while that is read by ranges is in none of them.
func TestRangesAreOfOneTable(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "10000")
	d.exec(t, "CREATE TABLE heir AS SELECT * FROM big")
	conn, w := d.agreed(t, scan)
	d.exec(t, "ALTER TABLE heir INHERIT big")
	got, err := ids(d.source.readRanges(t.Context(), conn, w.ranges, w.columns, asking{seesAll: true}))
	if err != nil || !maps.Equal(got, each(1, 10_000)) {
		t.Errorf("%d ids, of them id 5 %d times, %v", len(got), got[5], err)
	}
	if got, err := ids(d.source.Scan(t.Context(), scan)); err != nil || len(got) != 10_000 || got[5] != 2 {
		t.Errorf("afterwards: %d ids, of them id 5 %d times, %v", len(got), got[5], err)
	}
}

// TestRangesOfTheOnlyHeir holds that a plan which reads another table than the
// one that was asked for, as nothing else can have such rows, is not that of a
// table to read by ranges.
func TestRangesOfTheOnlyHeir(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "5000")
	d.exec(t, `CREATE TABLE heir (CHECK (id > 5000)) INHERITS (big); INSERT INTO heir SELECT 5000 + id, n, small, price, ratio, name, code, day, at, ok FROM ONLY big;
		ALTER TABLE big ADD CHECK (id <= 5000) NO INHERIT; ANALYZE big, heir`)
	scan.Where = parser(t, d.source, "big")("id > 5001")
	if got, err := ids(d.source.Scan(t.Context(), scan)); err != nil || !maps.Equal(got, each(5_002, 10_000)) {
		t.Errorf("%d ids, %v", len(got), err)
	}
}

// TestRangesWhoseSchemaIsReplaced holds that ranges of two tables are never put
// together, although their schemas have exchanged the name meanwhile.
func TestRangesWhoseSchemaIsReplaced(t *testing.T) {
	d := newDatabase(t)
	ranged(t, d.source, 2)
	scan := rowsOf(t, d, "100000")
	d.exec(t, "CREATE SCHEMA next; CREATE TABLE next.big AS SELECT * FROM big; UPDATE next.big SET id = id + 1000000")
	conn, w := d.agreed(t, scan)
	r, err := d.source.readRanges(t.Context(), conn, w.ranges, w.columns, asking{seesAll: true})
	if err != nil {
		t.Fatal(err)
	}
	d.exec(t, "ALTER SCHEMA public RENAME TO before; ALTER SCHEMA next RENAME TO public")
	_, err = ids(r, nil)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindNoRelation || !strings.Contains(e.Hint, "renamed") {
		t.Errorf("%v", err)
	}
	if got, err := ids(d.source.Scan(t.Context(), scan)); err != nil || len(got) != 100_000 || got[1_000_005] != 1 {
		t.Errorf("afterwards: %d ids, %v", len(got), err)
	}
}

// TestSnapshotsThatCannotBeShared holds that a role which may not export one reads
// all the same.
func TestSnapshotsThatCannotBeShared(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	scan := rowsOf(t, d, "10000")
	d.exec(t, `DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN; GRANT SELECT ON big TO plain; REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM PUBLIC`)
	p := d.open(t, "user=plain")
	ranged(t, p, 2)
	got, err := ids(p.Scan(t.Context(), scan))
	if err != nil || !maps.Equal(got, each(1, 10_000)) {
		t.Errorf("%d ids, %v", len(got), err)
	}
}

// TestRangesMakeRoom holds that a connection which has joined ranges is left to a
// request that waits for one, although nobody reads on to the end.
func TestRangesMakeRoom(t *testing.T) {
	d := newDatabase(t)
	scan := wideOf(t, d, "80000")
	p := d.open(t, "pool_max_conns=2")
	ranged(t, p, 2)
	r, err := p.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	d.reading(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	room := make(chan error, 1)
	go func() {
		_, err := enginetest.Text(p.Query(ctx, "SELECT 1", nil))
		room <- err
	}()
	for p.waiting.Load() == 0 && len(room) == 0 {
		d.wait(t, "the database answers", "SELECT $1 <> ''")
	}
	rows := int64(0)
	for range 4 { // each connection has a batch that waits to be taken
		if !r.Next() {
			t.Fatal(r.Err())
		}
		rows += r.RecordBatch().NumRows()
	}
	if err := <-room; err != nil || rows >= 80_000 {
		t.Errorf("after %d rows: %v", rows, err)
	}
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if r.Err() != nil || rows != 80_000 {
		t.Errorf("%d rows, %v", rows, r.Err())
	}
}
