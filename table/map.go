package table

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/xlsx"
)

// MapRequest asks for the structure of a file.
type MapRequest struct {
	Source
	ChunkRows int64         `json:"chunk_rows,omitempty"` // 0: DefaultChunkRows
	Timeout   time.Duration `json:"-"`                    // 0: ReadTimeout
}

// Map is the structure of a file. Fields that do not apply to its format are
// null.
type Map struct {
	Format             string   `json:"format"`
	FormatInferred     bool     `json:"format_inferred"`
	Compression        *string  `json:"compression"`
	Delimiter          *string  `json:"delimiter"`
	QuoteChar          *string  `json:"quote_char"`
	EscapeChar         *string  `json:"escape_char"`
	CommentPrefix      *string  `json:"comment_prefix"`
	ColumnStarts       []int    `json:"column_starts,omitempty"` // of columns of fixed width, in characters
	EncodingDetected   *string  `json:"encoding_detected"`
	EncodingConfidence *float64 `json:"encoding_confidence"`
	HasHeader          bool     `json:"has_header"`
	HeaderRows         int      `json:"header_rows,omitempty"` // if the header takes more than one
	Sheet              *string  `json:"sheet"`
	Sheets             []string `json:"sheets,omitempty"`
	HiddenSheets       []string `json:"hidden_sheets,omitempty"` // of sheets
	RowCount           int64    `json:"row_count"`
	ColumnCount        int      `json:"column_count"`
	Columns            []Column `json:"columns"`
	Chunks             []Chunk  `json:"chunks"`

	Preamble []string         `json:"preamble,omitempty"` // lines before the table, the first 50 of a text
	Footer   []string         `json:"footer,omitempty"`   // lines behind it
	Renamed  []intake.Rename  `json:"renamed_columns,omitempty"`
	Misfits  Misfits          `json:"misfits"`
	Problems []intake.Problem `json:"problems,omitempty"` // the first of each kind
	Caveats  []api.Caveat     `json:"caveats"`
}

// Column is a column of a map.
type Column struct {
	Name         string `json:"name"`
	Index        int    `json:"index"`
	InferredType string `json:"inferred_type"`
	// The rest says how the cells were read, where there was a choice.
	Precision    int      `json:"precision,omitempty"` // of a decimal
	Scale        int      `json:"scale,omitempty"`
	NumberFormat string   `json:"number_format,omitempty"`
	Currency     string   `json:"currency,omitempty"`
	DateOrder    string   `json:"date_order,omitempty"`
	Ambiguous    string   `json:"ambiguous,omitempty"`
	NullWords    []string `json:"null_words,omitempty"`
	Forced       bool     `json:"forced,omitempty"` // the type was given, not inferred
}

// Chunk is a range of rows, from 1, both ends included.
type Chunk struct {
	Index int64  `json:"index"`
	Rows  string `json:"rows"`
}

// Misfits counts what does not fit the rest of the table.
type Misfits struct {
	ShortRows  int64 `json:"short_rows"`
	LongRows   int64 `json:"long_rows"`
	MendedRows int64 `json:"mended_rows"`             // rows with repaired quotes
	Crossed    int64 `json:"crossing_rows,omitempty"` // rows with text across the start of a fixed-width column
	Repeats    int64 `json:"repeated_headers"`
	Cells      int64 `json:"cells"` // values that prevented a narrower column type
	Bytes      int64 `json:"bytes"` // bytes that are invalid in the encoding
}

// Total returns how many rows and cells don't fit.
func (m Misfits) Total() int64 {
	return m.ShortRows + m.LongRows + m.MendedRows + m.Crossed + m.Repeats + m.Cells + m.Bytes
}

// Map returns the structure of a file. It reads all rows.
func (t *Tables) Map(ctx context.Context, r MapRequest) (*Map, error) {
	if r.ChunkRows < 0 {
		return nil, &api.Error{Code: api.CodeValidation, Message: "a chunk has at least one row",
			Hint: "Give 1 or more, or nothing for the default."}
	}
	if r.ChunkRows == 0 {
		r.ChunkRows = DefaultChunkRows
	}
	ctx, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	l, err := t.examine(ctx, r.Source)
	if err != nil {
		return nil, notRead(ctx, err)
	}
	defer l.Close()
	return mapOf(l.profile(), r.ChunkRows), nil
}

