package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/api"
)

// findCalled finds a name that the engine would take for a function's or a
// type's, and that could do more than compute from its operand: one that is not
// the engine's own, or that the engine does not hold to be immutable and that is
// not among those that may be called.
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

// harmless are names that columns have, too: of one operand, they make a text, a
// price and a document, by the engine's settings.
var harmless = []string{"format", "money", "xml"}

// callNothing refuses names behind a dot that could call something. For the
// engine, (a).f is f(a) where a has no field f: some functions run statements of
// their own, read settings or look names up, and a statement can give any name
// to a column of its own.
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
	return &api.Error{Code: api.CodeStatement, Kind: "forbidden_function", Message: fmt.Sprintf("the name %q after a dot may call a function", name),
		Hint: "Write a column of that name without its table, or give it another name with AS.", Details: map[string]any{"function": name}}
}
