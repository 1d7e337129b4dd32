package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
)

// target returns a path by which the target can be written. It rejects targets
// that must not be written.
func (t *Tables) target(r ExportRequest) (path string, release func(), err error) {
	if path, err = t.resolveTarget(r.TargetPath); err != nil {
		return "", nil, err
	}
	if path, release, err = t.throughHandle(path); err != nil {
		return "", nil, writeFailed(r.TargetPath, err)
	}
	if err := free(path, r.TargetPath, r.Force); err != nil {
		release()
		return "", nil, err
	}
	return path, release, nil
}

// sheetOfTarget uses the name of a sheet for the target if the source file has no
// sheets.
func (t *Tables) sheetOfTarget(ctx context.Context, r ExportRequest) (ExportRequest, error) {
	if r.Sheet == "" || r.TargetSheet != "" || r.Path == "-" {
		return r, nil
	}
	_, f, err := t.open(ctx, r.Source)
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }() // only read
	if f.Kind != format.Sheet {
		r.TargetSheet, r.Sheet = r.Sheet, ""
	}
	return r, nil
}

// exportFormat settles the format by its name or that of the target.
func exportFormat(name, target string) (string, error) {
	f := strings.ToLower(name)
	if f == "" {
		f = strings.TrimPrefix(strings.ToLower(filepath.Ext(target)), ".")
	}
	if known := format.Of("." + f); known.Exported { // ndjson is jsonl
		f = known.Name
	}
	for _, known := range format.Exported() {
		if f == known {
			return f, nil
		}
	}
	e := &api.Error{
		Code: api.CodeValidation, Message: fmt.Sprintf("cannot export to the format %q", f),
		Hint: "Formats are " + strings.Join(format.Exported(), ", ") + ".",
	}
	if f == "" {
		e.Message = fmt.Sprintf("the name %s has no ending that is a format", target)
		if target == "-" {
			e.Message = "standard output has no name, so the format is open"
		}
		e.Hint = "Name it as in sales.csv, or name the format: " + strings.Join(format.Exported(), ", ") + "."
		e.Next = []api.Step{api.Set(api.OptionTargetFormat, "name the format")}
	}
	return "", e
}

// free refuses a target that must not be replaced.
func free(target, shown string, force bool) error {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return writeFailed(shown, err)
	case !info.Mode().IsRegular():
		return &api.Error{Code: api.CodeWriteFailed, Message: fmt.Sprintf("cannot write %s: it is not a regular file", shown),
			Details: map[string]any{"path": shown}}
	case !force:
		return &api.Error{
			Code: api.CodeTargetExists, Message: fmt.Sprintf("%s exists", shown),
			Hint: "Choose another name, or replace it.", Next: []api.Step{api.Set(api.OptionForce, "replace it")},
			Details: map[string]any{"path": shown},
		}
	}
	return nil
}

func writeFailed(shown string, err error) error {
	var known *api.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	reason := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		reason = pe.Err // its path may be internal to the process
	}
	e := &api.Error{Code: api.CodeWriteFailed, Message: fmt.Sprintf("cannot write %s: %v", shown, reason),
		Details: map[string]any{"path": shown}, Err: err}
	if atomicfile.DiskFull(err) || duckdb.IsDiskFull(err) {
		e.Hint = "There is no space left: free some, or write elsewhere."
	}
	return e
}
