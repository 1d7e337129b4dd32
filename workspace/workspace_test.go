package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

func open(t *testing.T, o Options) *Workspace {
	t.Helper()
	w, err := Open(filepath.Join(t.TempDir(), "files"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func put(t *testing.T, w *Workspace, name, text string) File {
	t.Helper()
	f, err := w.Put(t.Context(), PutRequest{Name: name}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, w *Workspace, ref string) string {
	t.Helper()
	c, err := w.Open(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, w *Workspace, pattern string) (all []string) {
	t.Helper()
	files, err := w.List(t.Context(), pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		all = append(all, f.Name)
	}
	return all
}

// wantCode wants an error of that code and kind.
func wantCode(t *testing.T, err error, code api.Code, kind string) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code || e.Kind != kind {
		t.Fatalf("error %v, want %s %s", err, code, kind)
	}
	return e
}

func TestAFileComesChangesAndGoes(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	f := put(t, w, "notes/may.md", "one\n")
	if f.Version != 1 || f.Size != 4 || f.MIMEType != "text/markdown" || f.Source != Upload {
		t.Errorf("%+v", f)
	}
	g := put(t, w, "notes/may.md", "two\n")
	if g.ID != f.ID || g.Version != 2 || !g.CreatedOn.Equal(f.CreatedOn.Truncate(time.Microsecond)) {
		t.Errorf("%+v", g)
	}
	if _, err := w.Rename(ctx, f.ID, "may.md", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Copy(ctx, "May.MD", "june.md"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, w, ""); !slices.Equal(got, []string{"june.md", "may.md"}) {
		t.Errorf("%q", got)
	}
	if _, err := w.Delete(ctx, "may.md", 3); err != nil {
		t.Fatal(err)
	}
	_, err := w.Open(ctx, "may.md")
	if e := wantCode(t, err, api.CodeUnknownFile, ""); len(e.Next) == 0 || e.Next[0].Action != api.ActionRestoreFile {
		t.Errorf("the next step is %+v", e.Next)
	}
	if f, err = w.Restore(ctx, "may.md", 1, "old.md"); err != nil || f.ID != g.ID || f.Version != 5 {
		t.Errorf("%+v, %v", f, err)
	}
	if got := read(t, w, "old.md"); got != "one\n" {
		t.Errorf("%q", got)
	}
	versions, err := w.Versions(ctx, f.ID)
	var actions []Action
	for _, v := range versions {
		actions = append(actions, v.Action)
	}
	if want := []Action{ActionRestored, ActionDeleted, ActionRenamed, ActionModified, ActionCreated}; err != nil || !slices.Equal(actions, want) || !versions[0].Current {
		t.Errorf("%v, %v", versions, err)
	}
	events, missed, err := w.Events(ctx, 2, 100)
	var told []string
	for _, e := range events {
		told = append(told, e.Event)
	}
	if want := []string{"file:modified", "file:created", "file:deleted", "file:created"}; err != nil || missed || !slices.Equal(told, want) {
		t.Errorf("%q, %v, %v", told, missed, err)
	}
}

func TestNames(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	put(t, w, "Cafe\u0301.txt", "x") // NFD
	for ref, want := range map[string]bool{"Café.txt": true, "CAFÉ.TXT": true, "cafe.txt": false} {
		if _, err := w.Info(ctx, ref); (err == nil) != want {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, bad := range []string{"", "/a", "a/../b", "../a", ".", "a//b", "a/", "a\x00b", "a\nb", `a\b`, " a", "a /b", "\xff", strings.Repeat("ž", 128)} {
		if _, err := w.Put(ctx, PutRequest{Name: bad}, strings.NewReader("")); !api.CodeInvalidName.Is(err) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	put(t, w, "dir/a", "x")
	for _, bad := range []string{"DIR", "dir/a/b"} {
		_, err := w.Put(ctx, PutRequest{Name: bad}, strings.NewReader(""))
		wantCode(t, err, api.CodeTargetExists, "name")
	}
	_, err := w.Put(ctx, PutRequest{Name: "DIR/A", New: true}, strings.NewReader(""))
	wantCode(t, err, api.CodeTargetExists, "name")
	_, err = w.Info(ctx, "dir/aa")
	if e := wantCode(t, err, api.CodeUnknownFile, ""); !strings.Contains(e.Hint, "dir/a") {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestPatterns(t *testing.T) {
	w := open(t, Options{})
	for _, name := range []string{"a.csv", "b.txt", "x/a.csv", "x/y/c.csv", "x/[z].csv"} {
		put(t, w, name, "1")
	}
	for pattern, want := range map[string]string{
		"*.csv": "a.csv x/[z].csv x/a.csv x/y/c.csv", "x/*.csv": "x/[z].csv x/a.csv", "x/**": "x/[z].csv x/a.csv x/y/c.csv",
		"**/c.*": "x/y/c.csv", "[ab].*": "a.csv b.txt x/a.csv", "[!a].csv": "x/y/c.csv", "?.TXT": "b.txt", "none": "", "a": "",
	} {
		if got := strings.Join(names(t, w, pattern), " "); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
	_, err := w.List(t.Context(), "[a")
	wantCode(t, err, api.CodeUsage, "")
}

func TestTypesAreThoseOfTheContent(t *testing.T) {
	w := open(t, Options{})
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for name, c := range map[string][2]string{
		"a.csv": {"x;y\n1;2\n", "text/csv"}, "b.csv": {png, "image/png"}, "c.txt": {"%PDF-1.7\n", "application/pdf"},
		"d.md": {"# T\n", "text/markdown"}, "e": {"", "text/plain"}, "f.bin": {"\x00\x01\x02", "application/octet-stream"}, "g.json": {`{"a": 1}`, "application/json"},
	} {
		if f := put(t, w, name, c[0]); f.MIMEType != c[1] {
			t.Errorf("%s is %s, want %s", name, f.MIMEType, c[1])
		}
	}
}

func TestAChangeOfAnOldVersionIsRefused(t *testing.T) {
	w, ctx := open(t, Options{}), t.Context()
	put(t, w, "a", "1")
	put(t, w, "a", "2")
	nothing := func(*Content, io.Writer) error { t.Error("it was edited"); return nil }
	for what, change := range map[string]func() error{
		"put": func() error {
			_, err := w.Put(ctx, PutRequest{Name: "a", IfVersion: 1}, strings.NewReader("3"))
			return err
		},
		"edit":   func() error { _, err := w.Edit(ctx, "a", 1, nothing); return err },
		"rename": func() error { _, err := w.Rename(ctx, "a", "b", 1); return err },
		"delete": func() error { _, err := w.Delete(ctx, "a", 1); return err },
		"purge":  func() error { _, err := w.Purge(ctx, "a", 1); return err },
	} {
		if err := change(); !api.CodeConflict.Is(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := read(t, w, "a"); got != "2" {
		t.Errorf("it holds %q", got)
	}
}

func TestLimitsAreExact(t *testing.T) {
	w, ctx := open(t, Options{MaxFile: 10, MaxTotal: 30}), t.Context()
	put(t, w, "a", "0123456789")
	_, err := w.Put(ctx, PutRequest{Name: "b"}, strings.NewReader("0123456789x"))
	wantCode(t, err, api.CodeTooLarge, "file_size")
	put(t, w, "b", "0123456789")
	put(t, w, "c", "0123456789")
	_, err = w.Put(ctx, PutRequest{Name: "d"}, strings.NewReader("x"))
	wantCode(t, err, api.CodeTooLarge, "workspace_full")
	if _, err := w.Copy(ctx, "a", "copy"); err != nil { // shares the content
		t.Error(err)
	}
	// A new content pushes the oldest version out, and says so.
	if _, err := w.Delete(ctx, "c", 0); err != nil {
		t.Fatal(err)
	}
	if f := put(t, w, "b", "abc"); f.VersionsRemoved == 0 {
		t.Errorf("%+v", f)
	}
	u, err := w.Usage(ctx)
	if err != nil || u.TotalBytes > 30 || u.Files != 3 || u.Bytes != 23 {
		t.Errorf("%+v, %v", u, err)
	}
	if got := onDisk(t, w); got != u.TotalBytes {
		t.Errorf("%d bytes lie on disk, %d are counted", got, u.TotalBytes)
	}
}

// onDisk sums up the contents.
func onDisk(t *testing.T, w *Workspace) (sum int64) {
	t.Helper()
	entries, err := os.ReadDir(w.data.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isContent(e.Name()) {
			sum += info.Size()
		}
	}
	return sum
}

func TestOldVersionsGo(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	w, ctx := open(t, Options{Now: func() time.Time { return now }}), t.Context()
	for i := range 30 {
		put(t, w, "a", strconv.Itoa(i))
	}
	put(t, w, "gone", "x")
	if _, err := w.Delete(ctx, "gone", 0); err != nil {
		t.Fatal(err)
	}
	if all, _ := w.Versions(ctx, "a"); len(all) != 30 {
		t.Errorf("%d versions", len(all))
	}
	now = now.Add(31 * 24 * time.Hour)
	put(t, w, "a", "last")
	if all, _ := w.Versions(ctx, "a"); len(all) != keepVersions {
		t.Errorf("%d versions after a month", len(all))
	}
	_, err := w.Restore(ctx, "gone", 0, "")
	wantCode(t, err, api.CodeUnknownFile, "")
}

// addLine is an edit that adds a line.
func addLine(line string) func(*Content, io.Writer) error {
	return func(old *Content, out io.Writer) error {
		_, err := io.Copy(out, old)
		if err == nil {
			_, err = io.WriteString(out, line+"\n")
		}
		return err
	}
}

// TestConcurrentEdits edits one file 200 times, in this process and in another.
func TestConcurrentEdits(t *testing.T) {
	const part = "DA_WORKSPACE_EDITS"
	if dir := os.Getenv(part); dir != "" {
		w, err := Open(dir, Options{})
		if err == nil {
			err = editMany(t.Context(), w, "other")
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	w := open(t, Options{})
	put(t, w, "log", "")
	cmd := exec.Command(os.Args[0], "-test.run=^TestConcurrentEdits$")
	cmd.Env = append(os.Environ(), part+"="+w.dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(editMany(t.Context(), w, "this"), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(read(t, w, "log"))
	slices.Sort(lines)
	if len(lines) != 200 || len(slices.Compact(lines)) != 200 {
		t.Errorf("%d lines, %d of them different", len(lines), len(slices.Compact(lines)))
	}
	f, err := w.Info(t.Context(), "log")
	if err != nil || f.Version != 201 {
		t.Errorf("version %d, %v", f.Version, err)
	}
}

func editMany(ctx context.Context, w *Workspace, who string) error {
	errs := make([]error, 100)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = w.Edit(ctx, "log", 0, addLine(fmt.Sprintf("%s-%d", who, i))) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestAFailedEditChangesNothing(t *testing.T) {
	w := open(t, Options{})
	put(t, w, "a", "1")
	boom := errors.New("boom")
	_, err := w.Edit(t.Context(), "a", 0, func(_ *Content, out io.Writer) error {
		_, _ = io.WriteString(out, "half")
		return &api.Error{Code: api.CodeValidation, Message: "no", Err: boom}
	})
	if !errors.Is(err, boom) || read(t, w, "a") != "1" {
		t.Errorf("%v", err)
	}
	if entries, _ := filepath.Glob(filepath.Join(w.data.Dir, ".tmp-*")); len(entries) > 0 {
		t.Errorf("left: %q", entries)
	}
}
