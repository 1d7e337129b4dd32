package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
)

// closed is the error for a relation in a schema that the role is not allowed to
// use. On a search path, the engine skips such a schema as if it did not exist.
type closed struct {
	schema string
	err    error // the engine's error, if there was one
}

func (c *closed) Error() string { return fmt.Sprintf("no USAGE on the schema %s", c.schema) }

func (c *closed) Unwrap() error { return c.err }

// refusal is its error for callers.
func (c *closed) refusal(asked asking) error {
	message, hint := "the database does not let the server into the schema of this relation",
		"The operator must GRANT USAGE on its schema, and SELECT on it, to the role of the source's dsn."
	if asked.seesAll {
		message += ": " + quote(c.schema)
		hint = fmt.Sprintf("The operator must run GRANT USAGE ON SCHEMA %s TO the role of the source's dsn, and GRANT SELECT on the relation.",
			quote(c.schema))
	}
	return sourceError(api.KindPermissionDenied, message, hint, c)
}

// findClosed finds the schema without USAGE to which a name, $1, refers: the
// schema in the name itself, or the first on the path, $2, that has such a
// relation. The catalogs are readable for everyone.
const findClosed = `
WITH named AS (SELECT p[cardinality(p)] AS relation, p[cardinality(p) - 1] AS schema FROM parse_ident($1) AS p),
  path AS (SELECT coalesce(replace(m[1], '""', '"'), lower(m[2])) AS schema, i FROM regexp_matches($2, '"((?:[^"]|"")*)"|([^",[:space:]]+)', 'g') WITH ORDINALITY AS t(m, i))
SELECT n.nspname FROM named, pg_namespace n LEFT JOIN path ON n.nspname = CASE path.schema WHEN '$user' THEN current_user ELSE path.schema END
WHERE NOT has_schema_privilege(n.oid, 'USAGE') AND (n.nspname = named.schema OR named.schema IS NULL AND path.i IS NOT NULL
  AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = named.relation AND strpos('` + kinds + `', c.relkind::text) > 0))
ORDER BY path.i LIMIT 1`

// notFound returns the reason why a lookup of a name found nothing, or failed with
// the error said. It ends the transaction.
func notFound(ctx context.Context, conn *pgx.Conn, name string, said error) error {
	result, err := conn.PgConn().Exec(ctx, "ROLLBACK; BEGIN READ ONLY; SELECT pg_catalog.current_setting('search_path'); "+ownPath).ReadAll()
	if err != nil {
		return err
	}
	c := &closed{err: said}
	err = conn.QueryRow(ctx, findClosed, name, string(result[2].Rows[0][0])).Scan(&c.schema)
	var e *pgconn.PgError
	switch {
	case err == nil:
		return c
	case said != nil:
		return said
	case errors.Is(err, pgx.ErrNoRows) || errors.As(err, &e): // the engine does not take it for a name
		return missing(name)
	}
	return err
}
