package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// inCommon is what several servers have in common, in memory.
type inCommon struct {
	version       string
	index         []byte
	contents      map[string][]byte
	fetched       int
	commit, store error // why a change of the index, or a content, is refused
}

var errDown = errors.New("the line is down")

func (c *inCommon) Index(_ context.Context, known string) (string, []byte, error) {
	if known == c.version {
		return c.version, nil, nil
	}
	c.fetched++
	return c.version, c.index, nil
}

func (c *inCommon) Seen(context.Context) (string, error) { return c.version, nil }

func (c *inCommon) ChangeIndex(ctx context.Context, known string, f func(string, []byte) (string, []byte, error)) error {
	version, index, err := c.Index(ctx, known)
	if err == nil {
		version, index, err = f(version, index)
	}
	if err == nil && version != c.version {
		if err = c.commit; err == nil {
			c.version, c.index = version, index
		}
	}
	return err
}

func (c *inCommon) PutContent(_ context.Context, name string, data io.ReaderAt, size int64) error {
	if c.store != nil {
		return c.store
	}
	content, err := io.ReadAll(io.NewSectionReader(data, 0, size))
	c.contents[name] = content
	return err
}

func (c *inCommon) Content(_ context.Context, name string) (io.ReadCloser, error) {
	if content, there := c.contents[name]; there {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	return nil, fs.ErrNotExist
}

func (c *inCommon) RemoveContent(_ context.Context, name string) error {
	delete(c.contents, name)
	return nil
}

func (c *inCommon) SweepContents(context.Context, func() (map[string]bool, error)) error { return nil }

func newInCommon() *inCommon { return &inCommon{contents: map[string][]byte{}} }

// begunAlone is a server that kept files for itself before it shared any.
func begunAlone(t *testing.T, c *inCommon, files ...string) *Workspace {
	t.Helper()
	w := open(t, Options{})
	for _, name := range files {
		put(t, w, name, name)
	}
	w.Shared = c
	return w
}

func synced(t *testing.T, w *Workspace) {
	t.Helper()
	if err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), errDown.Error()) {
		t.Fatalf("while the line is down: %v", err)
	}
}

func wantNames(t *testing.T, w *Workspace, want ...string) {
	t.Helper()
	if got := names(t, w, ""); !slices.Equal(got, want) {
		t.Errorf("files are %q, not %q", got, want)
	}
}

// TestATakeoverThatFailsLosesNoFile has two servers that had files of one user each. The
// first cannot share its own, and the second is faster.
func TestATakeoverThatFailsLosesNoFile(t *testing.T) {
	for name, fail := range map[string]func(*inCommon, error){
		"commit":  func(c *inCommon, err error) { c.commit = err },
		"content": func(c *inCommon, err error) { c.store = err },
	} {
		t.Run(name, func(t *testing.T) {
			c := newInCommon()
			a, again, b := begunAlone(t, c, "a.txt"), begunAlone(t, c, "again.txt"), begunAlone(t, c, "b.txt")
			fail(c, errDown)
			refused(t, a.Sync(t.Context()))
			wantNames(t, a, "a.txt")
			fail(c, nil)
			synced(t, a)
			wantNames(t, a, "a.txt")
			if got := read(t, a, "a.txt"); got != "a.txt" {
				t.Errorf("%q", got)
			}
			put(t, a, "more.txt", "")
			wantNames(t, a, "a.txt", "more.txt")
			if kept, _ := filepath.Glob(filepath.Join(a.dir, "alone-*")); len(kept) > 0 { // the pattern is sound
				t.Errorf("set aside is %q", kept)
			}

			*c = *newInCommon()
			fail(c, errDown)
			refused(t, again.Sync(t.Context()))
			fail(c, nil)
			synced(t, b)
			synced(t, again)
			wantNames(t, again, "b.txt")
			if kept, _ := filepath.Glob(filepath.Join(again.dir, "alone-*", dataDir, "*")); len(kept) != 1 {
				t.Errorf("set aside is %q", kept)
			}
		})
	}
}

// TestATakeoverThatIsKilledIsNotMadeTwice kills it between its commit and its own note of that.
func TestATakeoverThatIsKilledIsNotMadeTwice(t *testing.T) {
	c := newInCommon()
	a := begunAlone(t, c, "a.txt")
	synced(t, a)
	if _, err := a.db.Write.Exec("DELETE FROM published"); err != nil {
		t.Fatal(err)
	}
	synced(t, a)
	b := open(t, Options{Shared: c})
	synced(t, b)
	put(t, b, "b.txt", "b")
	c.fetched = 0
	synced(t, a)
	if c.fetched != 1 {
		t.Errorf("the index was fetched %d times", c.fetched)
	}
	wantNames(t, a, "a.txt", "b.txt")
	if kept, _ := filepath.Glob(filepath.Join(a.dir, "alone-*")); len(kept) > 0 {
		t.Errorf("set aside is %q", kept)
	}
}

