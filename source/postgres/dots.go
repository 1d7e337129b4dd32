package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
)

// findCalled finds names that the engine would take for a function or a type, and
// that could do more than compute from their operand. These are functions and
// types outside the engine's own schema, and those in it that are neither
// immutable nor explicitly allowed.
const findCalled = `
SELECT p.proname::text FROM pg_catalog.pg_proc p
WHERE p.proname::text = ANY($1) AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1 AND p.proargtypes[0] <> 'internal'::regtype
  AND pg_catalog.pg_function_is_visible(p.oid)
  AND NOT (p.pronamespace = 'pg_catalog'::regnamespace AND (p.provolatile = 'i' OR p.proname::text = ANY($2)))
UNION ALL
SELECT t.typname::text FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_cast c ON c.casttarget = t.oid LEFT JOIN pg_catalog.pg_proc p ON p.oid = c.castfunc
WHERE t.typname::text = ANY($1) AND pg_catalog.pg_type_is_visible(t.oid)
  AND (t.typtype = 'd' OR p.oid IS NOT NULL AND NOT (p.pronamespace = 'pg_catalog'::regnamespace AND (p.provolatile = 'i' OR t.typname::text = ANY($2))))
LIMIT 1`

// harmless are functions and types whose names columns often have. With one
// operand they only make a text, a price or a document; the result depends on the
// engine's settings.
var harmless = []string{"format", "money", "xml"}

// callNothing refuses names after a dot that could call something. If a has no
// field f, the engine reads (a).f as f(a). Some functions run statements, read
// settings or look up names, and a statement can give its columns any name.
func callNothing(ctx context.Context, conn *pgx.Conn, dotted map[string]bool) error {
	if len(dotted) == 0 {
		return nil
	}
	names, allowed := []string{}, slices.Clone(harmless)
	for name, ok := range dotted {
		names = append(names, name)
		if ok {
			allowed = append(allowed, name)
		}
	}
	var name string
	err := conn.QueryRow(ctx, findCalled, names, allowed).Scan(&name)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	name = api.Clip(name, 80)
	return &api.Error{Code: api.CodeStatement, Kind: api.KindForbiddenFunction,
		Message: fmt.Sprintf("the name %q after a dot may call a function", name),
		Hint:    "Write a column of that name without its table, or give it another name with AS.", Details: map[string]any{"function": name}}
}
