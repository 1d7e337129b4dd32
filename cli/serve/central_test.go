package serve

import (
	"context"
	"errors"
	"testing"

	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/state"
)

// stuck is a place of blobs that cannot be removed.
type stuck struct{ blob.Store }

func (s stuck) In(string) blob.Store { return s }

func (stuck) Clear(context.Context) error { return errors.New("the line is down") }

// TestAConversationIsKnownUntilItsBlobsAreGone holds when these cannot be removed.
func TestAConversationIsKnownUntilItsBlobsAreGone(t *testing.T) {
	users, err := state.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer users.Close()
	blobs := blob.InFolder(t.TempDir())
	c := &central{state: users, blobs: stuck{blobs}}
	if _, err := c.conversations("ann").Hold("c", "h", true); err != nil {
		t.Fatal(err)
	}
	sizes := func() int {
		t.Helper()
		sizes, err := c.conversations("ann").Sizes()
		if err != nil {
			t.Fatal(err)
		}
		return len(sizes)
	}
	if err := c.conversations("ann").Delete("c"); err == nil || sizes() != 1 {
		t.Errorf("%v, %d conversations", err, sizes())
	}
	c.blobs = blobs
	if err := c.conversations("ann").Delete("c"); err != nil || sizes() != 0 {
		t.Errorf("%v, %d conversations", err, sizes())
	}
}
