package state

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// folderOf creates a user and returns the folder of the user's conversations, as a
// request with a token of theirs has it.
func folderOf(t *testing.T, s *Store, name string) string {
	t.Helper()
	if _, err := s.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
		t.Fatal(err)
	}
	return heldFolder(t, s, name)
}

// heldFolder is that of a user who is there.
func heldFolder(t *testing.T, s *Store, name string) string {
	t.Helper()
	token, err := s.CreateToken(t.Context(), api.NewToken{User: name})
	if err != nil {
		t.Fatal(err)
	}
	bearer, err := s.Authenticate(t.Context(), token.Secret)
	if err != nil {
		t.Fatal(err)
	}
	signed, _, err := s.SignIn(t.Context(), token.Secret, "")
	if err != nil {
		t.Fatal(err)
	}
	browser, _, err := s.SignedIn(t.Context(), signed.Cookie, signed.Key)
	if listed, listErr := s.Folder(t.Context(), name); err != nil || listErr != nil || browser.Folder != bearer.Folder || listed != bearer.Folder {
		t.Errorf("%s has the folders %q, %q and %q: %v, %v", name, bearer.Folder, browser.Folder, listed, err, listErr)
	}
	return UserFolder(s.dir, bearer.Folder)
}

func writeConversation(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "c", "log.jsonl"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustBeMissing(t *testing.T, folder string) {
	t.Helper()
	if list, err := os.ReadDir(folder); len(list) > 0 {
		t.Errorf("a new user finds %v, %v", list, err)
	}
}

// TestNobodyGetsTheFolderOfAnother: not a later user of the same name, into whose
// folder a turn of the first one would still write, and not one who gets the same id
// since a backup was restored.
func TestNobodyGetsTheFolderOfAnother(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "b.db")
	s := openTest(t, dir, newClock())
	if _, err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	ann := folderOf(t, s, "ann")
	writeConversation(t, ann)
	if err := s.DeleteUser(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ann); err == nil {
		t.Error("a deleted user left conversations")
	}
	writeConversation(t, ann) // of a turn that had begun before
	mustBeMissing(t, folderOf(t, s, "ann"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(filepath.Join(dir, databaseFile+ending))
	}
	if err := os.Rename(backup, filepath.Join(dir, databaseFile)); err != nil {
		t.Fatal(err)
	}
	mustBeMissing(t, folderOf(t, openTest(t, dir, newClock()), "bob")) // with the id of ann
}

// TestFoldersOfEarlierReleases opens a state whose users have folders that are named
// after them: they keep these folders, and no later user gets one.
func TestFoldersOfEarlierReleases(t *testing.T) {
	dir := t.TempDir()
	earlier := fstest.MapFS{}
	for _, name := range []string{"0001_begin.sql", "0002_charges.sql", "0003_sign_ins.sql"} {
		text, err := fs.ReadFile(schema("sqlite"), name)
		if err != nil {
			t.Fatal(err)
		}
		earlier[name] = &fstest.MapFile{Data: text}
	}
	db, err := sqlitedb.Open(filepath.Join(dir, databaseFile), sqlitedb.Options{Migrations: earlier})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Change(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO users (name, admin, created_at) VALUES ('ann', 0, 1)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ann := filepath.Join(dir, "agent", "49915e0d7d4b402e3017d010bc1c0e83") // by SHA-256
	bob := filepath.Join(dir, "agent", "81b637d8fcd2c6da6359e6963113a117")
	writeConversation(t, ann)
	writeConversation(t, bob) // who is no user
	s := openTest(t, dir, newClock())
	if got := heldFolder(t, s, "ann"); got != ann {
		t.Errorf("ann has %s", got)
	}
	if _, err := os.Stat(filepath.Join(ann, "c", "log.jsonl")); err != nil {
		t.Error(err)
	}
	mustBeMissing(t, folderOf(t, s, "bob"))
	if err := s.DeleteUser(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ann); err == nil {
		t.Error("a deleted user left conversations")
	}
	writeConversation(t, ann)
	mustBeMissing(t, folderOf(t, s, "ann"))
}

// TestNamesOfAProviderAreExact holds that a name of a provider is one user's only, letter
// for letter.
func TestNamesOfAProviderAreExact(t *testing.T) {
	s := openTest(t, t.TempDir(), newClock())
	folderOf(t, s, "u1")
	for name, want := range map[string]bool{"u1": true, "U1": false, " u1": false, "u1\n": false, "local": false} {
		if made, err := s.SignInAs(t.Context(), name, ""); (err == nil) != want || !want && !api.CodeUnauthorized.Is(err) {
			t.Errorf("%q: %v, %v", name, made, err)
		}
	}
}
