package ask

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/draft"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/toolbox"
)

// replay runs the statements of a receipt again.
type replay struct {
	app   *app.App
	box   *toolbox.Box
	tools *agent.Boxed
	files string // folder of the files that the statements read
	close func()
}

// openReplay returns a replay that reads the files of a folder. current says that the
// folder is of a conversation, whose files are read as they are now. The caller closes
// it.
func openReplay(ctx context.Context, a *app.App, files string, current bool) (*replay, error) {
	if !current {
		box, end, err := isolatedBox(a, files)
		if err != nil {
			return nil, err
		}
		return &replay{a, box, agent.FromBox(box), files, end}, nil
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	folder, err := store.OpenFolder(filepath.Join(home, "replay"))
	if err != nil {
		return nil, err
	}
	// What the conversation has read stays as it is: da receipt replay copies it.
	now := filepath.Join(folder.Path, filepath.Base(filepath.Dir(files)), filepath.Base(files))
	if err := duplicateAll(ctx, files, now); err != nil {
		folder.Close()
		return nil, err
	}
	box, end, err := isolatedBox(a, now)
	if err != nil {
		folder.Close()
		return nil, err
	}
	tools := agent.FromBox(box).In(&draft.Folder{Space: box.Space, Dir: now})
	return &replay{a, box, tools, now, func() { end(); folder.Close() }}, nil
}

// duplicateAll makes the files of a folder available in another one, which it makes.
func duplicateAll(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return atomicfile.Explain("make a folder for the files", err)
	}
	for _, f := range filesOf(from) {
		name := filepath.FromSlash(f.Path)
		err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700)
		if err == nil {
			err = atomicfile.Duplicate(ctx, filepath.Join(from, name), filepath.Join(to, name))
		}
		if err != nil {
			return atomicfile.Explain("take the files of the conversation", err)
		}
	}
	return nil
}

// notChecked is the status of a result that was not checked.
const notChecked = "not_run"

// fetches reports whether a statement can need rows that were kept, and are no more.
func fetches(res receipt.Result) bool {
	var in struct{ Fetch bool }
	return json.Unmarshal(res.Arguments, &in) == nil && in.Fetch
}

// verify runs one statement.
func (p *replay) verify(ctx context.Context, res receipt.Result) verifiedResult {
	v := verifiedResult{Call: res.Call, Status: "same"}
	var now agent.Beside
	sum, err := p.digest(now.With(ctx), res)
	changed := append(changedSnapshots(p.app, res), changedParts(ctx, p.app, res, now.Inputs)...)
	if files := changedFiles(res, p.files); files != "" {
		changed = append(changed, files)
	}
	v.Why = strings.Join(changed, "; ")
	switch {
	case err != nil && fetches(res):
		v.Status, v.Why = notChecked, strings.Join(append([]string{err.Error()}, changed...), "; ")
	case err != nil:
		v.Status, v.Why = "failed", err.Error()
	case sum != res.SHA256:
		v.Status = "drifted"
	}
	return v
}

// digest runs a statement and returns the hash of its rows.
func (p *replay) digest(ctx context.Context, res receipt.Result) (string, error) {
	if shown, ok := agent.ShownBy(res.Tool, res.Arguments); ok {
		frame, err := p.tools.Frames(ctx, shown)
		if err != nil {
			return "", err
		}
		return agent.DigestOf(frame), nil
	}
	text, failed := p.tools.Call(ctx, res.Tool, res.Arguments)
	if failed {
		return "", errors.New(failureIn(text))
	}
	sum, _ := receipt.Digest([]byte(text))
	return sum, nil
}

// changedSnapshots says which snapshots of a result have changed since.
func changedSnapshots(a *app.App, res receipt.Result) (changed []string) {
	work, err := a.Analyst()
	if err != nil {
		return nil
	}
	for _, in := range res.Inputs {
		if in.Snapshot == "" {
			continue
		}
		m, err := work.Store.Get(in.Snapshot)
		switch {
		case err != nil:
			changed = append(changed, "the snapshot "+in.Snapshot+" is not there")
		case m.ContentHash != in.ContentHash:
			changed = append(changed, "the snapshot "+in.Snapshot+" has other rows")
		}
	}
	return changed
}

// changedParts says which parts of tables had other rows when the statement ran again; if
// it did not read them, whose tables the source says to have changed.
func changedParts(ctx context.Context, a *app.App, res receipt.Result, now []conversation.Input) (changed []string) {
	for _, in := range res.Inputs {
		if in.TableID == "" || in.Snapshot != "" || slices.ContainsFunc(now, in.Same) {
			continue
		}
		again := slices.IndexFunc(now, func(other conversation.Input) bool {
			return other.Snapshot == "" && other.TableID == in.TableID && other.Where == in.Where
		})
		switch {
		case again >= 0:
			changed = append(changed, in.Name()+" has other rows"+versions(in.Version, now[again].Version))
		case in.Version != "":
			// An estimate reads no rows. Without an answer it is not known.
			if v, err := versionNow(ctx, a, in); err == nil && v != in.Version {
				changed = append(changed, in.Name()+" has changed at its source"+versions(in.Version, v))
			}
		}
	}
	return changed
}

func versions(then, now string) string {
	if then == now {
		return ""
	}
	return fmt.Sprintf(" (version %s, now %s)", cmp.Or(then, "unknown"), cmp.Or(now, "unknown"))
}

func versionNow(ctx context.Context, a *app.App, in conversation.Input) (string, error) {
	remote, err := a.Connect()
	if err != nil {
		return "", err
	}
	if in.Server != "" && remote.Name != in.Server { // it may have another table of that name
		return in.Version, nil
	}
	e, err := remote.Estimate(ctx, api.ScanRequest{TableID: in.TableID, Where: in.Where})
	if err != nil {
		return "", err
	}
	return e.Version, nil
}

// changedFiles says which files of a result have changed in a folder; "" if
// none has.
func changedFiles(res receipt.Result, dir string) string {
	var names []string
	for _, in := range res.Inputs {
		if name := filepath.FromSlash(in.File); filepath.IsLocal(name) && hashOf(filepath.Join(dir, name)) != in.ContentHash {
			names = append(names, in.File)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "the file " + names[0] + " has changed"
	}
	return "the files " + strings.Join(names, ", ") + " have changed"
}

// hashOf is the SHA-256 of a file, or "" if it cannot be read.
func hashOf(path string) string {
	file, err := kernelfs.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
