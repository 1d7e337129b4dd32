package intake

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/encoding"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/jsonrows"
	"github.com/agnes-data/da/table/xlsx"
)

// Profile has the findings of one pass over a file. It is stored as JSON, and is
// enough to load the file without guessing again.
type Profile struct {
	Kind        format.Kind
	Format      string // "csv", "tsv", "psv", "delimited", "xlsx", "parquet", "jsonl", "json", "geojson", "arrow"
	Inferred    bool   // the format was guessed, not stated by the file
	Compression string
	Hash        string // of the file's bytes, hex
	Dialect     delimited.Dialect
	Guessed     bool    // the columns of a text that is aligned with blanks may be others
	Unsplit     string  // a delimiter that almost every record of a single column has; empty: none
	Confidence  float64 // of the dialect
	Encoding    encoding.Result
	Header      bool
	Shared      bool  // the header was taken for one because all files of a table begin with it
	HeaderRows  int   // records that the header takes
	HeaderLine  int64 // physical line of the first of them, or of the first row; 0 for other formats
	Rival       int64 // another line that could name the columns just as well; 0: none could
	Doubt       bool  // the first row may be data if it is the header, or else names
	Above       int64 // row above the given range in which the header of its table begins; 0: none does
	Left        int   // empty columns without a name left of the table
	Rows        int64 // records of data
	Columns     []Column
	Preamble    []string // lines before the table, the first of them
	Before      int      // how many there are
	Passed      []string // names of members beside the rows of JSON
	Numbers     jsonrows.Numbers
	Footer      []string // lines behind it
	Another     *Problem // where another table begins, which is not read; may be nil
	Sheet       string   // of a workbook
	Sheets      []string
	Hidden      []string // those of Sheets that the workbook does not show
	Range       Range
	Dates1904   bool
	Unvalued    int64   // formulas that no program has calculated
	Stale       []Stale // columns with formulas whose values may be wrong
	HiddenRows  int64   // rows that the sheet hides, and that are read like others
	Never       int64   // cells formatted as dates or times whose numbers are not valid ones
	Subtotals   int64   // rows whose formulas sum rows above them
	Merged      int64   // merged ranges over several rows: null below the first
	Filled      int64   // merged ranges whose text was read in each of their rows
	Fills       []xlsx.Merged
	Totals      []int    // rows of totals that the sheet's tables declare: left out
	Others      []string // sheets with content, hidden ones only if the one that is read is empty; none if it was chosen
	Problems    Problems
	Sums        Sums // rows of totals among the others
	Renamed     []Rename
	Dropped     int          // empty columns without a name at either end of every record
	Told        []api.Caveat // what the file itself says of its rows

	picked []int // where each of Columns was among all of them; nil: all are there
}

// Only returns the profile of the same file with only the named columns, ignoring
// case. It keeps at least one column.
func (p *Profile) Only(names []string) *Profile {
	out := *p
	out.Columns, out.picked = nil, nil
	for i, c := range p.Columns {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			out.Columns, out.picked = append(out.Columns, c), append(out.picked, i)
		}
	}
	if len(out.Columns) == 0 && len(p.Columns) > 0 {
		out.Columns, out.picked = p.Columns[:1], []int{0}
	}
	return &out
}

// Pick returns the profile of the same file with only the named columns, which must
// be there, in the order of the names.
func (p *Profile) Pick(names []string) *Profile {
	out := *p
	out.Columns, out.picked = nil, nil
	for _, name := range names {
		i := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Name == name })
		out.Columns, out.picked = append(out.Columns, p.Columns[i]), append(out.picked, i)
	}
	return &out
}

// Reading stands for how the text of the file becomes rows: it is another one if the
// same bytes would give others.
func (p *Profile) Reading() string {
	parts := []any{p.Dialect, p.Encoding.Name, p.Header, p.HeaderRows, p.Left, p.Rows, len(p.Preamble), len(p.Footer), p.picked}
	for _, c := range p.Columns {
		d := c.Decision
		d.Nulls, d.NonNull, d.Ambiguous, d.Other, d.Note, d.NoteAt, d.Near = 0, 0, "", 0, "", infer.CellRef{}, nil // these change no value
		d.Failed, d.FailedAt = 0, infer.CellRef{}
		parts = append(parts, c.Name, d, c.Forced)
	}
	return fmt.Sprintf("%#v", parts)
}

// field is where the cells of column j are in a record.
func (p *Profile) field(j int) int {
	if p.picked != nil {
		j = p.picked[j]
	}
	return p.Left + j
}

// Column is one column of a table.
type Column struct {
	Name string // unique without regard to case, never empty
	infer.Decision
	Forced bool   // the type was given by the caller
	SQL    string // the type as the engine names it, for files that the engine reads
	MaxLen int    // bytes of the longest cell
	Cut    bool   // the nanoseconds of its values are
	MadeUp bool   // the file has no name for it
}

// Dated returns a column of the catalog with the order of its dates, if that is not Y-M-D.
func (c Column) Dated(out api.Column) api.Column {
	if dated := c.Type == infer.Date || c.Type == infer.Timestamp || c.Type == infer.TimestampTZ; dated && c.Order > infer.YMD {
		out.DateOrder, out.DateGuessed = c.Order.String(), c.Ambiguous != ""
	}
	return out
}

// Rename is a header cell that had to be changed.
type Rename struct {
	Index int    `json:"index"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Range is a rectangle of a sheet, from 1; zero ends are open.
type Range struct {
	FromRow, FromCol, ToRow, ToCol int
}

// Kinds of problems.
const (
	ShortRow  = "short_row"
	LongRow   = "long_row"
	MendedRow = "mended_row"
	Crossing  = "crossing_row"
	Repeat    = "repeated_header"
	Misfit    = "cell"
	OpenQuote = "open_quote"
	Remark    = "comment"
	Ruler     = "ruler"
)

// Problem is one place of a file that does not fit the rest.
type Problem struct {
	Kind   string `json:"kind"`
	Line   int64  `json:"line"`
	Column string `json:"column,omitempty"`
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// maxProblems limits how many places of each kind are kept; all are counted.
const maxProblems = 10

// Problems counts and locates what does not fit.
type Problems struct {
	Short, Long, Mended, Damaged, Misfit int64
	Crossed                              int64 // records with text across the start of a column
	Repeats                              int64 // repeated headers among the records
	OpenQuotes                           int64 // cells that begin with a quote that does not end, in a text without quotes
	Comments, Rulers                     int64 // among the records
	Blanks                               int64 // empty lines among the records of one column
	Places                               []Problem
}

// First returns the first stored place of a kind.
func (p *Problems) First(kind string) (at Problem, ok bool) {
	i := slices.IndexFunc(p.Places, func(at Problem) bool { return at.Kind == kind })
	if i < 0 {
		return Problem{}, false
	}
	return p.Places[i], true
}

// Count returns how many records and cells don't fit; comments and rulers do.
func (p *Problems) Count() int64 {
	return p.Short + p.Long + p.Mended + p.Crossed + p.Misfit + p.Repeats
}

func (p *Problems) add(n *int64, at Problem) {
	if *n++; *n <= maxProblems {
		p.Places = append(p.Places, at)
	}
}
