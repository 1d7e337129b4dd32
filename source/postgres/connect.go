package postgres

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/suggest"
)

// keys are those of a DSN that say where the database is and how it is spoken
// to. All others are settings of the session, which the engine judges.
var keys = []string{
	"host", "port", "dbname", "user", "password", "passfile", "service", "servicefile", "connect_timeout", "target_session_attrs",
	"sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslsni", "sslnegotiation", "ssl_min_protocol_version", "ssl_max_protocol_version",
	"pool_max_conns", "pool_min_conns", "pool_max_conn_lifetime", "pool_max_conn_idle_time", "options", "application_name", "statement_timeout",
}

// correct says what to do about a parameter, with the key that it may stand for.
func correct(name string) string {
	hint := "The operator must correct the dsn of the source."
	if near := suggest.Near(name, keys); len(near) > 0 && near[0] != name {
		hint += " Was " + strings.Join(near, " or ") + " meant?"
	}
	return hint
}

// notConnected is why the engine refuses a connection. Its own sentence is never
// told: it quotes values of the DSN.
func notConnected(c *pgconn.ConnectError, e *pgconn.PgError) error {
	class := e.Code[:min(2, len(e.Code))]
	name := named(c.Config, e.Message)
	switch {
	case e.Code == "3D000":
		return sourceError(kindDatabase, fmt.Sprintf("the database server has no database %s", quote(api.Clip(c.Config.Database, 80))),
			"The operator must correct the dsn of the source, or create the database. A dsn that names none means the one of its user's name.", c)
	case class == "28":
		return sourceError(kindCredentials, "the database refuses the server's credentials", "The operator must correct the dsn of the source.", c)
	case name != "" || e.Code == "42704" || e.Code == "22023" || e.Code == "55P02":
		out := sourceError(kindParameter, "the database refuses a parameter of the source's dsn", "The operator must correct the dsn of the source.",
			errors.New("SQLSTATE "+e.Code))
		if name != "" {
			out.Message = fmt.Sprintf("the database refuses the parameter '%s' of the source's dsn", name)
			out.Hint, out.Details = correct(name), map[string]any{"parameter": name}
		}
		return out
	case e.Code == "42501":
		return sourceError(kindPermission, "the database does not let the server connect",
			fmt.Sprintf("The operator must run GRANT CONNECT ON DATABASE %s TO the role of the source's dsn.", quote(api.Clip(c.Config.Database, 80))), c)
	case class == "53":
		return sourceError(kindResources, "the database has not enough resources for another connection", api.InServerLog, c)
	}
	return sourceError(kindUnreachable, "the database refuses the connection", api.InServerLog, c)
}

// settingOf finds the names of settings in the key options of a DSN.
var settingOf = regexp.MustCompile(`(?:-c\s*|--)([A-Za-z_][A-Za-z0-9_.-]*)\s*=`)

// named is the setting of a DSN that the engine's sentence quotes first, empty if
// it quotes none: the engine reports it in no other way.
func named(c *pgconn.Config, sentence string) string {
	var found string
	first := len(sentence)
	look := func(name string) {
		if _, ours := settings[name]; ours {
			return
		}
		if at := strings.Index(strings.ToLower(sentence), `"`+strings.ToLower(name)+`"`); at >= 0 && at < first {
			found, first = api.Clip(name, 80), at
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.RuntimeParams)) {
		look(name)
	}
	for _, m := range settingOf.FindAllStringSubmatch(c.RuntimeParams["options"], -1) {
		look(strings.ReplaceAll(m[1], "-", "_"))
	}
	return found
}
