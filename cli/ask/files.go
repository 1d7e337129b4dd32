package ask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
)

// lend copies files into the workspace. Files that are too large for it are only
// available to the tools for local files.
func (t *talk) lend(ctx context.Context, files []string) error {
	if len(files) > conversation.MaxFiles {
		return usage.Error(fmt.Sprintf("a question comes with at most %d files", conversation.MaxFiles))
	}
	w, err := t.app.Workspace()
	if err != nil || len(files) == 0 {
		return err
	}
	for _, name := range files {
		path := t.app.Absolute(name)
		if _, missing := os.Stat(path); missing == nil {
			if err := t.lendOne(ctx, name); err != nil {
				return err
			}
			name = filepath.Base(path)
		}
		if f, unknown := w.Info(ctx, name); unknown == nil {
			t.attached = append(t.attached, conversation.File{ID: f.ID, Name: f.Name, Version: f.Version, SHA256: f.SHA256, Bytes: f.Size})
			continue
		}
		info, err := os.Stat(filepath.Join(t.log.Files, name))
		if err != nil { // neither a path nor a file of the workspace
			return t.lendOne(ctx, name)
		}
		t.attached = append(t.attached, conversation.File{Name: name, Bytes: info.Size()})
	}
	return nil
}

func (t *talk) lendOne(ctx context.Context, name string) error {
	from := t.app.Absolute(name)
	info, err := os.Stat(from)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var file *os.File
	if err == nil {
		file, err = kernelfs.Open(from)
	}
	if err != nil {
		return &api.Error{Code: api.CodeReadFailed, Message: "cannot read '" + name + "': " + err.Error(), Err: err,
			Hint: "Check the path of --file."}
	}
	defer file.Close()
	w, err := t.app.Workspace()
	if err != nil {
		return err
	}
	base := filepath.Base(from)
	if same, err := isThere(ctx, w, base, file, info.Size()); same || err != nil {
		return err
	}
	_, err = w.By(t.log.ID).Put(ctx, workspace.PutRequest{Name: base}, file)
	if api.CodeTooLarge.Is(err) {
		return t.lendByPath(ctx, from, base, info)
	}
	return err
}

// isThere reports whether the workspace already has the file with the same
// content. It rewinds the file.
func isThere(ctx context.Context, w *workspace.Workspace, base string, file *os.File, size int64) (bool, error) {
	known, err := w.Info(ctx, base)
	switch {
	case err != nil: // storing it will report an invalid name
		return false, nil //nolint:nilerr // the store reports it
	case known.Size != size:
		return false, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return false, &api.Error{Code: api.CodeReadFailed, Message: "cannot read '" + file.Name() + "': " + err.Error(), Err: err}
	}
	_, err = file.Seek(0, io.SeekStart)
	return hex.EncodeToString(sum.Sum(nil)) == known.SHA256, err
}

// lendByPath puts a file into the conversation's folder only: as a hard link if
// possible, otherwise as a copy.
func (t *talk) lendByPath(ctx context.Context, from, base string, info os.FileInfo) error {
	to := filepath.Join(t.log.Files, base)
	if there, err := os.Stat(to); err == nil {
		if os.SameFile(info, there) {
			return nil
		}
		return &api.Error{Code: api.CodeTargetExists, Message: "the conversation has another file '" + base + "' already",
			Hint: "Give the file another name, or begin a new conversation."}
	}
	from, err := filepath.EvalSymlinks(from)
	if err == nil {
		err = atomicfile.Duplicate(ctx, from, to)
	}
	if err != nil {
		return &api.Error{Code: api.CodeReadFailed, Message: "cannot give '" + from + "' to the conversation: " + err.Error(), Err: err}
	}
	return nil
}

// manifest lists for the model the data that is available.
func (t *talk) manifest(ctx context.Context, work *analyst.Analyst) (agent.Manifest, error) {
	var m agent.Manifest
	if all, err := keep.List(work); err == nil {
		for _, s := range all.Whole {
			m.Snapshots = append(m.Snapshots, agent.ManifestSnapshot{Name: s.Name, Rows: s.Rows, Columns: len(s.Schema)})
		}
	}
	files, err := t.files(ctx)
	m.Files = files
	return m, err
}

// files lists the files of the workspace as the conversation sees them, and those
// in the conversation's own folder.
func (t *talk) files(ctx context.Context) ([]agent.ManifestFile, error) {
	view, err := draftOf(t.app, t.log.ID)
	if err != nil {
		return nil, err
	}
	all, err := view.List(ctx, "")
	if err != nil {
		return nil, err
	}
	var files []agent.ManifestFile
	known := map[string]bool{}
	for _, f := range all {
		known[f.Name] = true
		files = append(files, agent.ManifestFile{Path: f.Name, Bytes: f.Size})
	}
	for _, f := range filesOf(t.log.Files) {
		if !known[f.Path] {
			files = append(files, f)
		}
	}
	return files, nil
}

// filesOf lists the files in a conversation's folder.
func filesOf(dir string) (files []agent.ManifestFile) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // leave out what cannot be listed
		}
		rel, relErr := filepath.Rel(dir, path)
		if info, err := e.Info(); err == nil && relErr == nil {
			files = append(files, agent.ManifestFile{Path: filepath.ToSlash(rel), Bytes: info.Size()})
		}
		return nil
	})
	return files
}

// settle adds the conversation's changes to the answer, and applies them if the
// policy says so.
func (t *talk) settle(ctx context.Context, answer *agent.Answer) error {
	view, err := draftOf(t.app, t.log.ID)
	if err != nil {
		return err
	}
	answer.Draft, err = draft.Settle(ctx, view, t.log.ID, t.policy, answer.Whole())
	return err
}

// dropDraft discards changes of a conversation that were not applied.
func dropDraft(ctx context.Context, a *app.App, conversation string) error {
	view, err := draftOf(a, conversation)
	if err == nil {
		_, err = draft.Discard(ctx, view)
	}
	return err
}

// changed describes what the conversation has changed, and how to apply or
// discard it.
func changed(d *agent.Draft) string {
	if d == nil {
		return ""
	}
	var names []string
	for _, c := range d.Changes {
		names = append(names, c.Action+" "+c.File)
	}
	text := humanize.Plural(int64(len(names)), "file", "files") + ": " + clipped(strings.Join(names, ", "))
	for _, c := range d.Caveats {
		text += "\nWarning: " + c.Text
	}
	switch {
	case d.Applied:
		return "Changed in the workspace: " + text
	case d.Problem != "":
		return fmt.Sprintf("Not applied: %s. The draft %s keeps %s", d.Problem, d.Name, text)
	}
	return fmt.Sprintf("In draft %s: %s\nda files draft diff %[1]s shows the changes, da files draft apply %[1]s makes them.", d.Name, text)
}

// unapplied is the error if a draft should have been applied but was not.
func (t *talk) unapplied(answer agent.Answer) error {
	if d := answer.Draft; d != nil && t.policy.Apply && d.Problem != "" {
		return &api.Error{Code: api.CodeConflict, Kind: api.KindDraft, Message: d.Problem,
			Hint: "Nothing was applied: da files draft diff " + d.Name + " shows the changes, da files draft discard " + d.Name + " drops them."}
	}
	return nil
}

// draftOf is the workspace as a conversation sees and changes it.
func draftOf(a *app.App, conversation string) (*workspace.Workspace, error) {
	w, err := a.Workspace()
	if err != nil {
		return nil, err
	}
	return draft.View(w, conversation)
}
