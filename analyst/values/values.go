// Package values finds which values a column has and how often each occurs: in what is
// on this machine, or at the source by the statement that the user could run there. It
// has no way to rows that a query has not.
package values

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement/params"
)

const (
	// DefaultLimit is how many values are returned unless the caller says otherwise.
	DefaultLimit = 50
	// MaxLimit is how many values can be asked for.
	MaxLimit = 10_000
	// maxBytes bounds the values of an answer, as JSON.
	maxBytes = 256 << 10
)

// Request asks for the values of a column.
type Request struct {
	Table  string // a snapshot, a synced table, or else a table of the catalog
	Column string
	Like   string // only those that contain this, case and accents aside
	Limit  int    // 0: DefaultLimit

	among   []any // only these texts; nil: all values
	first   int   // of so many rows; 0: of all
	most    int   // bytes of all values; 0: maxBytes
	unasked bool  // nobody has set the limit
}

// Value is a value with how often it occurs.
type Value = profile.Value

// Found are values of a column, the commonest first.
type Found struct {
	Table  string  `json:"table"`
	Column string  `json:"column"`
	Like   string  `json:"like,omitempty"`
	Values []Value `json:"values"` // never null
	// More says that there are further values, which the limit has left out.
	More    bool         `json:"more" jsonschema:"there are further values"`
	Caveats []api.Caveat `json:"caveats"` // never null

	texts bool // the column's type is text
}

// Asker runs a statement of one SELECT and returns its rows.
type Asker func(ctx context.Context, sql string) (rows api.Rows, end func(), err error)

// check completes a request.
func (r *Request) check() error {
	if r.most == 0 {
		r.most = maxBytes
	}
	if r.Limit == 0 {
		r.Limit, r.unasked = DefaultLimit, true
	}
	if r.Limit < 1 || r.Limit > MaxLimit {
		return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("a limit of %d is not between 1 and %d", r.Limit, MaxLimit),
			Next: []api.Step{api.SetTo(api.OptionLimit, fmt.Sprint(DefaultLimit), "")}}
	}
	return nil
}

