package agenthttp

import (
	"context"
	"strconv"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/workspace"
)

// FileInputs describes the files of a conversation's workspace that the arguments of a tool
// name.
func FileInputs(ctx context.Context, view *workspace.Workspace, arguments string) (inputs []conversation.Input) {
	for _, name := range agent.NamedFiles([]byte(arguments)) {
		if f, err := view.Info(ctx, name); err == nil && f.Name == name {
			inputs = append(inputs, conversation.Input{File: f.Name, ContentHash: f.SHA256, Version: strconv.FormatInt(f.Version, 10),
				AsOf: f.ModifiedOn})
		}
	}
	return inputs
}
