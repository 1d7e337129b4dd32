// Package catalog has the commands that look at tables of the catalog: one file per
// command. They decide nothing about tables themselves.
package catalog

import (
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/gist"
	"github.com/agnes-data/da/analyst/joins"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
)

// Outputs says for each command for tables of the catalog what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da catalog":     {{Value: api.TableList{}}, {When: "with --search", Value: api.SearchResult{}}},
		"da schema":      {{When: "with --diff", Value: keep.SchemaDiff{}}, {When: "else", Value: api.TableSchema{}}},
		"da describe":    {{When: "where an agent runs da and no flag asks for JSON", Value: brief{}}, {When: "else", Value: description{}}},
		"da context":     {{Value: gist.Gist{}}},
		"da note":        {{Value: api.Note{}}},
		"da note list":   {{Value: noteList{}}},
		"da note remove": {{Value: app.ChangeResult{}}},
		"da joins":       {{Value: joins.Found{}}},
		"da values":      {{When: "with --estimate", Value: api.Estimate{}}, {When: "else", Value: values.Found{}}},
		"da where":       {{Value: fetch.CheckedWhere{}}},
	}
}
