// Package query has the commands that fetch and query, and shows or writes their
// rows for others. It does not know how a scan or a query works.
package query

import (
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/toolbox/fit"
)

// Outputs says for each command that fetches or queries what it prints with --json.
func Outputs() output.Printed {
	return output.Printed{
		"da fetch": {{Value: fetched{}}, {When: "with --estimate", Value: estimated{}}},
		"da query": {{When: "with --max-tokens, or without --json where an agent runs da", Value: fit.Answer{}},
			{When: "with --out", Value: WrittenFile{}},
			{When: "of several statements", Value: []statementRows{}},
			{When: "of several statements, as an answer that fits", Value: batchAnswer{}},
			{When: "of several statements, with --out 'r{n}.csv'", Value: []WrittenFile{}}, {When: "else", Value: []api.Row{}}},
		"da metric list": {{Value: listedMetrics{}}},
		"da metric show": {{Value: shownMetric{}}},
		"da metric query": {{When: "with --sql", Value: metric.Compiled{}}, {When: "with --estimate", Value: plan.Plan{}},
			{When: "with --max-tokens, or without --json where an agent runs da", Value: fit.Answer{}},
			{When: "with --out", Value: WrittenFile{}}, {When: "else", Value: []api.Row{}}},
		"da saved add":     {{Value: api.SavedQuestion{}}},
		"da saved list":    {{Value: savedList{}}},
		"da saved remove":  {{Value: app.ChangeResult{}}},
		"da saved show":    {{Value: api.SavedQuestion{}}},
		"da saved approve": {{Value: api.SavedQuestion{}}},
		"da saved run": {{When: "with --max-tokens, or without --json where an agent runs da", Value: fit.Answer{}},
			{When: "with --out", Value: WrittenFile{}}, {When: "else", Value: []api.Row{}}},
		"da plan":         {{Value: plan.Plan{}}},
		"da check":        {{Value: query.Checked{}}},
		"da check learn":  {{Value: learned{}}},
		"da report":       {{Value: reported{}}},
		"da report check": {{Value: figures.Checked{}}},
		"da why":          {{Value: explained{}}},
		"da result list":  {{Value: resultList{}}},
		"da result drop":  {{Value: resultsDropped{}}},
	}
}
