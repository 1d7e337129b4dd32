package workspace

import (
	"context"
	"encoding/json"
	"time"
)

// Apart lets other processes work on the contents of files: whatever a crafted file
// makes them take or do, it ends with them.
type Apart struct {
	// Time is how long one request may take.
	Time time.Duration
	// Run passes a request on to a process that opens the workspace At, and returns
	// its answer.
	Run func(ctx context.Context, at At, request json.RawMessage) (json.RawMessage, error)
}

// At says how another process opens a view of a workspace.
type At struct {
	Dir      string  `json:"dir"`
	MaxFile  int64   `json:"max_file"`
	MaxTotal int64   `json:"max_total"`
	Draft    string  `json:"draft,omitempty"`
	Session  *string `json:"session,omitempty"`
	Shared   bool    `json:"shared,omitempty"` // see Offline
}

// Open opens the view. The caller closes it.
func (at At) Open(now func() time.Time) (*Workspace, error) {
	w, err := Open(at.Dir, Options{MaxFile: at.MaxFile, MaxTotal: at.MaxTotal, Now: now})
	if err != nil {
		return nil, err
	}
	w.draft, w.session = at.Draft, at.Session
	if at.Shared {
		w.offline = &Offline{}
	}
	return w, nil
}

// With returns the same workspace, whose contents other processes work on.
func (w *Workspace) With(a *Apart) *Workspace {
	view := *w
	view.apart = a
	return &view
}

// IsApart reports whether other processes work on the contents.
func (w *Workspace) IsApart() bool { return w.apart != nil }

// Elsewhere has another process answer a request, when there is room for it. Only a
// workspace that IsApart can.
func (w *Workspace) Elsewhere(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	leave, err := w.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, w.apart.Time)
	defer cancel()
	return w.elsewhere(ctx, request)
}
