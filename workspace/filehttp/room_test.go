package filehttp

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// TestUsersShareTheRoom holds that the contents of all users' files are decoded in one
// room, by whatever door they come: as many as fit into the memory for them, and one of
// these is left for others than the user of the rest.
func TestUsersShareTheRoom(t *testing.T) {
	for _, of := range []struct {
		memory int64
		most   int
	}{{0, maxDecoded}, {1, 1}, {2*decodeMemory + 1, 2}, {1 << 50, maxDecoded}} {
		dir := t.TempDir()
		s := New(Config{Memory: of.memory, Wait: time.Millisecond, Open: func(string) (*workspace.Workspace, error) {
			return workspace.Open(dir, workspace.Options{})
		}})
		ann, end, err := s.Use(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		bert, left := s.Space(api.Data{FileOwner: owner{name: "bert"}}, httptest.NewRequest("POST", "/mcp", strings.NewReader("")))
		theirs, err := bert()
		if err != nil {
			t.Fatal(err)
		}
		for range max(1, of.most-1) {
			if _, err := ann.Enter(t.Context()); err != nil {
				t.Errorf("%d bytes: %v", of.memory, err)
			}
		}
		draft, err := ann.Draft("d")
		if err != nil {
			t.Fatal(err)
		}
		full := func(w *workspace.Workspace) {
			t.Helper()
			_, err := w.Enter(t.Context())
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeUnavailable || e.Kind != "busy" || !e.Retryable() || e.Hint == "" || e.Details["retry_after_seconds"] == nil {
				t.Errorf("%d bytes, one more than %d: %v", of.memory, of.most, err)
			}
		}
		full(draft)
		if of.most > 1 {
			if _, err := theirs.Enter(t.Context()); err != nil {
				t.Errorf("%d bytes, another user: %v", of.memory, err)
			}
		}
		full(theirs)
		left()
		end()
	}
}
