package ask

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/approved"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// answerApproved answers a question that is an approved one in other words, or with other
// values of its parameters, from the statement of that, and reports whether it did. It
// does so if the client config says agent.reuse: approved. Anything that is not sure is
// for the model.
func answerApproved(ctx context.Context, a *app.App, o askOptions, format output.Format, question string) (bool, error) {
	cfg, err := a.ClientConfig()
	alone := !o.goOn && o.conversation == "" && len(o.files) == 0 && format != output.NDJSON
	if err != nil || cfg.Agent.Reuse != config.ReuseApproved || !alone {
		return false, err
	}
	remote, err := a.Connect()
	if err != nil {
		return false, ctx.Err() // the model is asked, whose tools say what is wrong
	}
	m, err := approved.Asked(ctx, remote.Knower, question)
	if err != nil || m == nil {
		return false, ctx.Err()
	}
	now, text := &m.Question, "no model is asked: this is "+m.String()
	if format == output.JSON {
		return true, printApproved(ctx, a, now, m.Values, text)
	}
	a.Note(text)
	return true, query.AnswerSaved(ctx, a, now, m.Values)
}

// maxApproved is how many rows of an approved question are in an answer of JSON.
const maxApproved = 1000

// printApproved prints the answer of an approved question as one of a model is printed,
// with the rows as a table.
func printApproved(ctx context.Context, a *app.App, q *api.SavedQuestion, values map[string]json.RawMessage, text string) error {
	f := agent.DataFrame{Name: q.Name, Rows: [][]json.RawMessage{}}
	err := query.SavedRows(ctx, a, q, values, func(sql string, rows api.Rows) error {
		f.SQL = sql
		for _, field := range rows.Schema().Fields() {
			f.Columns, f.Types = append(f.Columns, field.Name), append(f.Types, arrowjson.TypeName(field))
		}
		for rows.Next() {
			batch := rows.RecordBatch()
			columns := arrowjson.BindBatch(batch)
			for i := 0; i < int(batch.NumRows()) && len(f.Rows) < maxApproved; i++ {
				row := make([]json.RawMessage, len(columns))
				for at, c := range columns {
					row[at] = c.AppendJSON(nil, i)
				}
				f.Rows = append(f.Rows, row)
			}
			f.Total += batch.NumRows()
		}
		f.Caveats = rows.Caveats()
		return rows.Err()
	})
	if err != nil {
		return err
	}
	if left := f.Total - int64(len(f.Rows)); left > 0 {
		f.Caveats = append(f.Caveats, api.Caveat{Kind: api.CaveatCut, Reason: "limit", Count: &api.Count{N: left, Of: "rows"},
			Text: fmt.Sprintf("only the first %d rows are here; 'da saved run %s' has all", maxApproved, q.Name)})
	}
	f.Caveats = api.Arranged(f.Caveats)
	if len(f.Rows) == 1 && len(f.Columns) == 1 {
		text += ": " + f.Columns[0] + " = " + string(f.Rows[0][0])
	}
	return a.PrintJSON(Answer{Answer: agent.Answer{Text: text, Reason: agent.ReasonEnd}, DataFrames: []agent.DataFrame{f}})
}
