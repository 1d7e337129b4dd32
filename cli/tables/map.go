package tables

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table"
)

func newTableMapCmd(a *app.App, o *TableOptions) *cobra.Command {
	var r table.MapRequest
	cmd := &cobra.Command{
		Use:     "map <file>",
		Short:   "Show the format of a file, its columns, types and rows",
		Example: "  da table map sales.csv\n  da table map costs.xlsx --sheet Costs --json",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.ChunkRows < 1 {
				return usage.Error("--chunk-rows must be at least 1")
			}
			return runTableMap(cmd.Context(), a, o, args[0], r)
		},
	}
	timeoutFlag(cmd, &r.Timeout, table.ReadTimeout, takeMost)
	cmd.Flags().Int64Var(&r.ChunkRows, "chunk-rows", table.DefaultChunkRows, "`rows` per chunk in the JSON answer")
	return cmd
}

func runTableMap(ctx context.Context, a *app.App, o *TableOptions, path string, r table.MapRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	r.Source = src
	m, err := ts.Map(ctx, r)
	if err != nil {
		return err
	}
	if a.OutputFormat() == output.Table {
		for _, line := range mapFacts(m) {
			if _, err := fmt.Fprintln(a.IO.Out, line); err != nil {
				return err
			}
		}
		a.BlankLine()
	}
	list := output.List{Columns: []string{"column", "type", "read as"}}
	for _, c := range m.Columns {
		list.Rows = append(list.Rows, []any{c.Name, typeText(c), readAs(c)})
	}
	if err := showTable(a, m, list, m.Columns, m.Caveats); err != nil {
		return err
	}
	for _, p := range m.Problems {
		a.Note(problemText(p.Line, p.Column, p.Reason, p.Text))
	}
	return nil
}

// mapFacts says for people what the JSON has in fields.
func mapFacts(m *table.Map) []string {
	facts := []string{humanize.Plural(m.RowCount, "row", "rows") + ", " + humanize.Plural(int64(m.ColumnCount), "column", "columns")}
	kind := m.Format
	if m.Delimiter != nil {
		kind += fmt.Sprintf(", delimiter %q", *m.Delimiter)
	}
	if m.EncodingDetected != nil {
		kind += ", " + *m.EncodingDetected
		if *m.EncodingConfidence < 1 {
			kind += fmt.Sprintf(" (confidence %.2f)", *m.EncodingConfidence)
		}
	}
	sheet := "sheet"
	if m.Format == "sqlite" || m.Format == "duckdb" {
		sheet = "table"
	}
	if m.Sheet != nil {
		kind += fmt.Sprintf(", %s %q", sheet, *m.Sheet)
	}
	if !m.HasHeader {
		kind += ", no header"
	}
	if m.Compression != nil {
		kind += ", " + *m.Compression
	}
	facts = append(facts, kind)
	if len(m.Sheets) > 1 {
		names := make([]string, len(m.Sheets))
		for i, name := range m.Sheets {
			names[i] = strconv.Quote(name)
			if slices.Contains(m.HiddenSheets, name) {
				names[i] += " (hidden)"
			}
		}
		facts = append(facts, fmt.Sprintf("%d %ss: %s", len(names), sheet, strings.Join(names, ", ")))
	}
	return facts
}

func typeText(c table.Column) string {
	if c.InferredType == "decimal" {
		return fmt.Sprintf("decimal(%d,%d)", c.Precision, c.Scale)
	}
	return c.InferredType
}

func readAs(c table.Column) string {
	var parts []string
	for _, p := range []string{c.NumberFormat, c.Currency, c.DateOrder} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(c.NullWords) > 0 {
		parts = append(parts, "null: "+strings.Join(c.NullWords, " "))
	}
	if c.Ambiguous != "" {
		parts = append(parts, "ambiguous")
	}
	return strings.Join(parts, ", ")
}

func problemText(line int64, column, reason, text string) string {
	s := fmt.Sprintf("line %d", line)
	if column != "" {
		s += fmt.Sprintf(", column %q", column)
	}
	s += ": " + reason
	if text != "" {
		s += fmt.Sprintf(" (%q)", text)
	}
	return s
}
