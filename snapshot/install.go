package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// The steps of a change on disk, in the order in which tests may stop at them.
const (
	stepTempSynced       = "temp-synced"
	stepDataRenamed      = "data-renamed"
	stepDataSynced       = "data-synced"
	stepSidecarStaged    = "sidecar-staged"
	stepSidecarCommitted = "sidecar-committed" // from here on it is the new one
	stepSidecarSynced    = "sidecar-synced"
	stepLinkStaged       = "link-staged"
	stepLinked           = "linked"
	stepOldRemoved       = "old-removed"
	stepFollowed         = "followed"

	stepSidecarRemoved = "sidecar-removed" // from here on it is dropped
	stepDropSynced     = "drop-synced"
	stepUseForgotten   = "use-forgotten"
	stepUnlinked       = "unlinked"
	stepDataRemoved    = "data-removed"

	// What is not a change, but lies between two looks.
	stepSweeping    = "sweeping"
	stepSidecarRead = "sidecar-read"
	stepLoaded      = "loaded"
)

// installPatience is how long others are waited for by who has paid for a scan.
const installPatience = 10 * time.Minute

// Install makes the file at Temp the snapshot, described by meta. The fields
// Version, Name, BytesLocal and DataFile are the store's to fill in; the
// returned Meta has them. Other installs are waited for until ctx is done; once
// begun, it is not interrupted. After a failure the old snapshot stands.
//
// after, which may be nil, runs when the new snapshot stands and before anybody
// else sees it. Its failure, and that of the link for other tools, come back
// as warnings: sentences for people.
func (c *Claim) Install(ctx context.Context, meta Meta, after After) (installed Meta, warnings []string, err error) {
	s, doing := c.s, fmt.Sprintf("install snapshot '%s'", c.name)
	if c.lock == nil || c.done {
		return Meta{}, nil, atomicfile.Explain(doing, errors.New("its claim has been used up"))
	}
	meta, sidecar, err := c.prepare(meta)
	if err != nil {
		return Meta{}, nil, atomicfile.Explain(doing, err)
	}
	// Syncing much data takes long, so it comes before the lock.
	if err := atomicfile.SyncFile(c.Temp(), filePerm); err != nil {
		return Meta{}, nil, atomicfile.Explain(doing, err)
	}
	s.step(stepTempSynced)
	unlock, err := s.lock(ctx, true, installPatience)
	if err != nil {
		return Meta{}, nil, err
	}
	defer unlock()
	if err := errors.Join(ctx.Err(), s.expect(after)); err != nil {
		return Meta{}, nil, atomicfile.Explain(doing, err)
	}
	if err := c.commit(meta, sidecar); err != nil {
		return Meta{}, nil, atomicfile.Explain(doing, err)
	}
	return meta, s.settle(meta, after), nil
}

// prepare completes the description and checks the file that it describes.
func (c *Claim) prepare(meta Meta) (Meta, []byte, error) {
	size, err := checkParquet(c.Temp())
	if err != nil {
		return Meta{}, nil, err
	}
	meta.Version, meta.Name, meta.BytesLocal = formatVersion, c.name, size
	meta.DataFile = dataName(c.name, c.temp.id)
	meta.Damage = nil
	meta.normalize()
	meta.LastUsed = meta.FetchedAt
	sidecar, err := meta.encode()
	return meta, sidecar, err
}

// commit puts the data file and its sidecar in place. The store is locked. If
// it fails before the sidecar is renamed, nothing has changed; if the very
// last sync fails, the new snapshot is there, and so is the old data, in case
// a power cut brings the old sidecar back.
func (c *Claim) commit(meta Meta, sidecar []byte) error {
	s, data := c.s, c.s.path(meta.DataFile)
	if err := os.Rename(c.Temp(), data); err != nil {
		return err
	}
	c.done = true
	s.step(stepDataRenamed)
	if err := atomicfile.SyncDir(s.dir); err != nil {
		_ = os.Remove(data)
		return err
	}
	s.step(stepDataSynced)
	if err := s.writeSidecar(meta.Name, sidecar); err != nil {
		_ = os.Remove(data)
		return err
	}
	err := atomicfile.SyncDir(s.dir)
	s.step(stepSidecarSynced)
	return err
}

