package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/toolbox/tool"
)

// Bounds of a search for a value.
const (
	mostValue      = 1000   // bytes of the value
	mostValueCells = 40_000 // two for each column
)

type findValueColumnsIn struct {
	datasetIn
	Value string `json:"value" jsonschema:"as text; numbers are compared as numbers"`
}

// foundColumn is a column in which a value occurs.
type foundColumn struct {
	typedColumn
	Equal      int64 `json:"rows_equal" jsonschema:"rows with exactly this value"`
	Containing int64 `json:"rows_containing" jsonschema:"rows of a text column that contain it, case aside"`
}

type findValueColumnsOut struct {
	Name         string        `json:"name"`
	Rows         int64         `json:"row_count"`
	Columns      []foundColumn `json:"columns" jsonschema:"only those in which it occurs"`
	ColumnsTotal int           `json:"columns_total"`
	Truncated    bool          `json:"truncated" jsonschema:"columns are missing for lack of room"`
	Caveats      []api.Caveat  `json:"caveats"`
}

func findValueColumns() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "find_value_columns", Title: "Find the columns with a value", Set: tool.SetFine, Needs: tool.NeedsFiles, Engine: true,
		ReadOnly: true, Long: true,
		About: "In which columns of a data set a value occurs, and in how many rows. All rows are read.",
	}, func(ctx context.Context, c *tool.Call, in findValueColumnsIn) (*findValueColumnsOut, error) {
		budget, err := tool.BudgetOf(in.MaxTokens)
		if err != nil {
			return nil, err
		}
		if in.Value == "" || len(in.Value) > mostValue || strings.ContainsRune(in.Value, 0) {
			return nil, tool.BadValue(fmt.Sprintf("the value must be a text of 1 to %d bytes", mostValue),
				"Search for NULL and empty texts with a query.")
		}
		d, err := openDataset(ctx, c, in.Name, in.Sheet)
		if err != nil {
			return nil, err
		}
		defer d.close()
		found, err := d.find(ctx, in.Value)
		if err != nil {
			return nil, err
		}
		return tool.MostOf(len(found), budget-tool.EnvelopeBytes, func(k int) *findValueColumnsOut {
			return &findValueColumnsOut{Name: in.Name, Rows: d.rows, Columns: found[:k], ColumnsTotal: len(found), Truncated: k < len(found),
				Caveats: d.caveats}
		})
	})
}

// find counts the rows with a value in each column, and returns the columns that
// have any.
func (d *dataset) find(ctx context.Context, value string) ([]foundColumn, error) {
	found := []foundColumn{}
	if 2*len(d.columns) > mostValueCells {
		return nil, tool.BadValue(fmt.Sprintf("the data set has more than %d columns", mostValueCells/2),
			"Search some of its columns with a query.")
	}
	if len(d.columns) == 0 {
		return found, nil
	}
	var counts []string
	for _, col := range d.columns {
		equal, containing := col.matches(value)
		counts = append(counts, "count(*) FILTER (WHERE "+equal+")", "count(*) FILTER (WHERE "+containing+")")
	}
	r, err := d.query(ctx, "SELECT "+strings.Join(counts, ", ")+" FROM "+d.from)
	if err != nil {
		return nil, err
	}
	for i, col := range d.columns {
		f := foundColumn{typedColumn: col}
		for at, n := range []*int64{&f.Equal, &f.Containing} {
			if err := json.Unmarshal(r.Rows[0][2*i+at], n); err != nil {
				return nil, fmt.Errorf("count rows of a data set: %w", err)
			}
		}
		if f.Equal+f.Containing > 0 {
			found = append(found, f)
		}
	}
	return found, nil
}

// matches returns the conditions for rows whose value is equal, and for those
// whose text contains it.
func (t typedColumn) matches(value string) (equal, containing string) {
	column, literal := duckdb.Quote(t.Name), duckdb.Literal(value)
	text := "CAST(" + column + " AS VARCHAR)"
	equal, containing = text+" = "+literal, "false"
	kind, _, _ := strings.Cut(strings.ToLower(t.Type), "(")
	switch {
	case strings.HasSuffix(t.Type, "]"): // a list, whatever it is of
	case kind == "varchar" || kind == "string":
		containing = "contains(lower(" + text + "), lower(" + literal + "))"
	case slices.Contains(numberTypes, kind):
		equal += fmt.Sprintf(" OR TRY_CAST(%s AS DECIMAL(38,10)) = TRY_CAST(%s AS DECIMAL(38,10))", column, literal)
	}
	return equal, containing
}

// numberTypes are types of numbers as snapshots and files name them.
var numberTypes = []string{"integer", "decimal", "float", "double", "real", "tinyint", "smallint", "bigint", "hugeint", "utinyint",
	"usmallint", "uinteger", "ubigint", "uhugeint"}
