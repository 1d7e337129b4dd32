package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ownPath restricts the statements of a transaction to the engine's own operators,
// functions and types. Otherwise an operator that somebody has created for exactly
// these types, in a schema on the role's path, would be preferred to the engine's.
const ownPath = "SET LOCAL search_path = pg_catalog, pg_temp"

// locate finds a relation by its name in SQL, with the meaning that the name has
// for the role. Only this lookup, which computes nothing, uses the path set by
// the DSN, the role or the database; everything else in a transaction uses the
// engine's own path.
func locate(ctx context.Context, conn *pgx.Conn, name string) (oid uint32, err error) {
	if strings.IndexByte(name, 0) >= 0 {
		return 0, missing(name)
	}
	literal, err := conn.PgConn().EscapeString(name)
	if err != nil {
		return 0, err
	}
	results, err := conn.PgConn().Exec(ctx, "SET LOCAL search_path = DEFAULT; SELECT pg_catalog.to_regclass('"+literal+"')::pg_catalog.oid; "+
		ownPath).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && (e.Code == "42602" || e.Code == "42601" || e.Code == "0A000"): // no name at all
		return 0, missing(name)
	case e != nil && e.Code == "42501":
		return 0, notFound(ctx, conn, name, err)
	case err != nil:
		return 0, err
	case len(results) != 3 || len(results[1].Rows) != 1 || results[1].Rows[0][0] == nil:
		return 0, notFound(ctx, conn, name, nil)
	}
	n, err := strconv.ParseUint(string(results[1].Rows[0][0]), 10, 32)
	return uint32(n), err
}
