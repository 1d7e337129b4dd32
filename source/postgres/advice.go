package postgres

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// placed is where the engine found the error in a caller's statement.
type placed struct {
	details map[string]any // position, line and column, as the gate's own errors have them
	column  string         // an existing column; empty if there is none
}

// advice maps SQLSTATE codes of refused statements to hints that contain neither
// values nor names. Hints for a whole class come after those for single codes.
var advice = map[string]string{
	"22012": "NULLIF makes the divisor NULL where it is 0, and with it the result: a / NULLIF(b, 0).",
	"22003": "A wider type has room for the value: CAST(… AS numeric), or AS bigint, before it is computed with.",
	"22P02": "There is no TRY_CAST here. Test the text first: CASE WHEN x ~ '^-?[0-9]+$' THEN CAST(x AS bigint) END.",
	"22007": "Dates are written '2026-01-31', moments '2026-01-31 12:00:00+00'; to_date(x, 'DD.MM.YYYY') reads other forms.",
	"22008": "Dates are written '2026-01-31', moments '2026-01-31 12:00:00+00'; to_date(x, 'DD.MM.YYYY') reads other forms.",
	"22021": "A text of the database is not UTF-8, or cannot become it; the operator can offer a view that converts it.",
	"2201B": "The regular expression is not a valid one; a backslash takes the meaning of a sign away.",
	"21000": "Let the subquery yield one row: an aggregate such as max(…), or LIMIT 1.",
	"42883": "No function or operator takes values of these types: cast one of them, as in CAST(x AS text) or CAST(x AS numeric).",
	"42725": "Several functions fit: cast the arguments, as in CAST(x AS text).",
	"42804": "The types do not fit: cast, as in CAST(x AS text); a condition is a comparison, as in x > 0.",
	"42846": "There is no such cast. A cast through text may work: CAST(CAST(x AS text) AS …).",
	"42803": "What is neither grouped by nor aggregated has no single value: put it into GROUP BY, or into an aggregate such as max(…). A condition on an aggregate belongs in HAVING.",
	"42P20": "A window function is called with OVER (…), and in the list of SELECT or in ORDER BY alone.",
	"42809": "A window function is called with OVER (…), and only an aggregate with DISTINCT, FILTER or ORDER BY inside.",
	"42702": "More than one table has such a column: write the table's name or alias before it, as in t.x.",
	"42P01": "The name before a dot is a table of the same FROM, by its alias if it has one.",
	"42P10": "ORDER BY and GROUP BY count the columns of SELECT from 1; with DISTINCT, ORDER BY names columns of SELECT.",
	"42601": "The parts do not fit together: count the columns on both sides.",
	"42712": "Give each table in FROM an alias of its own.",
	"42P18": "The engine does not know the type: cast the value, as in CAST(NULL AS text).",
	"42P19": "A recursive query is one part, UNION ALL, and another part that reads the first.",
	"54001": "The statement is too complex for the engine: do it in several steps.",
}

// advise adds a hint to the error of a request. It names only columns that exist
// for the caller; they are also in the error's details.
func (a asking) advise(out *api.Error, e *pgconn.PgError) {
	if e.Code != "42703" || len(a.shown) == 0 {
		if out.Hint == "" {
			out.Hint = advice[e.Code]
		}
		return
	}
	var columns []string
	for _, list := range a.shown {
		columns = append(columns, list...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	if near := suggest.Near(a.at.column, columns); len(near) > 0 && !slices.Contains(columns, a.at.column) {
		out.Hint, out.Details["suggestions"] = "Did you mean "+strings.Join(near, " or ")+"?", near
		return
	}
	a.list(out)
}

// list names the columns of the statement's tables.
func (a asking) list(out *api.Error) {
	out.Hint, out.Next = a.shown.Columns(), a.shown.Next()
	out.Details["columns"] = map[string][]string(a.shown)
}