func mapOf(p *intake.Profile, chunkRows int64) *Map {
	m := &Map{
		Format: p.Format, FormatInferred: p.Inferred, HasHeader: p.Header, RowCount: p.Rows, ColumnCount: len(p.Columns),
		Columns: []Column{}, Chunks: []Chunk{}, Preamble: p.Preamble, Footer: p.Footer, Renamed: p.Renamed,
		Problems: p.Problems.Places, Sheets: p.Sheets, HiddenSheets: p.Hidden, Caveats: Caveats(p),
	}
	pr := p.Problems
	m.Misfits = Misfits{ShortRows: pr.Short, LongRows: pr.Long, MendedRows: pr.Mended, Crossed: pr.Crossed, Repeats: pr.Repeats,
		Cells: pr.Misfit, Bytes: pr.Damaged}
	if p.HeaderRows > 1 {
		m.HeaderRows = p.HeaderRows
	}
	if p.Compression != "" {
		m.Compression = &p.Compression
	}
	switch p.Kind {
	case format.Text:
		if m.ColumnStarts = p.Dialect.Cuts; p.Dialect.Gap > 0 {
			m.Delimiter = optional(strings.Repeat(" ", p.Dialect.Gap))
		} else if m.ColumnStarts == nil {
			m.Delimiter = optional(p.Dialect.Delimiter)
		}
		m.QuoteChar, m.EscapeChar = char(p.Dialect.Quote), char(p.Dialect.Escape)
		m.CommentPrefix = optional(p.Dialect.Comment)
		m.EncodingDetected, m.EncodingConfidence = &p.Encoding.Name, &p.Encoding.Confidence
	case format.Sheet, format.DuckDB, format.SQLite:
		m.Sheet, m.HasHeader = &p.Sheet, m.HasHeader || p.Kind != format.Sheet
	default:
		m.HasHeader = true
	}
	for i, c := range p.Columns {
		m.Columns = append(m.Columns, mapColumn(i, c))
	}
	for i := int64(0); i*chunkRows < p.Rows; i++ {
		m.Chunks = append(m.Chunks, Chunk{i, fmt.Sprintf("%d-%d", i*chunkRows+1, min((i+1)*chunkRows, p.Rows))})
	}
	return m
}

