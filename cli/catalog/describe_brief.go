package catalog

import (
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/fields"
	"github.com/agnes-data/da/predicate"
)

// modelRows is how many rows a model is shown of a table unless it asks for more.
const modelRows = 2

// brief is what da describe prints for a model: as much as a statement needs.
type brief struct {
	TableID     string       `json:"table_id"`
	SQLFlavor   string       `json:"sql_flavor"`
	Description string       `json:"description,omitempty"`
	RowCount    *int64       `json:"row_count,omitempty"`
	AsOf        *time.Time   `json:"as_of,omitempty"`
	PartitionBy []string     `json:"partition_by,omitempty"`
	ClusteredBy []string     `json:"clustered_by,omitempty"`
	Columns     []string     `json:"columns"`                  // name, type and description
	Pseudo      []string     `json:"pseudo_columns,omitempty"` // can be used in predicates and orders, but not selected
	Sample      string       `json:"sample"`                   // rows as CSV, in the order of columns; nothing between commas is NULL
	Examples    []string     `json:"where_examples,omitempty"` // each holds for the first row
	Notes       []string     `json:"notes,omitempty"`          // what people wrote of it
	RowRule     bool         `json:"row_rule,omitempty"`
	Caveats     []api.Caveat `json:"caveats,omitempty"`
}

// longestCell is the length at which cells of the sample are cut.
const longestCell = 60

func briefOf(d description) brief {
	s := d.Schema
	b := brief{TableID: s.TableID, SQLFlavor: s.SQLFlavor, Description: s.Description, RowCount: s.RowCount, AsOf: s.AsOf,
		PartitionBy: s.PartitionBy,
		ClusteredBy: s.ClusteredBy, Columns: columnTexts(s.Columns), Pseudo: columnTexts(s.PseudoColumns), RowRule: s.RowRule ||
			d.Sample.RowRule, Caveats: d.Sample.Caveats}
	for _, n := range s.Notes {
		b.Notes = append(b.Notes, n.About()+": "+n.Text)
	}
	if len(d.Sample.Rows) > 0 {
		b.Examples = predicate.Examples(s, d.Sample.Columns, d.Sample.Rows[0].Values)
	}
	var text strings.Builder
	for _, row := range d.Sample.Rows {
		for i, v := range row.Values {
			if i > 0 {
				text.WriteByte(',')
			}
			if v != nil {
				text.Write(fields.AppendCSV(nil, []byte(api.Clip(fmt.Sprint(v), longestCell)), false))
			}
		}
		text.WriteByte('\n')
	}
	b.Sample = text.String()
	return b
}

func columnTexts(columns []api.Column) (texts []string) {
	for _, c := range columns {
		text := c.Name + " " + c.Type
		if c.Collation != "" {
			text += " COLLATE " + c.Collation
		}
		if about := aboutColumn(c); about != "" {
			text += ": " + about
		}
		texts = append(texts, text)
	}
	return texts
}