// Price returns what Of would read at the source, without reading it; nothing of what is
// here.
func Price(ctx context.Context, a *analyst.Analyst, r Request) (*api.Estimate, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	local, err := isHere(a, r.Table, r.Column)
	if err != nil || local {
		return &api.Estimate{TableID: r.Table, ScanBytes: new(int64), BilledBytes: new(int64), CostUSD: new(float64)}, err
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	return remote.Estimate(ctx, r.scan())
}

func (r *Request) scan() api.ScanRequest {
	return api.ScanRequest{TableID: r.Table, Select: []string{r.Column}}
}

// isHere reports whether a name is that of a snapshot, a synced table or a kept result,
// and fails if it is known that this has no such column.
func isHere(a *analyst.Analyst, name, column string) (bool, error) {
	all, err := query.Relations(a)
	i := slices.IndexFunc(all, func(rel query.Relation) bool { return rel.Name == name })
	if err != nil || i < 0 {
		return false, err
	}
	if have := all[i].Columns; have != nil && !slices.ContainsFunc(have, func(c string) bool { return strings.EqualFold(c, column) }) {
		return true, UnknownColumn(name, column, have)
	}
	return true, nil
}

// UnknownColumn is the error for a column that something does not have.
func UnknownColumn(name, column string, have []string) error {
	hint := "The columns are " + api.Clip(strings.Join(have, ", "), 400) + "."
	if near := suggest.Near(column, have); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return &api.Error{Code: api.CodeUnknownColumn, Message: fmt.Sprintf("'%s' has no column '%s'", name, api.Clip(column, 80)), Hint: hint}
}

// Of returns values of a column. At a source it reads the column of all rows, once, and
// no more bytes than o allows: by a statement where the source runs them, and else by a
// fetch, which is kept for later.
func Of(ctx context.Context, a *analyst.Analyst, r Request, o plan.Options) (*Found, error) {
	local, err := isHere(a, r.Table, r.Column)
	if err != nil {
		return nil, err
	}
	if local {
		return In(ctx, r, r.Table, func(ctx context.Context, sql string) (api.Rows, func(), error) {
			return opened(query.Run(ctx, a, sql, false, nil))
		})
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	planned := func(o plan.Options) (*Found, error) {
		return In(ctx, r, r.Table, func(ctx context.Context, sql string) (api.Rows, func(), error) {
			return opened(plan.Query(ctx, a, sql, o))
		})
	}
	if o.Kept {
		return planned(o)
	}
	kept := o
	kept.Kept = true
	if f, err := planned(kept); err == nil { // a fetch has brought the column
		return f, nil
	}
	f, err := AtSource(ctx, remote.Data, r, o.MaxBytes)
	if RunsNone(err) {
		return planned(o)
	}
	return f, err
}

// AtSource returns values of a column that a statement at the source finds, which may
// read so many bytes; 0 means no limit. The error is of KindNoRemoteQuery if the source
// runs no statements.
func AtSource(ctx context.Context, data api.Data, r Request, most int64) (*Found, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	place, err := PlaceOf(ctx, data, r.scan(), predicate.DuckDB, predicate.Postgres, predicate.GoogleSQL)
	if err != nil {
		return nil, err
	}
	if err := place.Fits("the values of "+r.Table+"."+r.Column, most); err != nil {
		return nil, err
	}
	return r.ask(ctx, place.Dialect, r.Table, func(ctx context.Context, sql string) (api.Rows, func(), error) {
		stream, err := data.Query(ctx, api.QueryRequest{SQL: sql})
		if err != nil {
			return nil, nil, err
		}
		return stream.Rows(), stream.Close, nil
	})
}

// Place is where statements about columns of a table can run, and what these read.
type Place struct {
	Dialect  predicate.Dialect
	Schema   *api.TableSchema
	Estimate *api.Estimate
}

// PlaceOf returns where a statement about the columns of a scan runs, in one of these
// dialects, if the caller may read them.
func PlaceOf(ctx context.Context, data api.Data, scan api.ScanRequest, in ...predicate.Dialect) (*Place, error) {
	est, err := data.Estimate(ctx, scan) // what the caller may not read ends here
	if err != nil {
		return nil, err
	}
	schema, err := data.Schema(ctx, scan.TableID)
	if err != nil {
		return nil, err
	}
	d := predicate.Dialect(cmp.Or(schema.EngineFlavor, schema.SQLFlavor))
	if est.Source == "" || !slices.Contains(in, d) {
		return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindNoRemoteQuery,
			Message: fmt.Sprintf("the source of '%s' runs no statements", scan.TableID),
			Next:    []api.Step{api.Do(api.ActionFetch, "get the columns", "table_id", scan.TableID, "select", scan.Select)}}
	}
	return &Place{d, schema, est}, nil
}

// Fits fails if it is known that what somebody asks for reads more bytes than it may; 0
// means no limit.
func (p *Place) Fits(what string, most int64) error {
	if most == 0 || p.Estimate.ScanBytes == nil || *p.Estimate.ScanBytes <= most {
		return nil
	}
	return &api.Error{Code: api.CodeBudget, Kind: api.KindFetchBytes, Hint: "Nothing was read.",
		Message: fmt.Sprintf("%s would read %s at the source, and a query may read %s", what, humanize.Bytes(*p.Estimate.ScanBytes),
			humanize.Bytes(most)),
		Next:    []api.Step{api.Set(api.OptionMaxScanBytes, "allow more")},
		Details: map[string]any{"estimate": p.Estimate.Shown(), "limit": most}}
}

// RunsNone reports whether an error says that the source runs no statements.
func RunsNone(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Kind == api.KindNoRemoteQuery
}

func opened(result *query.Result, err error) (api.Rows, func(), error) {
	if err != nil {
		return nil, nil, err
	}
	return result.Rows(), result.Close, nil
}

// In returns values of a column of a relation that ask reads in DuckDB's SQL.
func In(ctx context.Context, r Request, relation string, ask Asker) (*Found, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.ask(ctx, predicate.DuckDB, relation, ask)
}

// ask runs the statement, and reads one value more than asked for, to know whether there
// are more.
func (r *Request) ask(ctx context.Context, d predicate.Dialect, relation string, ask Asker) (*Found, error) {
	sql, err := r.statement(d, relation)
	if err != nil {
		return nil, err
	}
	rows, end, err := ask(ctx, sql)
	if err != nil {
		return nil, unplaced(err)
	}
	defer end()
	f := &Found{Table: r.Table, Column: r.Column, Like: r.Like, Values: []Value{}}
	f.texts = slices.Contains([]arrow.Type{arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.DICTIONARY},
		rows.Schema().Field(0).Type.ID())
	size, full := 0, false
	for !full && rows.Next() {
		columns := arrowjson.BindBatch(rows.RecordBatch())
		for i := range int(rows.RecordBatch().NumRows()) {
			v := Value{Value: columns[0].AppendJSON(nil, i)}
			if err := json.Unmarshal(columns[1].AppendJSON(nil, i), &v.N); err != nil {
				return nil, err
			}
			size += len(v.Value)
			if full = len(f.Values) == r.Limit || len(f.Values) > 0 && size > r.most; full {
				break
			}
			f.Values = append(f.Values, v)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	f.More = full
	f.Caveats = rows.Caveats()
	if full && len(f.Values) == r.Limit && r.unasked {
		f.Caveats = append(f.Caveats, api.Caveat{Kind: api.CaveatCut, Reason: "limit", Count: &api.Count{N: 1, AtLeast: true, Of: "rows"},
			Text: fmt.Sprintf("only the %d commonest values are here", r.Limit), Next: []api.Step{api.Set(api.OptionLimit, "see more")}})
	}
	if full && len(f.Values) < r.Limit {
		f.Caveats = append(f.Caveats, api.Caveat{Kind: api.CaveatCut, Reason: "max_bytes", Count: &api.Count{N: 1, AtLeast: true, Of: "rows"},
			Text: fmt.Sprintf("only the first %d values are here: together they may have %s", len(f.Values), humanize.Bytes(int64(r.most)))})
	}
	f.Caveats = api.Arranged(f.Caveats)
	return f, nil
}

// unplaced is an error without its place in a statement that the user has not written.
func unplaced(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Details["line"] == nil {
		return err
	}
	out := *e
	out.Details = maps.Clone(e.Details)
	for _, key := range []string{"position", "line", "column"} {
		delete(out.Details, key)
	}
	return &out
}

// statement is what a user could run to see the values.
func (r *Request) statement(d predicate.Dialect, relation string) (string, error) {
	column := predicate.QuoteIdent(d, r.Column)
	where := ""
	if r.Like != "" {
		where = " WHERE strpos(" + folded(d, column) + ", " + folded(d, "$like") + ") > 0"
	} else if r.among != nil {
		where = " WHERE " + column + " IN ($among)"
	}
	from := predicate.QuoteIdent(d, relation)
	if r.first > 0 {
		from = fmt.Sprintf("(SELECT %s FROM %s LIMIT %d) AS firsts", column, from, r.first)
	}
	filled, err := params.Fill(where, string(d), params.Values{"like": r.Like, "among": r.among})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("SELECT %s AS %s, count(*) AS %s FROM %s%s GROUP BY %s ORDER BY count(*) DESC, %s LIMIT %d", column,
		predicate.QuoteIdent(d, "value"), predicate.QuoteIdent(d, "n"), from, filled.Text, column, column, r.Limit+1), nil
}

// folded is a value as lower case text without accents.
func folded(d predicate.Dialect, value string) string {
	switch d {
	case predicate.GoogleSQL:
		return `REGEXP_REPLACE(NORMALIZE(LOWER(CAST(` + value + ` AS STRING)), NFD), r'\pM', '')`
	case predicate.Postgres:
		return `regexp_replace("normalize"(lower(CAST(` + value + ` AS text)), 'NFD'), '[\u0300-\u036F]', '', 'g')`
	}
	return "lower(strip_accents(CAST(" + value + " AS VARCHAR)))"
}

// IsFile reports whether the table is the path of a file: names have no points or slashes,
// except in the versions behind an @.
func (r Request) IsFile() bool {
	name, _, _ := strings.Cut(r.Table, "@")
	return strings.ContainsAny(name, "./\\")
}

// Split splits TABLE.COLUMN at its last point. A quoted column, TABLE."COLUMN", may contain
// points.
func Split(text string) (table, column string, ok bool) {
	if at := strings.Index(text, `."`); at > 0 && len(text) > at+3 && strings.HasSuffix(text, `"`) {
		return strings.Trim(text[:at], `"`), strings.ReplaceAll(text[at+2:len(text)-1], `""`, `"`), true
	}
	at := strings.LastIndexByte(text, '.')
	if at <= 0 || at == len(text)-1 {
		return "", "", false
	}
	return text[:at], text[at+1:], true
}
