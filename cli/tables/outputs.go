// Package tables has the commands below 'da table': one file per command. They read
// local files by package table, and decide nothing about formats themselves.
package tables

import (
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/table"
)

// Outputs says for each command below da table what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da table map": {{Value: table.Map{}}},
		"da table describe": {{When: "where an agent runs da and no flag asks for JSON", Value: brief{}},
			{When: "else", Value: table.Description{}}},
		"da table stats": {{Value: table.Stats{}}},
		"da table rows": {{When: "with --max-tokens, or without --json where an agent runs da", Value: fittedRows{}},
			{When: "else", Value: table.Rows{}}},
		"da table query": {{When: "with --max-tokens, or without --json where an agent runs da", Value: fittedResult{}},
			{When: "else", Value: table.Result{}}},
		"da table export": {{Value: table.Export{}}},
	}
}
