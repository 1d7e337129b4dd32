package serve

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// late is a place of blobs to which an answer that still runs adds one while it is cleared.
type late struct{ blob.Store }

func (l late) In(path string) blob.Store { return late{l.Store.In(path)} }

func (l late) Clear(ctx context.Context) error {
	err := l.Store.Clear(ctx)
	if once.CompareAndSwap(false, true) {
		err = errors.Join(err, l.Put(ctx, shownName("chart.png"), strings.NewReader("x"), 1))
	}
	return err
}

var once atomic.Bool

// TestADeletedConversationLeavesNoBlob: nor does one whose answer still ran.
func TestADeletedConversationLeavesNoBlob(t *testing.T) {
	users, err := state.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer users.Close()
	talks := (&central{state: users, blobs: late{blob.InFolder(t.TempDir())}}).conversations("ann")
	if _, err := talks.Hold("c", "h", true); err != nil {
		t.Fatal(err)
	}
	if err := talks.Delete("c"); err != nil {
		t.Fatal(err)
	}
	if _, err := talks.Shown("c", "chart.png"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what it has shown is there: %v", err)
	}
}

// TestChangesAreAskedForTogether holds of the files of two users at one server.
func TestChangesAreAskedForTogether(t *testing.T) {
	ctx := t.Context()
	users, err := state.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	c := &central{state: users, blobs: blob.InFolder(t.TempDir()), seeEvery: time.Hour}
	change := func(owner, to string) {
		t.Helper()
		if err := users.ChangeIndex(ctx, owner, "", func(string, []byte) (string, []byte, error) { return to, []byte("x"), nil }); err != nil {
			t.Fatal(err)
		}
	}
	see := func(owner, want string) {
		t.Helper()
		if version, err := c.files(owner).Seen(ctx); err != nil || version != want {
			t.Errorf("%s sees %q, %v", owner, version, err)
		}
	}
	change("1", "a")
	see("1", "a")
	change("1", "b")
	see("1", "a") // not asked again
	see("2", "")  // which asks for 1, too
	see("1", "b")
	if err := users.Close(); err != nil {
		t.Fatal(err)
	}
	see("1", "b")
	c.seeEvery = 0
	if _, err := c.files("1").Seen(ctx); err == nil {
		t.Error("nobody learns that the state is away")
	}
}
