package sqliterows

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agnes-data/da/api"
)

// Table describes a table at one state of its file.
type Table struct {
	Name    string
	Rows    int64
	Columns []Column
}

// Column is a column, and the type that all of its values have or can be written as.
type Column struct {
	Name    string
	Type    string // the engine's: BIGINT, DOUBLE, BLOB or VARCHAR
	NotNull bool
	Mixed   string // which types its values have, if they have several that no number can hold; else empty
}

// Caveat says that a column has values of several types.
func (c Column) Caveat() api.Caveat {
	return api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
		Text: fmt.Sprintf("column %q holds values of several types (%s): all are shown as text, bytes as x'…'", c.Name, c.Mixed)}
}

// Names are the tables and views of a database. Views and virtual tables are not read: they run
// what somebody else wrote.
type Names struct{ Tables, Views []string }

// Names lists what the file holds, by name.
func (f *File) Names(ctx context.Context) (n Names, err error) {
	err = f.eachRow(ctx, `SELECT name, type = 'table' FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND
		name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`, nil,
		func(rows *sql.Rows) error {
			var name string
			var table bool
			err := rows.Scan(&name, &table)
			if table {
				n.Tables = append(n.Tables, name)
			} else {
				n.Views = append(n.Views, name)
			}
			return err
		})
	return n, err
}

// Describe reads a table once, and counts the types of its values.
func (f *File) Describe(ctx context.Context, name string) (*Table, error) {
	t := &Table{Name: name}
	var declared []string
	err := f.eachRow(ctx, `SELECT name, type, "notnull" FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`, []any{name},
		func(rows *sql.Rows) error {
			var c Column
			var typ string
			err := rows.Scan(&c.Name, &typ, &c.NotNull)
			t.Columns, declared = append(t.Columns, c), append(declared, typ)
			return err
		})
	if err != nil {
		return nil, err
	}
	const together = 200 // columns: a statement has at most 2000 results
	for from := 0; from < len(t.Columns); from += together {
		if err := f.count(ctx, t, from, min(from+together, len(t.Columns)), declared); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// counts are how many values a column has of each type, and the bounds of integers.
type counts struct {
	integer, real, text, blob int64
	low, high                 sql.NullInt64 // of integers
}

func (f *File) count(ctx context.Context, t *Table, from, to int, declared []string) error {
	found := make([]counts, to-from)
	into, items := []any{&t.Rows}, []string{"count(*)"}
	for i := range found {
		c, n := quote(t.Columns[from+i].Name), &found[i]
		for _, typ := range []string{"integer", "real", "text", "blob"} {
			items = append(items, fmt.Sprintf("count(*) FILTER (WHERE typeof(%s) = '%s')", c, typ))
		}
		items = append(items, fmt.Sprintf("min(CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s END), max(CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s END)", c))
		into = append(into, &n.integer, &n.real, &n.text, &n.blob, &n.low, &n.high)
	}
	err := f.eachRow(ctx, "SELECT "+strings.Join(items, ", ")+" FROM main."+quote(t.Name), nil,
		func(rows *sql.Rows) error { return rows.Scan(into...) })
	for i := range found {
		c := &t.Columns[from+i]
		c.Type, c.Mixed = found[i].decide(declared[from+i])
	}
	return err
}

// exact is the largest integer up to which doubles hold all of them.
const exact = 1 << 53

func (n counts) decide(declared string) (typ, mixed string) {
	var kinds []string
	for _, k := range []struct {
		n    int64
		name string
	}{{n.integer, "integer"}, {n.real, "float"}, {n.text, "text"}, {n.blob, "bytes"}} {
		if k.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s: %d", k.name, k.n))
		}
	}
	switch {
	case len(kinds) == 0:
		return affinity(strings.ToUpper(declared)), ""
	case len(kinds) == 1 && n.integer > 0:
		return "BIGINT", ""
	case len(kinds) == 1 && n.text > 0:
		return "VARCHAR", ""
	case len(kinds) == 1 && n.blob > 0:
		return "BLOB", ""
	case n.text+n.blob == 0 && n.low.Int64 >= -exact && n.high.Int64 <= exact:
		return "DOUBLE", ""
	}
	return "VARCHAR", strings.Join(kinds, ", ")
}

// affinity is the type of a column without values, as SQLite reads what is declared.
func affinity(declared string) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(declared, w) })
	}
	switch {
	case has("INT"):
		return "BIGINT"
	case has("CHAR", "CLOB", "TEXT"):
		return "VARCHAR"
	case has("BLOB"):
		return "BLOB"
	case has("REAL", "FLOA", "DOUB"): //nolint:misspell // as SQLite looks for it
		return "DOUBLE"
	}
	return "VARCHAR"
}

// eachRow runs a statement of ours.
func (f *File) eachRow(ctx context.Context, statement string, args []any, row func(*sql.Rows) error) error {
	rows, err := f.conn.QueryContext(ctx, statement, args...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return explain(err)
		}
	}
	return explain(rows.Err())
}

// Texts are the rows of a statement with four columns of texts.
func (f *File) Texts(ctx context.Context, statement string, args ...any) (list [][]string, err error) {
	err = f.eachRow(ctx, statement, args, func(rows *sql.Rows) error {
		row := make([]string, 4)
		list = append(list, row)
		return rows.Scan(&row[0], &row[1], &row[2], &row[3])
	})
	return list, err
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// explain makes an error of SQLite one that its reader understands.
func explain(err error) error {
	var known *api.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	out := &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "the database cannot be read: " + clean(err.Error()), Err: err}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return out
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		out.Kind, out.Message, out.Hint = api.KindChangedMeanwhile, "another program is writing the database", "Ask again when it has finished."
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		out.Message, out.Hint = "the database is damaged", "Get the file again, or have sqlite3 recover it."
	case sqlite3.SQLITE_READONLY:
		out.Message, out.Hint = "the database holds a change that was broken off",
			"Open it once with the program that writes it, which takes the change back."
	}
	return out
}

func clean(text string) string { return api.Clip(strings.ToValidUTF8(text, "?"), 200) }

// valid returns an error if text is not UTF-8.
func valid(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return errors.New("its text is not in UTF-8")
}

func unreadable(column, why string) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindUnreadableValue,
		Message: fmt.Sprintf("a value of column '%s' cannot be read: %s", clean(column), why), Hint: "Select the other columns."}
}
