package mariadb

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

func TestRefusals(t *testing.T) {
	server := mariatest.New(t)
	d := newDatabase(t, server)
	d.exec(t, `CREATE TABLE shop.shown (n INT); CREATE TABLE shop.shut (n INT); CREATE TABLE shop.writable (n INT); CREATE OR REPLACE DATABASE other; CREATE TABLE other.far (n INT);
		CREATE TABLE shop.half (n INT, m INT); CREATE USER guest; GRANT SELECT ON shop.shown TO guest; GRANT INSERT ON shop.writable TO guest; GRANT SELECT (n) ON shop.half TO guest;
		CREATE USER reader; GRANT SELECT ON shop.* TO reader; CREATE USER outsider`)
	t.Run("tables", func(t *testing.T) { testClosedTables(t, d) })
	t.Run("dsn", func(t *testing.T) { testWrongDSN(t, d) })
}

// testClosedTables holds that a table that the user may not read is told from one
// that is not there, where the engine tells, and that both are named where it
// does not.
func testClosedTables(t *testing.T, d *database) {
	for _, c := range []struct{ user, name, kind, says, hint string }{
		{"reader", "nothing", api.KindNoRelation, "no relation nothing", ""},
		{"reader", "Shown", api.KindNoRelation, "no relation Shown", ""},
		{"root", "other.nothing", api.KindNoRelation, "no relation other.nothing", ""},
		{"root", "nowhere.nothing", api.KindNoRelation, "no relation nowhere.nothing", ""},
		{"reader", "other.far", api.KindPermissionDenied, "no relation other.far, or", "GRANT SELECT ON `other`.`far` TO"},
		{"guest", "shut", api.KindPermissionDenied, "no relation shut, or", "GRANT SELECT ON `shop`.`shut` TO"},
		{"guest", "nothing", api.KindPermissionDenied, "no relation nothing, or", "instance file"},
		{"guest", "nowhere.nothing", api.KindPermissionDenied, "no relation nowhere.nothing, or", "instance file"},
		{"guest", "writable", api.KindPermissionDenied, "does not let the server read", "GRANT SELECT"},
	} {
		m := d.open(t, c.user, "", "")
		for _, rel := range []source.Relation{{Name: c.name}, {Name: c.name, Columns: []string{"n"}, Rule: &predicate.Literal{}}} {
			_, _, err := texts(t, m, source.Scan{Relation: source.Relation{Name: rel.Name, Columns: rel.Columns}, Select: []string{"n"}})
			errs := []error{err}
			if c.name != "writable" { // whose columns can be described
				_, err := m.Schema(t.Context(), rel)
				errs = append(errs, err)
			}
			for _, err := range errs {
				var e *api.Error
				if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != c.kind || e.Retryable() || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) ||
					strings.Contains(e.Message+e.Hint, "localhost") {
					t.Errorf("%s as %s: %s", c.name, c.user, show(err))
				}
			}
		}
		_ = m.Close()
	}
	m := d.open(t, "guest", "", "")
	t.Cleanup(func() { _ = m.Close() })
	if s, err := m.Schema(t.Context(), source.Relation{Name: "half"}); err != nil || len(s.Columns) != 1 {
		t.Errorf("a table of which one column is granted: %+v, %v", s, err)
	}
}

// testWrongDSN holds that what is wrong with a dsn is said by name, and by no
// value.
func testWrongDSN(t *testing.T, d *database) {
	for _, c := range []struct{ user, database, parameters, kind, says, hint string }{
		{"root", "nowhere", "", api.KindNoDatabase, "no database 'nowhere'", "correct the dsn"},
		{"outsider", "shop", "", api.KindPermissionDenied, "no database 'shop', or", "GRANT SELECT ON `shop`.* TO"},
		{"root", "shop", "nonsense=the_secret", api.KindBadDSN, "'nonsense'", "correct the dsn"},
		{"root", "shop", "tx_isolation=the_secret", api.KindBadDSN, "'tx_isolation'", "correct the dsn"},
		{"root", "shop", "max_statement_time='the_secret'", api.KindBadDSN, "'max_statement_time'", "correct the dsn"},
		{"root", "shop", "datadir=1", api.KindBadDSN, "'datadir'", "correct the dsn"},
		{"root", "shop", "lock_wait_timeout=(the_secret", api.KindBadDSN, "'lock_wait_timeout'", "correct the dsn"},
		{"root", "shop", "lock_wait_timeout=1&wait_timeout=(the_secret", api.KindBadDSN, "a parameter", "correct the dsn"},
		{"nobody", "shop", "", api.KindBadCredentials, "credentials", "correct the dsn"},
	} {
		m, err := Open(Options{DSN: d.server.DSN(c.user, "", c.database, c.parameters)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Schema(t.Context(), source.Relation{Name: "shown"})
		_, _, scanned := texts(t, m, source.Scan{Relation: source.Relation{Name: "shown"}, Select: []string{"n"}})
		for _, err := range []error{err, scanned} {
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != c.kind || e.Retryable() || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s %s %s: %s", c.user, c.database, c.parameters, show(err))
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("%s tells a value: %s", c.parameters, show(err))
				}
			}
		}
		_ = m.Close()
	}
	_, err := Open(Options{DSN: "u:the-secret@tcp(h:1)/d?tlss=the_secret"})
	if !api.CodeConfig.Is(err) || !strings.Contains(show(err), "'tlss'") || !strings.Contains(show(err), "Was tls meant?") || strings.Contains(show(err), "secret") {
		t.Errorf("%s", show(err))
	}
}

// show is all of an error that somebody is told.
func show(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return "no error of the vocabulary"
	}
	return string(e.Code) + " " + e.Kind + ": " + e.Message + " | " + e.Hint
}

// TestASilentServer has a listener that greets nobody, as a server of HTTP does.
func TestASilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	m, err := Open(Options{DSN: "u:p@tcp(" + l.Addr().String() + ")/d?timeout=50ms"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	var e *api.Error
	if err := m.Probe(t.Context()); !errors.As(err, &e) || e.Kind != api.KindUnreachable || !strings.Contains(e.Err.Error(), "did not greet") {
		t.Errorf("%v", show(err))
	}
}
