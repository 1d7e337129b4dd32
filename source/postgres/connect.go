package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// keys are the keys of a DSN that say where the database is and how to connect.
// All other keys are session settings, which the engine checks.
var keys = []string{
	"host", "port", "dbname", "user", "password", "passfile", "service", "servicefile", "connect_timeout", "target_session_attrs",
	"sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslsni", "sslnegotiation", "ssl_min_protocol_version",
	"ssl_max_protocol_version",
	"pool_max_conns", "pool_min_conns", "pool_max_conn_lifetime", "pool_max_conn_idle_time", "options", "application_name",
	"statement_timeout",
}

// notConnected explains why the engine refuses a connection. It never includes
// the engine's message, because that quotes values of the DSN.
func notConnected(c *pgconn.ConnectError, e *pgconn.PgError) error {
	class := e.Code[:min(2, len(e.Code))]
	name := named(c.Config, e.Message)
	switch {
	case e.Code == "3D000":
		out := dsn.NoDatabase(c.Config.Database, e)
		out.Hint += " A dsn that names none means the one of its user's name."
		return out
	case class == "28":
		return sourceError(api.KindBadCredentials, "the database refuses the server's credentials",
			"The operator must correct the dsn of the source.", e)
	case name != "" || e.Code == "42704" || e.Code == "22023" || e.Code == "55P02":
		return dsn.BadParameter(name, keys, errors.New("SQLSTATE "+e.Code))
	case e.Code == "42501":
		return sourceError(api.KindPermissionDenied, "the database does not let the server connect",
			fmt.Sprintf("The operator must run GRANT CONNECT ON DATABASE %s TO the role of the source's dsn.",
				quote(api.Clip(c.Config.Database, 80))), e)
	case class == "53":
		return sourceError(api.KindOutOfResources, "the database has not enough resources for another connection", api.InServerLog, e)
	}
	return sourceError(api.KindUnreachable, "the database refuses the connection", api.InServerLog, e)
}

// settingOf finds the names of settings in the key options of a DSN.
var settingOf = lazyregexp.New(`(?:-c\s*|--)([A-Za-z_][A-Za-z0-9_.-]*)\s*=`)

// named returns the first setting of a DSN that the engine's message quotes, or
// "" if there is none. Our own settings are left out, because the operator cannot
// correct them.
func named(c *pgconn.Config, sentence string) string {
	var names []string
	for _, m := range settingOf().FindAllStringSubmatch(c.RuntimeParams["options"], -1) {
		names = append(names, strings.ReplaceAll(m[1], "-", "_"))
	}
	for _, name := range slices.Sorted(maps.Keys(c.RuntimeParams)) {
		if _, ours := settings[name]; !ours {
			names = append(names, name)
		}
	}
	return dsn.Quoted(sentence, `"`, names)
}
