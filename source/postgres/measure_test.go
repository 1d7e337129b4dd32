package postgres

import (
	"testing"

	"github.com/agnes-data/da/source"
)

// TestRowsAreEstimated holds that the engine's samples tell how many rows there
// are about, and nothing is told where they cannot.
func TestRowsAreEstimated(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TABLE sampled AS SELECT n FROM generate_series(1, 10000) AS n; CREATE TABLE grown AS SELECT * FROM sampled; ANALYZE sampled; ANALYZE grown; INSERT INTO grown SELECT n FROM sampled;
		CREATE TABLE new AS SELECT * FROM sampled; CREATE TABLE empty (n int); CREATE VIEW viewed AS SELECT * FROM sampled; CREATE MATERIALIZED VIEW kept AS SELECT * FROM sampled; ANALYZE kept;
		CREATE TABLE parts (n int) PARTITION BY LIST (n); CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1); CREATE TABLE part2 PARTITION OF parts DEFAULT;
		INSERT INTO parts SELECT n FROM sampled; ANALYZE part1; ANALYZE part2; CREATE TABLE unsampled (n int) PARTITION BY LIST (n); CREATE TABLE unsampled1 PARTITION OF unsampled DEFAULT; INSERT INTO unsampled SELECT 1;
		CREATE TABLE parent AS SELECT * FROM sampled; CREATE TABLE child () INHERITS (parent); ANALYZE parent;
		DROP ROLE IF EXISTS shielded; CREATE ROLE shielded LOGIN; CREATE TABLE guarded AS SELECT * FROM sampled; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; GRANT SELECT ON guarded, sampled TO shielded; ANALYZE guarded`)
	shielded := d.open(t, "user=shielded")
	t.Cleanup(func() { shielded.Close() })
	const unknown = -1
	for _, c := range []struct {
		from        *Postgres
		name        string
		least, most int64
	}{
		{d.source, "sampled", 10_000, 10_000}, {d.source, "kept", 10_000, 10_000}, {d.source, "parts", 10_000, 10_000}, {d.source, "grown", 18_000, 22_000}, {d.source, "empty", 0, 0},
		{d.source, "new", unknown, unknown}, {d.source, "viewed", unknown, unknown}, {d.source, "unsampled", unknown, unknown}, {d.source, "parent", unknown, unknown},
		{d.source, "guarded", 10_000, 10_000}, {shielded, "guarded", unknown, unknown}, {shielded, "sampled", 10_000, 10_000},
	} {
		s, err := c.from.Schema(t.Context(), source.Relation{Name: c.name})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := int64(unknown)
		if s.RowEstimate != nil {
			got = *s.RowEstimate
		}
		if got < c.least || got > c.most || s.RowCount != nil {
			t.Errorf("%s: about %d rows, not %d to %d", c.name, got, c.least, c.most)
		}
	}
}
