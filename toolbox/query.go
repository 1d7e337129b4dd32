package toolbox

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/fit"
)

type queryIn struct {
	SQL string `json:"sql" jsonschema:"SELECT in DuckDB's SQL over snapshots, synced tables and kept results (FROM @r1); several with ; between"`
	paramsIn
	Fetch     bool `json:"fetch,omitempty" jsonschema:"the statements can name tables of the catalog: fetch what they need of them, within the budget"`
	MaxTokens int  `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

func query() tool {
	return answering(tool{
		name: "query", title: "Query snapshots", needs: needsStore, engine: true, readOnly: true, long: true,
		about: "Run SELECT over your snapshots, on this machine; it costs nothing at the source. Ask all that you can in one call: each statement has its own answer or error in results, and CREATE TEMP VIEW name AS SELECT names a step. Aggregate in SQL rather than reading rows. What does not fit the answer is summed up in elided and kept whole under the name in rest.",
	}, func(ctx context.Context, c *call, in queryIn) (*queryOut, error) {
		s, err := in.script(in.SQL, in.MaxTokens, false, func(string) (string, error) { return "duckdb", nil })
		if err != nil {
			return nil, err
		}
		ask, done, err := c.here(ctx, s, in.Fetch)
		if err != nil {
			return nil, err
		}
		defer done()
		return c.answers(ctx, s, ask, in.MaxTokens)
	})
}

// queryFetch runs a statement that can name tables of the catalog.
func (c *call) queryFetch(ctx context.Context, sql string, o analyst.QueryOptions) (*analyst.QueryResult, error) {
	o.MaxBytes, o.Kept, o.OnProgress = c.FetchMaxBytes, c.Kept, c.progress.rows
	return c.Work.QueryFetch(ctx, sql, o)
}

// envelopeBytes is the size of the marks around an answer.
const envelopeBytes = 300

// answer reads rows to their end and answers with what fits. The whole result is
// kept if there is a writable store for it.
func (c *call) answer(ctx context.Context, from api.Rows, about analyst.About, options fit.Options) (*fit.Answer, error) {
	rows := c.tells(api.WithCaveats(api.Reporting(from, c.progress.rows), from.Caveats))
	if c.Work != nil && !c.ReadOnly {
		return c.Work.Answer(ctx, rows, about, options)
	}
	options.Reserve += analyst.Reserve(rows.Caveats())
	answer, err := fit.Read(ctx, rows, options)
	if err != nil {
		return nil, err
	}
	answer.Tell(rows.Caveats())
	return answer, nil
}

// tells returns the rows with caveats whose steps are worded as calls of tools.
func (c *call) tells(rows api.Rows) api.Rows {
	return api.WithCaveats(rows, func() []api.Caveat { return c.worded(rows.Caveats()) })
}
