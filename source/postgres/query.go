package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
	statement "github.com/agnes-data/da/statement/postgres"
)

var _ source.Binder = (*Postgres)(nil)

// Inspect checks a statement and returns what it reads. It does not contact a
// database.
func (p *Postgres) Inspect(_ context.Context, sql string) (source.Statement, error) {
	s, err := statement.Check(sql)
	if err != nil {
		return source.Statement{}, err
	}
	return source.Statement{Tables: s.Tables, Columns: s.Reads, Whole: s.Whole}, nil
}

// Query runs a statement in which each table is replaced by a subquery that
// returns only what the caller can see.
func (p *Postgres) Query(ctx context.Context, sql string, tables map[string]source.Relation) (array.RecordReader, error) {
	conn, b, err := p.bind(ctx, sql, tables)
	if err != nil {
		return nil, err
	}
	return run(ctx, conn, once(b.sql), b.columns, b.asked)
}

// Bind implements source.Binder.
func (p *Postgres) Bind(ctx context.Context, sql string, tables map[string]source.Relation) error {
	conn, _, err := p.bind(ctx, sql, tables)
	if err == nil {
		finish(conn)
	}
	return err
}

func (p *Postgres) bind(ctx context.Context, sql string, tables map[string]source.Relation) (*pgxpool.Conn, bound, error) {
	s, err := statement.Check(sql)
	if err != nil {
		return nil, bound{}, err
	}
	conn, err := p.begin(ctx)
	if err != nil {
		return nil, bound{}, err
	}
	b, err := bind(ctx, conn.Conn(), s, tables)
	if err != nil {
		abandon(conn)
		return nil, b, failure(ctx, err, b.asked)
	}
	return conn, b, nil
}

// bound is a statement that is ready to run.
type bound struct {
	sql     string
	columns []column // of its result
	asked   asking
}

func bind(ctx context.Context, conn *pgx.Conn, s *statement.Select, tables map[string]source.Relation) (bound, error) {
	b := bound{asked: asking{seesAll: true, shown: source.Shown{}}}
	for _, rel := range tables { // before any request to the engine
		b.asked.seesAll = b.asked.seesAll && rel.Whole()
	}
	parts := map[string]statement.Table{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		rel := tables[name]
		r, err := describe(ctx, conn, rel.Name)
		if err != nil {
			return b, err
		}
		if err := r.asStored(ctx, conn, rel); err != nil {
			return b, err
		}
		if parts[name], err = r.subquery(rel); err != nil {
			return b, err
		}
		b.asked.shown[name] = source.Visible(rel, r.columns)
	}
	var err error
	if b.sql, err = s.Rewrite(parts); err != nil {
		var e *api.Error
		if errors.As(err, &e) && e.Hint == "" { // a column that is not there
			b.asked.list(e)
		}
		return b, err
	}
	if err := callNothing(ctx, conn, s.Dotted); err != nil {
		return b, err
	}
	d, err := conn.PgConn().Prepare(ctx, "", b.sql, nil)
	if err != nil {
		// Errors in the text are detected here, before any row is read.
		var e *pgconn.PgError
		if errors.As(err, &e) {
			b.asked.at.details = map[string]any{}
			b.asked.at.column = s.Locate(b.asked.at.details, position(conn, b.sql, e))
		}
		return b, err
	}
	b.columns, err = results(ctx, conn, d.Fields)
	return b, err
}

// position returns where the engine found the error, in characters from 1, or 0
// if unknown. A database with the encoding SQL_ASCII counts bytes.
func position(conn *pgx.Conn, sql string, e *pgconn.PgError) int {
	at := int(e.Position)
	if at < 1 || at > len(sql) || conn.PgConn().ParameterStatus("server_encoding") != "SQL_ASCII" {
		return at
	}
	return utf8.RuneCountInString(sql[:at-1]) + 1
}

// subquery replaces a table in a statement.
func (r *relation) subquery(rel source.Relation) (statement.Table, error) {
	t := statement.Table{Schema: r.schema, Name: r.name}
	var items []string
	for _, c := range r.columns {
		if rel.Sees(c.Name) {
			items = append(items, quote(c.Name))
			t.Attributes = append(t.Attributes, c.Name)
			t.Attributes = append(t.Attributes, fieldNames(c.Fields)...)
		}
	}
	if len(items) == 0 {
		items = []string{"NULL AS _"} // the statement only counts rows
	}
	t.From = fmt.Sprintf("SELECT %s FROM %s", strings.Join(items, ", "), r.from())
	if rel.Rule != nil {
		// A rule uses the engine's clock.
		text, err := print.SQL(predicate.Postgres, rel.Rule, predicate.Env{})
		if err != nil {
			return t, err
		}
		t.From += " WHERE " + text + barrier
	}
	return t, nil
}

func fieldNames(fields []api.Column) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
		names = append(names, fieldNames(f.Fields)...)
	}
	return names
}

// results returns the columns of a result. Types without a codec of their own are
// returned as the engine's text.
func results(ctx context.Context, conn *pgx.Conn, fields []pgconn.FieldDescription) ([]column, error) {
	found := make([]declared, len(fields))
	for i, f := range fields {
		found[i] = declared{oid: f.DataTypeOID, mod: f.TypeModifier}
	}
	types, err := readTypes(ctx, conn, found)
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(fields))
	for i, f := range fields {
		columns[i].Name = f.Name
		c := types.codec(found[i], 0)
		if c.cast != "" {
			note := c.note
			c = textCodec(decodeText)
			c.note = note
		}
		columns[i].codec = c
	}
	return columns, nil
}

// caveats says what columns lose.
func caveats(columns []column) []api.Caveat {
	var out []api.Caveat
	for _, c := range columns {
		if c.codec.note != "" {
			out = append(out, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
				Text: fmt.Sprintf("column %s: %s", quote(c.Name), c.codec.note)})
		}
	}
	return out
}
