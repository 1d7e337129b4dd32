package agenthttp

import (
	"context"
	"fmt"
	"strconv"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/api"
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

// attach describes files of a workspace, by ids or names, that come with a message.
func attach(ctx context.Context, w *workspace.Workspace, refs []string) (files []conversation.File, err error) {
	if len(refs) > conversation.MaxFiles {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Message: fmt.Sprintf("a message has %d files, of at most %d",
			len(refs), conversation.MaxFiles), Hint: "Name the others in the message: the model finds all of your files."}
	}
	for _, ref := range refs {
		f, err := w.Info(ctx, ref)
		if err != nil {
			return nil, err
		}
		files = append(files, conversation.File{ID: f.ID, Name: f.Name, Version: f.Version, SHA256: f.SHA256, Bytes: f.Size})
	}
	return files, nil
}
