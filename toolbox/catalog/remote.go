package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type queryRemoteIn struct {
	SQL string `json:"sql" jsonschema:"SELECT in the dialect of its tables; several with ; between"`
	tool.ParamsIn
	AllowCut  bool `json:"allow_cut,omitempty" jsonschema:"accept a result that a limit of the server has cut"`
	MaxTokens int  `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

func queryRemote() tool.Tool {
	return answering(tool.Tool{
		Name: "query_remote", Title: "Query at the source", Engine: true, ReadOnly: true, Open: true, Long: true,
		About: "Run SELECT at the source, for an aggregate over a table that is too large to fetch. For rows that you will look at more than once, fetch them and use query.",
	}, func(ctx context.Context, c *tool.Call, in queryRemoteIn) (*queryOut, error) {
		s, err := scriptOf(in.ParamsIn, in.SQL, in.MaxTokens, true, func(sql string) (string, error) {
			data, err := c.Data()
			if err != nil {
				return "", err
			}
			return fetch.FlavorOf(ctx, data, sql)
		})
		if err != nil {
			return nil, err
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		noStep := func(context.Context, int) error { return query.NoStep("at the source") }
		ask := func(ctx context.Context, sql string) (*asked, error) {
			return askSource(ctx, c, data, sql, in.AllowCut)
		}
		return answers(ctx, c, s, asker{ask, noStep}, in.MaxTokens)
	})
}

// askSource runs a statement at the source of its tables.
func askSource(ctx context.Context, c *tool.Call, data api.Data, sql string, allowCut bool) (*asked, error) {
	stream, err := data.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil && c.Work != nil {
		return nil, query.ExplainRemote(c.Work, err)
	}
	if err != nil {
		return nil, err
	}
	stream.RefuseCut(allowCut)
	near := values.Near{Work: c.Work, Data: data, Kept: c.Kept || c.ReadOnly, AtSource: true}
	a := &asked{rows: near.Watch(ctx, stream.Rows(), sql), about: query.About{SQL: sql, Server: "the source"}, close: stream.Close}
	if c.Work == nil { // on a server: people with whom the conversation is shared need rights to these tables
		a.from = map[string]string{}
		for _, id := range stream.Tables {
			a.from[id] = plan.FromSource
		}
	}
	return a, nil
}
