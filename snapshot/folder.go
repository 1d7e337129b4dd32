package snapshot

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
	"github.com/agnes-data/da/internal/disk/store"
)

// The steps of Pack at which tests may stop.
const (
	stepPackedData = "packed-data"
	stepPacked     = "packed"
)

// Pack writes a snapshot into a new folder: its rows as NAME.parquet and its
// sidecar as NAME.meta.json. The store of another machine can make the same
// snapshot from them. The folder appears complete or not at all, and replaces
// nothing.
func (s *Store) Pack(ctx context.Context, name, target string) (Meta, error) {
	links, err := s.Link([]string{name})
	if err != nil {
		return Meta{}, err
	}
	defer links.Close()
	if _, err := os.Lstat(target); err == nil {
		return Meta{}, targetExists(target)
	}
	meta := links.Metas[0]
	return meta, atomicfile.Explain(fmt.Sprintf("export snapshot '%s'", name), s.pack(ctx, meta, links.Path(name), target))
}

func (s *Store) pack(ctx context.Context, meta Meta, data, target string) error {
	stage, err := store.FolderBeside(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer stage.Close()
	dir := filepath.Join(stage.Path, "folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(dir, meta.Name+dataExt)
	if err := atomicfile.Copy(ctx, data, file); err != nil {
		return err
	}
	if err := atomicfile.SyncFile(file, filePerm); err != nil {
		return err
	}
	s.step(stepPackedData)
	meta.Provenance = nil // it depends on this user's rights; another store must not trust it
	sidecar, err := meta.encode()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, meta.Name+sidecarExt), sidecar, filePerm); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(dir); err != nil {
		return err
	}
	s.step(stepPacked)
	if err := os.Rename(dir, target); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return targetExists(target)
		}
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(target))
}

func targetExists(path string) error {
	return &api.Error{Code: api.CodeTargetExists, Message: fmt.Sprintf("%q exists already", path),
		Hint: "Choose another name: a folder is not replaced.", Details: map[string]any{"path": path}}
}

// IsPacked reports whether a path is a folder, as Pack writes one.
func IsPacked(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Unpack copies the data of a folder that Pack wrote into the claim and returns
// its sidecar. It does not verify either: the caller must check that the data
// matches the description.
func (c *Claim) Unpack(ctx context.Context, dir string) (Meta, error) {
	meta, err := ReadPacked(dir)
	if err != nil {
		return Meta{}, err
	}
	if err := atomicfile.Copy(ctx, filepath.Join(dir, meta.Name+dataExt), c.Temp()); err != nil {
		return Meta{}, notPacked(dir, err)
	}
	if size, err := checkParquet(c.Temp()); err != nil || size != meta.BytesLocal {
		return Meta{}, notPacked(dir, fmt.Errorf("%s is not the file that its description is of", meta.Name+dataExt))
	}
	return meta.named(c.name), nil
}

// ReadPacked reads the sidecar of a folder that Pack wrote.
func ReadPacked(dir string) (Meta, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Meta{}, notPacked(dir, err)
	}
	name := ""
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), sidecarExt)
		switch {
		case !ok:
		case name != "":
			return Meta{}, notPacked(dir, errors.New("it has several of them"))
		default:
			name = stem
		}
	}
	if name == "" {
		return Meta{}, notPacked(dir, errors.New("it has no file NAME"+sidecarExt))
	}
	text, err := store.ReadSmall(filepath.Join(dir, name+sidecarExt), maxSidecar)
	if err != nil {
		return Meta{}, notPacked(dir, err)
	}
	meta, err := parseMeta(name, text)
	if err == nil {
		err = meta.Labels.check()
	}
	if err != nil {
		return Meta{}, notPacked(dir, fmt.Errorf("%s%s: %w", api.Clip(name, 80), sidecarExt, err))
	}
	meta.Provenance = nil // it depends on another user's rights
	return meta, nil
}

func notPacked(dir string, err error) error {
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindNotPacked,
		Message: fmt.Sprintf("%q is not a folder of a snapshot: %v", dir, err),
		Hint:    "It takes the folder that an export wrote, with its two files as they are.", Err: err}
}
