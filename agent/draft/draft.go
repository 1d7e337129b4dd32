// Package draft connects a conversation with the workspace of its user. The
// model's changes are stored in a draft of the workspace, which a person applies.
// A folder shows the files of that draft to tools that read paths.
package draft

import (
	"context"
	"errors"
	"slices"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// Name is that of a conversation's draft.
func Name(conversation string) string { return "ask_" + conversation }

// View returns the workspace as a conversation sees and changes it.
func View(w *workspace.Workspace, conversation string) (*workspace.Workspace, error) {
	return w.By(conversation).Draft(Name(conversation))
}

// Policy says when the model's changes are applied to the workspace.
type Policy struct {
	// Apply applies all changes, because a person has asked for that.
	Apply bool
	// Pattern is a glob: changes are also applied if all changed files match it;
	// empty: no file matches.
	Pattern string
}

// Settle reports what a draft changes, and applies it if the policy says so and
// the model is done. It returns nil if nothing has changed. If the draft cannot
// be applied, the answer says why.
func Settle(ctx context.Context, view *workspace.Workspace, conversation string, p Policy, done bool) (*agent.Draft, error) {
	changes, err := Changes(ctx, view)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	looked, err := content.Changes(ctx, view)
	if err != nil {
		return nil, err
	}
	out := &agent.Draft{Name: Name(conversation), Changes: toldOf(changes), CaveatList: api.CaveatList{Caveats: content.Caveats(looked)}}
	apply, err := p.applies(changes)
	if err != nil || !apply || !done {
		return out, err
	}
	if _, err := view.Apply(ctx); err != nil {
		var e *api.Error
		if !errors.As(err, &e) {
			return out, err
		}
		out.Problem = e.Message
		return out, nil
	}
	out.Applied = true
	return out, nil
}

// Changes lists the changes of the draft; none if there is no draft.
func Changes(ctx context.Context, view *workspace.Workspace) ([]workspace.DraftChange, error) {
	changes, err := view.Changes(ctx)
	if api.CodeUnknownFile.Is(err) {
		return nil, nil
	}
	return changes, err
}

// Discard discards the draft's changes, if there is a draft.
func Discard(ctx context.Context, view *workspace.Workspace) ([]workspace.DraftChange, error) {
	changes, err := view.Discard(ctx)
	if api.CodeUnknownFile.Is(err) {
		return nil, nil
	}
	return changes, err
}

func toldOf(changes []workspace.DraftChange) []agent.FileChange {
	var out []agent.FileChange
	for _, c := range changes {
		out = append(out, agent.FileChange{Action: string(c.Action), File: c.File.Name, Bytes: c.File.Size, Conflict: c.Conflict})
	}
	return out
}

// applies reports whether the policy lets these changes be made.
func (p Policy) applies(changes []workspace.DraftChange) (bool, error) {
	if p.Apply || p.Pattern == "" {
		return p.Apply, nil
	}
	matches, err := workspace.Matcher(p.Pattern)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(changes, func(c workspace.DraftChange) bool {
		return !matches(c.File.Name) || c.Before != nil && !matches(c.Before.Name)
	}), nil
}