// TestAChangeThatFailsIsNotMade holds for a change of the server, and of a process of it.
func TestAChangeThatFailsIsNotMade(t *testing.T) {
	c := newInCommon()
	w := open(t, Options{Shared: c})
	put(t, w, "before.txt", "x")
	fail := func(make func() error) {
		t.Helper()
		refused(t, make())
		c.store, c.commit = nil, nil
		synced(t, w)
		wantNames(t, w, "before.txt")
	}
	change := func() error {
		_, err := w.Put(t.Context(), PutRequest{Name: "new.txt"}, strings.NewReader("y"))
		return err
	}
	c.store = errDown
	fail(change)
	c.commit = errDown
	fail(change)

	process, err := At{Dir: w.dir, Shared: true}.Open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	put(t, process, "new.txt", "y")
	c.store = errDown
	fail(func() error { return w.Sync(t.Context()) })
	put(t, process, "new.txt", "y")
	synced(t, w)
	other := open(t, Options{Shared: c})
	synced(t, other)
	wantNames(t, other, "before.txt", "new.txt")
}

// TestALostContentLocksNobodyOut: it is lost before it was shared, and where it was shared.
func TestALostContentLocksNobodyOut(t *testing.T) {
	c := newInCommon()
	a := begunAlone(t, c, "also.txt", "lost.txt")
	contents, _ := filepath.Glob(filepath.Join(a.dir, dataDir, "*")) // the pattern is sound
	for _, file := range contents {
		if text, _ := os.ReadFile(file); string(text) == "lost.txt" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := open(t, Options{Shared: c})
	for _, w := range []*Workspace{a, b} {
		synced(t, w)
		wantNames(t, w, "also.txt", "lost.txt")
	}
	clear(c.contents)
	for _, w := range []*Workspace{a, b} {
		synced(t, w)
		if _, err := w.Open(t.Context(), "lost.txt"); err == nil {
			t.Error("a lost content was opened")
		}
		put(t, w, "new.txt", "new")
	}
	if _, err := b.Open(t.Context(), "also.txt"); err == nil {
		t.Error("a lost content was opened")
	}
	synced(t, a)
	if got := read(t, a, "also.txt") + read(t, a, "new.txt"); got != "also.txtnew" {
		t.Errorf("%q", got)
	}
}

// TestNoIndexEmptiesAServer: one that was lost, is empty, damaged, or of another version.
func TestNoIndexEmptiesAServer(t *testing.T) {
	for name, lose := range map[string]func(*inCommon){
		"lost":    func(c *inCommon) { c.version, c.index = "", nil },
		"nothing": func(c *inCommon) { c.version, c.index = "other", nil },
		"empty":   func(c *inCommon) { c.version, c.index = "other", []byte{} },
		"damaged": func(c *inCommon) { c.version, c.index = "other", slices.Clone(c.index[:len(c.index)/2]) },
		"another": func(c *inCommon) { c.version = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			c := newInCommon()
			w := open(t, Options{Shared: c})
			put(t, w, "a.txt", "a")
			whole := *c
			lose(c)
			if err := w.Sync(t.Context()); (err == nil) != (name == "lost") {
				t.Errorf("%v", err)
			}
			wantNames(t, w, "a.txt")
			if name == "lost" && c.version == "" {
				t.Error("what is here was not shared again")
			}
			alone := begunAlone(t, c, "alone.txt")
			for range 2 {
				_ = alone.Sync(t.Context())
			}
			if kept, _ := filepath.Glob(filepath.Join(alone.dir, "alone-*")); name != "lost" && len(kept) > 0 {
				t.Errorf("set aside is %q", kept)
			}
			*c = whole
			synced(t, w)
			wantNames(t, w, "a.txt")
		})
	}
}

// TestWhatIsRefusedIsNotShared refuses a content after it was uploaded for the other servers.
func TestWhatIsRefusedIsNotShared(t *testing.T) {
	c := newInCommon()
	w := begunAlone(t, c, "a.txt")
	synced(t, w)
	had := len(c.contents)
	for range 3 {
		_, err := w.Put(t.Context(), PutRequest{Name: "a.txt", IfVersion: 7}, strings.NewReader("another text"))
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeConflict {
			t.Fatal(err)
		}
	}
	if len(c.contents) != had {
		t.Errorf("%d contents are shared, %d are named", len(c.contents), had)
	}
}
