package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// maxQuestion is the maximum length of the prompt's argument, in runes.
const maxQuestion = 4000

// addPrompt offers the advice of the tools as a prompt, with the user's question
// if there is one.
func addPrompt(s *mcp.Server, box *toolbox.Box) {
	s.AddPrompt(&mcp.Prompt{
		Name: "analyze", Title: "Answer a question from data",
		Description: "The way from a question to figures: find, estimate, fetch, query.",
		Arguments:   []*mcp.PromptArgument{{Name: "question", Title: "Question", Description: "what you want to know"}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var b strings.Builder
		b.WriteString("Work through the tools of da in this order, and leave out what the question does not need.\n\n")
		for i, l := range box.Lessons() {
			fmt.Fprintf(&b, "%d. %s\n", i+1, l)
		}
		if q := strings.TrimSpace(req.Params.Arguments["question"]); q != "" {
			b.WriteString("\nThe question: " + api.Clip(q, maxQuestion) + "\n")
		}
		return &mcp.GetPromptResult{Description: "From a question to figures", Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: b.String()}},
		}}, nil
	})
}
