package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

type queryIn struct {
	SQL string `json:"sql" jsonschema:"SELECT in DuckDB's SQL over snapshots, synced tables and kept results (FROM @r1); several with ; between"`
	tool.ParamsIn
	Fetch     bool `json:"fetch,omitempty" jsonschema:"the statements can name tables of the catalog: fetch what they need of them, within the budget, or let the source run them; from says which"`
	MaxTokens int  `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

func queryHere() tool.Tool {
	return answering(tool.Tool{
		Name: "query", Title: "Query snapshots", Needs: tool.NeedsStore, Engine: true, ReadOnly: true, Long: true,
		About: "Run SELECT over your snapshots, on this machine; it costs nothing at the source. Ask all that you can in one call: each statement has its own answer or error in results, and CREATE TEMP VIEW name AS SELECT names a step. Aggregate in SQL rather than reading rows. What does not fit the answer is summed up in elided and kept whole under the name in rest.",
	}, func(ctx context.Context, c *tool.Call, in queryIn) (*queryOut, error) {
		s, err := scriptOf(in.ParamsIn, in.SQL, in.MaxTokens, false, func(string) (string, error) { return "duckdb", nil })
		if err != nil {
			return nil, err
		}
		ask, done, err := here(ctx, c, s, in.Fetch)
		if err != nil {
			return nil, err
		}
		defer done()
		return answers(ctx, c, s, ask, in.MaxTokens)
	})
}

// answer reads rows to their end and answers with what fits. The whole result is
// kept if there is a writable store for it.
func answer(ctx context.Context, c *tool.Call, from api.Rows, about query.About, options fit.Options) (*fit.Answer, error) {
	rows := c.Tells(api.WithCaveats(api.Reporting(from, c.Progress.Rows), from.Caveats))
	if c.Work != nil && !c.ReadOnly {
		return query.Answer(ctx, c.Work, rows, about, options)
	}
	options.Reserve += query.Reserve(rows.Caveats())
	answer, err := fit.Read(ctx, rows, options)
	if err != nil {
		return nil, err
	}
	answer.Tell(rows.Caveats())
	return answer, nil
}
