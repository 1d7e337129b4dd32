package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// TestWhatTheDSNNamesWrongly holds that a dsn which the database refuses is told
// from a relation that is not there, and a statement that is wrong: by what in it
// is to be corrected, and never by a value.
func TestWhatTheDSNNamesWrongly(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, "CREATE TABLE t (id int); DROP ROLE IF EXISTS outsider; CREATE ROLE outsider LOGIN; REVOKE CONNECT ON DATABASE "+d.Name+" FROM PUBLIC")
	for _, c := range []struct{ dsn, kind, says, hint string }{
		{"dbname=no_such_db", api.KindNoDatabase, "'no_such_db'", "correct the dsn"},
		{"keepalives=the-secret", api.KindBadDSN, "'keepalives'", "correct the dsn"},
		{"work_mem=the-secret", api.KindBadDSN, "'work_mem'", "correct the dsn"},
		{"options='-c nonsense=the-secret'", api.KindBadDSN, "'nonsense'", "correct the dsn"},
		{"user=outsider", api.KindPermissionDenied, "does not let the server connect", "GRANT CONNECT ON DATABASE \"" + d.Name + "\""},
		{"user=nobody_at_all", api.KindBadCredentials, "credentials", "correct the dsn"},
	} {
		src := d.open(t, c.dsn)
		_, err := src.Schema(t.Context(), source.Relation{Name: "t"})
		_, scanned := scanAll(t, src, "t", "id")
		_, queried := src.Query(t.Context(), "SELECT id FROM t", map[string]source.Relation{"t": {Name: "t"}})
		for _, err := range []error{err, scanned, queried} {
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != c.kind || e.Retryable() ||
				!strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s: %v", c.dsn, show(err))
				continue
			}
			if e.Err != nil && strings.Contains(e.Err.Error(), "failed to connect") { // it lists each way that was tried
				t.Errorf("%s: the cause is %v", c.dsn, e.Err)
			}
			if strings.Contains(show(e), "the-secret") {
				t.Errorf("%s tells a value: %s", c.dsn, show(err))
			}
		}
		src.Close()
	}
}

// TestMisspeltKeysAreFoundBeforeConnecting holds that a slip in a key that says
// how TLS is used is an error at start, before a password is sent anywhere.
func TestMisspeltKeysAreFoundBeforeConnecting(t *testing.T) {
	for dsn, meant := range map[string]string{
		"host=x sslmod=the-secret": "sslmode", "postgres://u@h/x?SSLMOD=the-secret": "sslmode", "host=x ssl_rootcert=the-secret": "sslrootcert",
		"host=x pool_max_con=the-secret": "pool_max_conns", "host=x sslcrl=the-secret": "",
	} {
		src, err := Open(Options{DSN: dsn})
		if err == nil {
			src.Close()
		}
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeConfig || e.Details["parameter"] == nil || !strings.Contains(e.Hint, meant) || strings.Contains(show(err), "the-secret") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}

// show is all of an error that somebody is told.
func show(err error) string {
	var e *api.Error
	if !errors.As(err, &e) {
		return "no error of the vocabulary: " + err.Error()
	}
	return string(e.Code) + " " + e.Kind + ": " + e.Message + " | " + e.Hint
}
