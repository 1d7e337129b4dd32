package cli

import (
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	_ "github.com/go-sql-driver/mysql" // to load the tables; the source has its own connections
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// startMariaDB starts one server, in which each script has a database.
func startMariaDB(t *testing.T) func(*testscript.Env, scriptTables) (string, error) {
	server := mariatest.New(t)
	var databases atomic.Int64
	return func(env *testscript.Env, all scriptTables) (string, error) {
		db, err := sql.Open("mysql", server.DSN("root", "", "", "multiStatements=true&sql_mode=%27%27&time_zone=%27%2B00:00%27"))
		if err != nil {
			return "", err
		}
		defer db.Close()
		name := fmt.Sprintf("script_%d", databases.Add(1))
		if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			return "", err
		}
		for id, table := range all {
			if _, err := db.ExecContext(t.Context(), sourcetest.MariaDB(name+"."+id, table)); err != nil {
				return "", err
			}
		}
		env.Setenv("MAIN_DSN", server.DSN("root", "", name, ""))
		return caps + `
sources:
  main: { type: mariadb, dsn_env: MAIN_DSN }
tables:
  - { id: flights, source: main, relation: flights, public: true }
  - { id: airports, source: main, relation: airports }
`, nil
	}
}
