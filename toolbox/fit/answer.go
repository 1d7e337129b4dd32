package fit

import (
	"encoding/json"

	"github.com/agnes-data/da/api"
)

// BytesPerToken is how many bytes of JSON are counted as one token.
const BytesPerToken = 4

const (
	// MinTokens is the smallest budget: below it there is no room to say what is
	// left out.
	MinTokens = 300
	// DefaultTokens is the budget of an agent that does not set one.
	DefaultTokens = 4000
)

// Answer is a result, or as much of it as fits the budget. Its JSON never exceeds
// the budget, provided that the column names fit.
type Answer struct {
	Columns     []string            `json:"columns" jsonschema:"names of the columns of rows, in order; columns in constant are not among them"`
	ColumnTypes []string            `json:"column_types"`
	Constant    map[string]any      `json:"constant,omitempty" jsonschema:"columns that have one value in every row of the whole result, with that value"`
	Rows        [][]json.RawMessage `json:"rows" jsonschema:"the first rows of the result, a value for each of columns"`
	RowsTotal   int64               `json:"rows_total" jsonschema:"rows of the whole result"`
	RowsShown   int64               `json:"rows_shown"`
	// Truncated says that something is missing: rows, cells, columns, or what the
	// source had cut.
	Truncated  bool              `json:"truncated" jsonschema:"true if anything is missing: rows, parts of cells, columns"`
	CellsCut   int64             `json:"cells_cut,omitempty" jsonschema:"cells of rows and constant that are cut; each is an object with start, its first characters, and chars, its length"`
	ColumnsCut *ColumnsCut       `json:"columns_cut,omitempty" jsonschema:"columns for which there was no room"`
	Elided     *Elided           `json:"elided,omitempty" jsonschema:"the rows that are not shown"`
	Rest       *Rest             `json:"rest,omitempty" jsonschema:"where the whole result is"`
	From       map[string]string `json:"from,omitempty" jsonschema:"where a query that fetches had its tables from: here, reuse (rows that are here), remainder (these, and the rest fetched), fetch, source (which ran the statement) or nothing"`
	Caveats    []api.Caveat      `json:"caveats" jsonschema:"what one must know to read the rows rightly, the most serious first"`
	Details    map[string]any    `json:"details,omitempty" jsonschema:"further facts about the call"`
}

// ColumnsCut says which columns are missing altogether.
type ColumnsCut struct {
	Total int `json:"total"`
	// Shown are those in columns and constant: the first ones.
	Shown int `json:"shown" jsonschema:"the first of them, which are in the answer"`
}

// Elided accounts for the rows that are not shown.
type Elided struct {
	Rows    int64     `json:"rows"`
	Columns []Figures `json:"columns" jsonschema:"figures over just these rows"`
	// Unaccounted is the number of columns whose figures did not fit.
	Unaccounted int `json:"unaccounted,omitempty" jsonschema:"columns for whose figures there was no room"`
}

// Figures are the aggregates of one column over the rows that are not shown.
// Figures that are not exact are absent.
type Figures struct {
	Column string          `json:"column"`
	Nulls  int64           `json:"nulls"`
	Min    json.RawMessage `json:"min,omitempty" jsonschema:"smallest value; texts by their bytes"`
	Max    json.RawMessage `json:"max,omitempty" jsonschema:"largest value; NaN is above all numbers"`
	// Sum is exact for integers and decimals; of floats it is the exact sum,
	// rounded once.
	Sum      json.RawMessage `json:"sum,omitempty" jsonschema:"sum, exact; of floats rounded once"`
	Distinct *int64          `json:"distinct,omitempty" jsonschema:"different values without NULL; absent if many"`
}

// Rest says how to get the whole result.
type Rest struct {
	Result  string `json:"result,omitempty" jsonschema:"the whole result as a table of queries, as in FROM @r1"`
	Rows    int64  `json:"rows,omitempty" jsonschema:"rows of that result"`
	SQL     string `json:"sql,omitempty" jsonschema:"statement for the next rows"`
	Command string `json:"command,omitempty" jsonschema:"command for the next rows"`
	File    string `json:"file,omitempty" jsonschema:"file with the whole result"`
}

// Options say how much to show.
type Options struct {
	// MaxTokens bounds the answer; 0 is DefaultTokens.
	MaxTokens int
	// Reserve is how many bytes of the budget the caller keeps for its own
	// additions: Rest, Caveats, Details, an envelope.
	Reserve int
	// MaxRows bounds the rows shown; 0 means as many as fit.
	MaxRows int64
	// Totals are of a document that has only the first items of a list: how many
	// there are, by the list's name.
	Totals map[string]int
}

// Check refuses a budget that is too small, as a CodeUsage error.
func (o Options) Check() error {
	if o.MaxTokens != 0 && o.MaxTokens < MinTokens {
		return tooSmall(o.MaxTokens)
	}
	return nil
}

func tooSmall(tokens int) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindMaxTokens, Message: "a budget of " + itoa(int64(tokens)) + " tokens is too small",
		Hint: "Give at least " + itoa(MinTokens) + "."}
}

// Tell adds caveats. A result that was cut is truncated.
func (a *Answer) Tell(caveats []api.Caveat) {
	a.Caveats = api.Arranged(append(a.Caveats, caveats...))
	for _, c := range a.Caveats {
		a.Truncated = a.Truncated || c.Kind == api.CaveatCut
	}
}
