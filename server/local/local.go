// Package local is the server of one user's own page: whoever opens its link,
// once and within a minute, is that user. It has no tokens and no other users;
// rights and limits are the core's, as everywhere.
package local

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/state"
)

const (
	// linkLife is how long a link is valid.
	linkLife = time.Minute
	// signInLife limits a sign-in; the page ends with its process anyway.
	signInLife = 24 * time.Hour
)

// Server is a core whose browsers all belong to one user.
type Server struct {
	*core.Core
	who core.Principal
	now func() time.Time

	mu      sync.Mutex
	code    string // of the link; empty once it has been opened
	codeEnd time.Time
	signIns map[string]*signIn // by cookie
}

type signIn struct {
	api.SignIn
	key string
}

// New serves c to who.
func New(c *core.Core, who core.Principal) *Server {
	return &Server{Core: c, who: who, now: time.Now, signIns: map[string]*signIn{}}
}

// Code creates the code of a new link, and invalidates earlier ones.
func (s *Server) Code() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.code, s.codeEnd = rand.Text(), s.now().Add(linkLife)
	return s.code
}

// Authenticate rejects every token: a server for one user has none.
func (s *Server) Authenticate(context.Context, string) (core.Principal, error) {
	return core.Principal{}, &api.Error{Code: api.CodeUnauthorized, Kind: api.KindTokenUnknown,
		Message: "this server serves its own page alone, and takes no tokens"}
}

// Entry says that browsers sign in with the code of a link.
func (s *Server) Entry() string { return "link" }

// SignIn creates a sign-in for the bearer of a link's code, and invalidates the
// code.
func (s *Server) SignIn(_ context.Context, _ core.Origin, code, browser string) (*api.CreatedSignIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now().UTC()
	if s.code == "" || !now.Before(s.codeEnd) || subtle.ConstantTimeCompare([]byte(code), []byte(s.code)) != 1 {
		return nil, &api.Error{Code: api.CodeUnauthorized, Kind: api.KindLinkUsed, Message: "this link has been opened before, or is too old",
			Hint: "A link works once, for a minute. Start the page again for a new one."}
	}
	s.code = ""
	made := &api.CreatedSignIn{
		SignIn: api.SignIn{ID: rand.Text(), User: s.who.User, Browser: browser, CreatedAt: now, ExpiresAt: now.Add(signInLife), LastUsedAt: now},
		Key:    rand.Text(), Cookie: rand.Text(),
	}
	s.signIns[made.Cookie] = &signIn{SignIn: made.SignIn, key: made.Key}
	return made, nil
}

// SignedIn returns the user if the browser has signed in.
func (s *Server) SignedIn(_ context.Context, cookie, key string) (core.Principal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.signIns[cookie]
	if v == nil || subtle.ConstantTimeCompare([]byte(key), []byte(v.key)) != 1 || !s.now().Before(v.ExpiresAt) {
		return core.Principal{}, state.SignInEnded()
	}
	v.LastUsedAt = s.now().UTC()
	who := s.who
	who.SignIn = v.ID
	return who, nil
}

// SignIns returns the user's sign-ins.
func (s *Server) SignIns(who core.Principal) api.SignInKeeper { return keeper{s, who.SignIn} }

type keeper struct {
	server  *Server
	current string
}

// SignIns implements api.SignInKeeper.
func (k keeper) SignIns(context.Context, bool) ([]api.SignIn, error) {
	k.server.mu.Lock()
	defer k.server.mu.Unlock()
	list := []api.SignIn{}
	for _, v := range k.server.signIns {
		listed := v.SignIn
		listed.Current = v.ID == k.current
		list = append(list, listed)
	}
	return list, nil
}

// EndSignIn implements api.SignInKeeper.
func (k keeper) EndSignIn(_ context.Context, id string) error {
	k.server.mu.Lock()
	defer k.server.mu.Unlock()
	for cookie, v := range k.server.signIns {
		if v.ID == id {
			delete(k.server.signIns, cookie)
		}
	}
	return nil
}
