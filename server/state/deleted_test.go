package state

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestADeletedUserLeavesNothing: neither what is there, nor what a request writes that still
// runs, or a server that was killed has left.
func TestADeletedUserLeavesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		one, two := at.open(t, c), at.open(t, c)
		u, err := one.CreateUser(ctx, api.NewUser{Name: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		owner := strconv.FormatInt(u.ID, 10)
		folder, err := one.Folder(ctx, "ann")
		if err != nil {
			t.Fatal(err)
		}
		change := func(s *Store) error {
			return s.ChangeIndex(ctx, owner, "", func(string, []byte) (string, []byte, error) { return "v1", []byte("x"), nil })
		}
		hold := func(s *Store, create bool) error {
			return s.HoldConversation(ctx, folder, "c", "h", create, time.Minute)
		}
		dirs := []string{FilesFolder(at.dir, owner), UserFolder(at.dir, folder)}
		write := func() {
			t.Helper()
			for _, dir := range dirs {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
		wantNothing := func() {
			t.Helper()
			for _, dir := range dirs {
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%s is still there", dir)
				}
			}
			version, _, err := two.Index(ctx, owner, "")
			sizes, sizesErr := two.Conversations(ctx, folder)
			if version != "" || len(sizes) > 0 || err != nil || sizesErr != nil {
				t.Errorf("kept are %q and %v: %v, %v", version, sizes, err, sizesErr)
			}
		}
		write()
		if err := change(one); err != nil {
			t.Fatal(err)
		}
		if err := hold(two, true); err != nil {
			t.Fatal(err)
		}
		if err := one.DeleteUser(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		wantNothing()
		if err := change(two); !api.CodeUnauthorized.Is(err) {
			t.Errorf("files of a deleted user are shared: %v", err)
		}
		if err := hold(two, true); !api.CodeUnauthorized.Is(err) {
			t.Errorf("a deleted user begins a conversation: %v", err)
		}
		write()
		err = one.change(ctx, unlocked, func(tx conn) error { // one that looked before the user was deleted
			_, err := tx.Exec("INSERT INTO workspaces (owner, version, data) VALUES ($1, 'v2', $2)", owner, []byte("x"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantSwept := func(want int) {
			t.Helper()
			gone, err := two.SweepDeleted(context.WithoutCancel(ctx))
			if err != nil || len(gone) != want || want > 0 && gone[0] != (Deleted{"ann", owner, folder}) {
				t.Errorf("%+v, %v", gone, err)
			}
			wantNothing()
		}
		wantSwept(1)
		c.add(8 * 24 * time.Hour)
		write() // of a server that was not up for long
		wantSwept(0)
	})
}
