package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestStatementsEndWithUs: a process that is killed cancels nothing; the engine
// notices by itself that nobody waits for a statement.
func TestStatementsEndWithUs(t *testing.T) {
	d := newDatabase(t)
	conn, err := d.source.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.Hijack().PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	raw.Frontend.Send(&pgproto3.Query{String: "SELECT pg_sleep(600)"})
	if err := raw.Frontend.Flush(); err != nil {
		t.Fatal(err)
	}
	running := `SELECT count(*) = %d FROM pg_stat_activity WHERE datname = $1 AND application_name = 'da' AND state = 'active'`
	d.wait(t, "the statement runs", fmt.Sprintf(running, 1))
	if err := raw.Conn.Close(); err != nil {
		t.Fatal(err)
	}
	d.wait(t, "nothing runs", fmt.Sprintf(running, 0))
}
