package postgres

import (
	"testing"

	"github.com/agnes-data/da/source"
)

// TestConnectionsThatEndWhileIdle are replaced: the database's administrator, or a
// firewall, ends them at any time.
func TestConnectionsThatEndWhileIdle(t *testing.T) {
	d := newDatabase(t)
	d.exec(t, "CREATE TABLE idle (n int)")
	for range 2 {
		one, err := d.source.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		two, err := d.source.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		finish(one)
		finish(two)
		d.exec(t, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'da'")
		rows, err := d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "idle"}, Select: []string{"n"}})
		if err != nil {
			t.Fatal(err)
		}
		rows.Release()
	}
}
