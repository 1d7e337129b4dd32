package toolbox

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
)

type queryRemoteIn struct {
	SQL string `json:"sql" jsonschema:"SELECT in the dialect of its tables; several with ; between"`
	paramsIn
	AllowCut  bool `json:"allow_cut,omitempty" jsonschema:"accept a result that a limit of the server has cut"`
	MaxTokens int  `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

func queryRemote() tool {
	return answering(tool{
		name: "query_remote", title: "Query at the source", engine: true, readOnly: true, open: true, long: true,
		about: "Run SELECT at the source, for an aggregate over a table that is too large to fetch. For rows that you will look at more than once, fetch them and use query.",
	}, func(ctx context.Context, c *call, in queryRemoteIn) (*queryOut, error) {
		s, err := in.script(in.SQL, in.MaxTokens, true, func(sql string) (string, error) {
			data, err := c.Data()
			if err != nil {
				return "", err
			}
			return analyst.FlavorOf(ctx, data, sql)
		})
		if err != nil {
			return nil, err
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		noStep := func(context.Context, int) error { return analyst.NoStep("at the source") }
		ask := func(ctx context.Context, sql string) (*asked, error) { return c.askSource(ctx, data, sql, in.AllowCut) }
		return c.answers(ctx, s, asker{ask, noStep}, in.MaxTokens)
	})
}

// askSource runs a statement at the source of its tables.
func (c *call) askSource(ctx context.Context, data api.Data, sql string, allowCut bool) (*asked, error) {
	stream, err := data.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil && c.Work != nil {
		return nil, c.Work.ExplainRemote(err)
	}
	if err != nil {
		return nil, err
	}
	stream.RefuseCut(allowCut)
	return &asked{stream.Rows(), analyst.About{SQL: sql, Server: "the source"}, stream.Close}, nil
}