// writeSidecar replaces a sidecar by one rename. The store is locked.
func (s *Store) writeSidecar(name string, sidecar []byte) error {
	staged, err := atomicfile.Stage(s.sidecarPath(name), filePerm, func(w io.Writer) error {
		_, err := w.Write(sidecar)
		return err
	})
	if err != nil {
		return err
	}
	s.step(stepSidecarStaged)
	if err := staged.Commit(); err != nil {
		staged.Discard()
		return err
	}
	s.step(stepSidecarCommitted)
	return nil
}

// settle does what follows a commit, and can fail without undoing it.
func (s *Store) settle(meta Meta, after After) (warnings []string) {
	if err := s.relink(meta.Name, meta.DataFile); err != nil {
		warnings = append(warnings, "The link for other tools was not renewed: "+err.Error()+".")
	}
	s.step(stepLinked)
	if l, err := s.list(); err == nil {
		if p := l.snapshots[meta.Name]; p != nil {
			s.removeData(p.data, meta.DataFile)
		}
	}
	s.step(stepOldRemoved)
	return append(warnings, s.followed(after)...)
}

// followed runs after and puts its failure into words.
func (s *Store) followed(after After) (warnings []string) {
	if err := s.follow(after); err != nil {
		warnings = append(warnings, "What is derived from the snapshots was not brought up to date: "+err.Error()+".")
	}
	s.step(stepFollowed)
	return warnings
}

// Keep replaces the description of the existing snapshot and leaves its data
// alone: for a refresh that found the same rows. Rows, schema and data stay as
// they are described; the returned Meta is the new description.
func (c *Claim) Keep(ctx context.Context, meta Meta) (Meta, error) {
	s, doing := c.s, fmt.Sprintf("refresh snapshot '%s'", c.name)
	if c.lock == nil || c.existing == nil || c.existing.Damage != nil {
		return Meta{}, atomicfile.Explain(doing, errors.New("there is none to keep"))
	}
	old := c.existing
	meta.Version, meta.Name, meta.DataFile, meta.BytesLocal = formatVersion, c.name, old.DataFile, old.BytesLocal
	meta.Rows, meta.Schema = old.Rows, slices.Clone(old.Schema)
	meta.Damage = nil
	meta.normalize()
	meta.LastUsed = old.LastUsed
	sidecar, err := meta.encode()
	if err != nil {
		return Meta{}, atomicfile.Explain(doing, err)
	}
	unlock, err := s.lock(ctx, true, installPatience)
	if err != nil {
		return Meta{}, err
	}
	defer unlock()
	if err := s.writeSidecar(c.name, sidecar); err != nil {
		return Meta{}, atomicfile.Explain(doing, err)
	}
	return meta, atomicfile.Explain(doing, atomicfile.SyncDir(s.dir))
}

// relink makes the link for other tools point to a generation. It replaces
// only a link of this store: what else has that name is somebody's own.
func (s *Store) relink(name, data string) error {
	path := s.linkPath(name)
	target, err := os.Readlink(path)
	switch {
	case err == nil && target == data:
		return nil
	case err == nil && !ours(name, target), err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s is not a link of this store", path)
	}
	staged, err := atomicfile.StageSymlink(data, path)
	if err != nil {
		return err
	}
	s.step(stepLinkStaged)
	if err := staged.Commit(); err != nil {
		staged.Discard()
		return err
	}
	return nil
}

// unlink removes the link for other tools, if it is ours.
func (s *Store) unlink(name string) {
	if target, err := os.Readlink(s.linkPath(name)); err == nil && ours(name, target) {
		_ = os.Remove(s.linkPath(name))
	}
}

// ours reports whether a link's target is a generation of the name.
func ours(name, target string) bool {
	of, ok := dataOf(target)
	return ok && of == name
}

// checkParquet makes sure that a file begins and ends as parquet does, which
// one that was cut short does not, and returns its size.
func checkParquet(path string) (int64, error) {
	const magic = "PAR1"
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	var first, last [len(magic)]byte
	if info.Mode().IsRegular() && info.Size() >= int64(3*len(magic)) {
		_, errFirst := f.ReadAt(first[:], 0)
		_, errLast := f.ReadAt(last[:], info.Size()-int64(len(magic)))
		if err := errors.Join(errFirst, errLast); err != nil {
			return 0, err
		}
	}
	if string(first[:]) != magic || string(last[:]) != magic {
		return 0, &api.Error{Code: api.CodeUnexpected, Message: "what was fetched is not a complete parquet file"}
	}
	return info.Size(), nil
}