func mapColumn(i int, c intake.Column) Column {
	out := Column{
		Name: c.Name, Index: i, InferredType: string(c.Type), Currency: c.Currency,
		Ambiguous: c.Ambiguous, NullWords: c.NullWords, Forced: c.Forced,
	}
	if c.Type == infer.Decimal {
		out.Precision, out.Scale = c.Precision, c.Scale
	}
	if c.Format > infer.Dot {
		out.NumberFormat = c.Format.String()
	}
	if c.Order > infer.YMD {
		out.DateOrder = c.Order.String()
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func char(c byte) *string {
	if c == 0 {
		return nil
	}
	s := string(rune(c))
	return &s
}

// lostCells says which cells have no values, or old ones.
func lostCells(p *intake.Profile) (out []api.Caveat) {
	if p.Unvalued > 0 {
		out = append(out, api.Caveat{Kind: api.CaveatUncalculated, Count: &api.Count{N: p.Unvalued, Of: "cells"},
			Text: xlsx.Unvalued(p.Unvalued)})
	}
	if len(p.Stale) > 0 {
		n, names := int64(0), make([]string, len(p.Stale))
		for i, s := range p.Stale {
			n, names[i] = n+s.Formulas, s.Column
		}
		out = append(out, api.Caveat{Kind: api.CaveatUncalculated, About: api.Subject{Columns: names}, Count: &api.Count{N: n, Of: "cells"},
			Text: xlsx.Stale(n, " in "+humanize.Columns(names))})
	}
	if c := failedCells(p); c != nil {
		out = append(out, *c)
	}
	if n := forcedMisfits(p); n > 0 {
		out = append(out, api.Caveat{Kind: api.CaveatUnread, Count: &api.Count{N: n, Of: "cells"},
			Text: humanize.Plural(n, "cell has no value of the type that was given, and is null",
				"cells have no value of the type that was given, and are null")})
	}
	return out
}

// failedCells says which formulas could not be calculated, and are null.
func failedCells(p *intake.Profile) *api.Caveat {
	var names []string
	var n int64
	var first infer.CellRef
	for _, c := range p.Columns {
		if c.Failed > 0 {
			if names == nil || c.FailedAt.Line < first.Line {
				first = c.FailedAt
			}
			names, n = append(names, c.Name), n+c.Failed
		}
	}
	if names == nil {
		return nil
	}
	return &api.Caveat{Kind: api.CaveatUnread, About: api.Subject{Columns: names}, Count: &api.Count{N: n, Of: "cells"},
		Text: fmt.Sprintf("%s in %s, the first in line %d: %s", humanize.Plural(n, "error of a formula is null", "errors of formulas are null"),
			humanize.Columns(names), first.Line, first.Text)}
}

// oddRows says which rows are not like the others.
func oddRows(p *intake.Profile) (out []string) {
	for _, k := range []struct {
		kind             string
		n                int64
		text, one, other string
	}{
		{intake.ShortRow, p.Problems.Short, "%s too few fields: the missing ones are null", "row has", "rows have"},
		{intake.LongRow, p.Problems.Long, "%s too many fields: columns were added for them", "row has", "rows have"},
		{intake.Repeat, p.Problems.Repeats, "the header is repeated %s among the rows: left out", "time", "times"},
		{intake.MendedRow, p.Problems.Mended, "%s a quote in the wrong place, which was mended", "row has", "rows have"},
		{intake.Crossing, p.Problems.Crossed, "%s text across the start of a column: split at blanks", "row has", "rows have"},
		{intake.Remark, p.Problems.Comments, "%s among the rows: left out", "comment", "comments"},
		{"", p.Problems.Blanks, "%s among the rows: left out, though a row of one column may lack its value", "empty row", "empty rows"},
		{intake.Ruler, p.Problems.Rulers, "%s among the rows: left out", "drawn line", "drawn lines"},
	} {
		if k.n > 0 {
			out = append(out, fmt.Sprintf(k.text+"%s", humanize.Plural(k.n, k.one, k.other), firstOf(p, k.kind, k.n)))
		}
	}
	return out
}

// Caveats says what is doubtful about a file, and how it was read.
func Caveats(p *intake.Profile) []api.Caveat {
	t := telling{}
	t.text(p)
	if p.Kind == format.JSON && p.Inferred {
		t.add(api.CaveatGuessed, "the file is one object, and was read as one row")
	}
	if len(p.Columns) == 0 {
		t.add(api.CaveatOther, "there is no table in the file")
	}
	if n := p.Before; n > 0 {
		t.add(api.CaveatUnread, "%s passed over, the first of them %q",
			humanize.Plural(int64(n), "line before the table was", "lines before the table were"), api.Clip(p.Preamble[0], 60))
	}
	if len(p.Passed) > 0 {
		t.add(api.CaveatUnread, "the rows leave out what is beside the features: %s", api.Clip(strings.Join(p.Passed, ", "), 120))
	}
	if n := p.Numbers.Rounded; n > 0 {
		at := p.Numbers.First
		t.add(api.CaveatNarrowed, "%s more digits than a float holds: rounded, the first in row %d, column %q: %s; as a text, in quotes, it would keep them", humanize.Plural(n, "number has", "numbers have"), at.Row, at.Key, at.Text)
	}
	if n := len(p.Footer); n > 0 {
		t.add(api.CaveatUnread, "%s passed over, the first of them %q",
			humanize.Plural(int64(n), "line after the table was", "lines after the table were"), api.Clip(p.Footer[0], 60))
	}
	if at := p.Another; at != nil {
		t.add(api.CaveatUnread, "another table begins behind this one and was not read: %q", api.Clip(at.Text, 60))
		t[len(t)-1].Next = []api.Step{api.SetTo(api.OptionHeaderLine, strconv.FormatInt(at.Line, 10), "read it")}
	}
	t = append(t, lostCells(p)...)
	for _, text := range oddRows(p) {
		t.add(api.CaveatUnread, "%s", text)
	}
	if n := p.Sums.N; n > 0 && n < p.Rows && slices.ContainsFunc(p.Columns, func(c intake.Column) bool {
		return c.Type == infer.Integer || c.Type == infer.Decimal || c.Type == infer.Float
	}) {
		what := humanize.Plural(n, "row has", "rows have") + " a word for a sum, the first"
		switch {
		case p.Sums.Groups:
			what = humanize.Plural(n, "row has", "rows have") + " the sums of the rows below, the first"
		case p.Sums.Above:
			what = "1 row has the sums of all others"
		}
		t = append(t, api.Caveat{Kind: api.CaveatSummed, Count: &api.Count{N: n, Of: "rows"},
			Text: fmt.Sprintf("%s in line %d: %q; sums over a column count what is in them twice, so leave them out", what, p.Sums.Line, p.Sums.Word)})
	}
	t.sheet(p)
	if n := len(p.Renamed); n > 0 {
		t.add(api.CaveatRenamed, "%s empty, not unique or not printable: %s",
			humanize.Plural(int64(n), "column was renamed because its name was", "columns were renamed because their names were"),
			renamed(p.Renamed))
	}
	t.header(p)
	if p.Dropped > 0 {
		t.add(api.CaveatUnread, "%s dropped", humanize.Plural(int64(p.Dropped), "empty column without a name was",
			"empty columns without a name were"))
	}
	for _, c := range p.Columns {
		if c.Cut {
			t = append(t, duckdb.NanosCut(c.Name))
		}
	}
	return append(append(t, columnCaveats(p)...), toldOf(p)...)
}

// toldOf returns what the file itself says of the columns that are read.
func toldOf(p *intake.Profile) []api.Caveat {
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		names[i] = c.Name
	}
	return api.CaveatsAbout(names, p.Told)
}

// firstOf says where the first of n problems of a kind is.
func firstOf(p *intake.Profile, kind string, n int64) string {
	at, ok := p.Problems.First(kind)
	switch {
	case !ok:
		return ""
	case at.Text != "":
		return fmt.Sprintf(" (line %d: %q)", at.Line, api.Clip(at.Text, 60))
	case n == 1:
		return fmt.Sprintf(" (line %d)", at.Line)
	}
	return fmt.Sprintf(" (first in line %d)", at.Line)
}

// renamed lists the new names of the first columns that got one.
func renamed(all []intake.Rename) string {
	const most = 5
	var names []string
	for _, r := range all[:min(len(all), most)] {
		names = append(names, r.To)
	}
	if len(all) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// forcedMisfits counts the cells that lack the type that the caller gave.
func forcedMisfits(p *intake.Profile) int64 {
	n := p.Problems.Misfit
	for _, c := range p.Columns {
		if c.Near != nil {
			n -= c.Near.Misfit
		}
	}
	return n
}

// describe names a dialect for people.
func describe(p *intake.Profile) string {
	d := p.Dialect.Delimiter
	names := map[string]string{",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe", " ": "space", ":": "colon"}
	switch {
	case len(p.Dialect.Cuts) > 0:
		return "columns of fixed width"
	case p.Dialect.Gap > 0:
		return "columns with " + strconv.Itoa(p.Dialect.Gap) + " or more blanks between them"
	case d == "":
		return "lines of one column"
	case names[d] != "":
		return names[d] + "-delimited text"
	}
	return "text delimited by " + strings.Trim(strconv.Quote(d), "\"")
}
