package toolbox

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/fit"
)

type queryRemoteIn struct {
	SQL       string `json:"sql" jsonschema:"one SELECT in the dialect of its tables"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

func queryRemote() tool {
	return typed(tool{
		name: "query_remote", title: "Query at the source", engine: true, readOnly: true, open: true, long: true,
		about: "Run one SELECT at the source, for an aggregate over a table that is too large to fetch. For rows that you will look at more than once, fetch them and use query.",
	}, func(ctx context.Context, c *call, in queryRemoteIn) (*fit.Answer, error) {
		if err := (fit.Options{MaxTokens: in.MaxTokens}).Check(); err != nil {
			return nil, err
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		stream, err := data.Query(ctx, api.QueryRequest{SQL: in.SQL})
		if err != nil && c.Work != nil {
			return nil, c.Work.ExplainRemote(err)
		}
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		cut := func() string {
			if end := stream.End(); end.Truncated {
				return end.Cap
			}
			return ""
		}
		return c.answer(ctx, stream.Batches, analyst.About{SQL: in.SQL, Server: "the source", Warnings: stream.Warnings(), CutAtSource: cut}, in.MaxTokens)
	})
}
