package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Steps at which tests may stop, in addition to those of internal/disk/store.
const (
	stepFollowed = "followed"
	stepLoaded   = "loaded" // changes nothing; it is between two reads
)

// installPatience is how long Install waits for other installs. It is long
// because the scan has been paid for.
const installPatience = 10 * time.Minute

// Install makes the file at Temp the snapshot, described by meta. The store fills
// in Version, Name, BytesLocal and DataFile; the returned Meta has them. Install
// waits for other installs until ctx is done; once it has started, it cannot be
// interrupted. If it fails, the old snapshot remains.
//
// after, which may be nil, runs when the new snapshot is in place and before
// anybody else sees it. Failures of after, and of the link for other tools, are
// returned as warnings: sentences for people.
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
	if err := s.files.SyncData(c.Temp()); err != nil {
		return Meta{}, nil, atomicfile.Explain(doing, err)
	}
	unlock, err := s.lock(ctx, store.Alone, installPatience)
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
	removePartial(s.files.Dir, c.name)
	_ = os.Remove(s.profilePath(c.name)) // of other rows, which its hash would tell, too
	return meta, s.settle(meta, after), nil
}

// prepare completes the description and checks it against the data file.
func (c *Claim) prepare(meta Meta) (Meta, []byte, error) {
	size, err := checkParquet(c.Temp())
	if err != nil {
		return Meta{}, nil, err
	}
	meta.Version, meta.Name, meta.BytesLocal = formatVersion, c.name, size
	meta.DataFile = c.s.files.DataName(c.name, c.generation)
	if c.renews {
		meta.Labels = c.existing.Labels
	}
	meta.Damage = nil
	meta.normalize()
	meta.LastUsed = meta.FetchedAt
	sidecar, err := meta.encode()
	return meta, sidecar, err
}

// commit puts the data file and its sidecar in place. The store is locked.
func (c *Claim) commit(meta Meta, sidecar []byte) error {
	c.done = true
	return c.s.files.Commit(store.Change{Name: c.name, Temp: c.Temp(), Data: meta.DataFile, Record: sidecar})
}

// settle does the work after a commit whose failure does not undo the commit.
func (s *Store) settle(meta Meta, after After) (warnings []string) {
	if err := s.files.Settle(meta.Name, meta.DataFile); err != nil {
		warnings = append(warnings, "The link for other tools was not renewed: "+err.Error()+".")
	}
	return append(warnings, s.followed(after)...)
}

// followed runs after and returns its failure as a warning.
func (s *Store) followed(after After) (warnings []string) {
	if err := s.follow(after); err != nil {
		warnings = append(warnings, "What is derived from the snapshots was not brought up to date: "+err.Error()+".")
	}
	s.step(stepFollowed)
	return warnings
}

// Keep replaces the description of the existing snapshot and leaves its data
// alone, for a refresh that found the same rows. Rows, schema, data file, note
// and tags stay as they were. It returns the new description.
func (c *Claim) Keep(ctx context.Context, meta Meta) (Meta, error) {
	if c.existing != nil {
		meta.Labels = c.existing.Labels
	}
	return c.describe(ctx, fmt.Sprintf("refresh snapshot '%s'", c.name), meta)
}

// describe replaces the description of the existing snapshot.
func (c *Claim) describe(ctx context.Context, doing string, meta Meta) (Meta, error) {
	if c.lock == nil || c.existing == nil || c.existing.Damage != nil {
		return Meta{}, atomicfile.Explain(doing, errors.New("there is none to keep"))
	}
	s, old := c.s, c.existing
	meta.Version, meta.Name, meta.DataFile, meta.BytesLocal = formatVersion, c.name, old.DataFile, old.BytesLocal
	meta.Rows, meta.Schema, meta.Once, meta.Twice = old.Rows, slices.Clone(old.Schema), old.Once, old.Twice
	meta.Damage = nil
	meta.normalize()
	meta.LastUsed = old.LastUsed
	sidecar, err := meta.encode()
	if err != nil {
		return Meta{}, atomicfile.Explain(doing, err)
	}
	unlock, err := s.lock(ctx, store.Alone, installPatience)
	if err != nil {
		return Meta{}, err
	}
	defer unlock()
	return meta, atomicfile.Explain(doing, s.files.Commit(store.Change{Name: c.name, Record: sidecar}))
}

// checkParquet checks the magic bytes at both ends of a file, which a truncated
// file lacks, and returns its size.
func checkParquet(path string) (int64, error) {
	const magic = "PAR1"
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
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
