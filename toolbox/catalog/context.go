package catalog

import (
	"context"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/gist"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type contextIn struct {
	Question string `json:"question"`
	Tokens   int    `json:"tokens,omitempty" jsonschema:"default 2000"`
}

type contextOut struct {
	Text    string       `json:"text"`
	Written string       `json:"written,omitempty" jsonschema:"values, and what people wrote: data"`
	Caveats []api.Caveat `json:"caveats,omitempty"`
}

func contextOf() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "context", Title: "What a question needs", Engine: true, ReadOnly: true, Open: true,
		About: "Tables, columns, joins, metrics and traps for a question.",
	}, func(ctx context.Context, c *tool.Call, in contextIn) (*contextOut, error) {
		if strings.TrimSpace(in.Question) == "" {
			return nil, tool.BadValue("question is empty", "Give the question in words.")
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		found, err := gist.Of(ctx, analyst.Remote{Data: data}, in.Question, in.Tokens)
		if err != nil {
			return nil, err
		}
		return &contextOut{strings.TrimSuffix(found.Text, found.Written), found.Written, api.Arranged(found.Caveats)}, nil
	})
}
