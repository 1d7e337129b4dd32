package filehttp

import (
	"context"
	"net/http"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// openWorkspaces are the workspaces that requests use now, by their owners.
type openWorkspaces struct {
	mu   sync.Mutex
	open map[string]*openWorkspace
	make func(owner string) (*workspace.Workspace, error)
}

// openWorkspace is an owner's workspace while requests use it.
type openWorkspace struct {
	once  sync.Once
	files *workspace.Workspace
	err   error
	users int // requests that use it

	uploads, streams int
}

// enter returns an owner's workspace, as it is on all servers now, and a function that ends
// its use.
func (s *openWorkspaces) enter(ctx context.Context, owner string) (*openWorkspace, func(), error) {
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]*openWorkspace{}
	}
	sp := s.open[owner]
	if sp == nil {
		sp = &openWorkspace{}
		s.open[owner] = sp
	}
	sp.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		sp.users--
		last := sp.users == 0
		if last {
			delete(s.open, owner)
		}
		s.mu.Unlock()
		if last && sp.files != nil {
			_ = sp.files.Close() // each change was committed
		}
	}
	sp.once.Do(func() { sp.files, sp.err = s.make(owner) })
	err := sp.err
	if err == nil {
		err = sp.files.Sync(ctx)
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return sp, leave, nil
}

// Space opens the caller's workspace for other handlers, with the conversation
// and the draft that the request names. The first call of open opens it; the
// caller calls end when the request is done.
func (s *Server) Space(data api.Data, r *http.Request) (open func() (*workspace.Workspace, error), end func()) {
	v := &visit{Request: r}
	open = sync.OnceValues(func() (*workspace.Workspace, error) {
		space, leave, err := s.spaces.enter(r.Context(), data.Owner())
		if err != nil {
			return nil, err
		}
		v.files = space.files
		v.atEnd(leave)
		err = v.draft()
		return v.files, err
	})
	return open, v.end
}

// Keeps reports whether the server stores files at all.
func (s *Server) Keeps(data api.Data) bool { return s.Open != nil && data.FileOwner != nil }

// Off returns the error of a server that does not store files.
func Off() error {
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindFilesOff, Message: "this server keeps no files",
		Hint: "Its operator can allow it by the section 'files' of the instance file."}
}

// take counts one more concurrent use of something limited per user, and returns
// a function that ends it.
func (s *openWorkspaces) take(count *int, most int, kind, what string) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *count >= most {
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: kind, Message: "you have as many " + what + " open as you may have",
			Hint: "Try again when one of them has ended.", Details: map[string]any{"most": most, "retry_after_seconds": 5}}
	}
	*count++
	return func() {
		s.mu.Lock()
		*count--
		s.mu.Unlock()
	}, nil
}
