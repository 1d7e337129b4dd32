package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/suggest"
)

// The kinds of damage, in the Kind of an error with CodeReadFailed.
const (
	DamageSidecar     = "sidecar_invalid" // unreadable, or not a sidecar
	DamageNewer       = "format_newer"    // written by a later version of da
	DamageDataMissing = "data_missing"
	DamageDataChanged = "data_changed" // not the file that was installed
)

// noFollow keeps an open from following a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// Get describes one snapshot: CodeUnknownSnapshot, with the near names, if it
// does not exist. If it is damaged, the error says how, and the Meta holds
// what is known all the same.
func (s *Store) Get(name string) (Meta, error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return Meta{}, err
	}
	m, found := s.load(name)
	if !found {
		return Meta{}, s.unknown(name)
	}
	if m.Damage != nil {
		return m, m.Damage
	}
	return m, nil
}

// List describes all snapshots, ordered by name. A damaged one is listed with
// its Damage; one that is dropped meanwhile is left out.
func (s *Store) List() ([]Meta, error) {
	names, err := s.names()
	if err != nil {
		return nil, &api.Error{
			Code: api.CodeReadFailed, Message: "cannot list the snapshots: " + err.Error(),
			Hint: "Check the permissions of the folder.", Err: err,
		}
	}
	metas := make([]Meta, 0, len(names))
	for _, name := range names {
		if m, found := s.load(name); found {
			metas = append(metas, m)
		}
	}
	return metas, nil
}

// names returns the names that have a sidecar, ordered.
func (s *Store) names() ([]string, error) {
	bases, err := baseNames(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, base := range bases {
		if name, ok := strings.CutSuffix(base, sidecarExt); ok && isName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// load reads one snapshot's sidecar and looks at its data file, without a
// lock: an install commits before it removes the old generation, so a file
// that is missing counts only if the sidecar still names it.
func (s *Store) load(name string) (m Meta, found bool) {
	missing := ""
	for {
		m, found = s.readSidecar(name)
		if !found || m.Damage != nil {
			return m, found
		}
		s.step(stepSidecarRead)
		info, err := os.Lstat(s.path(m.DataFile))
		switch {
		case err == nil && info.Mode().IsRegular() && info.Size() == m.BytesLocal:
		case errors.Is(err, fs.ErrNotExist):
			if missing != m.DataFile {
				missing = m.DataFile
				continue
			}
			m.Damage = damaged(name, DamageDataMissing, "its data file is missing", nil)
		case err != nil:
			m.Damage = damaged(name, DamageDataMissing, "its data file cannot be read: "+err.Error(), err)
		default:
			m.Damage = damaged(name, DamageDataChanged, "its data file is not the one that was fetched", nil)
		}
		m.LastUsed = m.FetchedAt
		if info, err := os.Stat(s.usedPath(name)); err == nil && info.ModTime().After(m.FetchedAt) {
			m.LastUsed = info.ModTime().UTC()
		}
		return m, true
	}
}

// readSidecar reads the commit record alone.
func (s *Store) readSidecar(name string) (m Meta, found bool) {
	data, err := readSmall(s.sidecarPath(name), maxSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return Meta{}, false
	}
	if err == nil {
		m, err = parseMeta(name, data)
	}
	if err != nil {
		kind, what := DamageSidecar, "its description cannot be read: "
		if errors.Is(err, errNewer) {
			kind, what = DamageNewer, "it was "
		}
		return Meta{Name: name, Damage: damaged(name, kind, what+err.Error(), err)}, true
	}
	return m, true
}

// readSmall reads a regular file of at most limit bytes. It follows no
// symbolic link and waits for no pipe.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", info.Name())
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has over %d bytes", info.Name(), limit)
	}
	return data, err
}

// damaged makes the error that a snapshot's Damage is.
func damaged(name, kind, what string, err error) *api.Error {
	refresh := api.Do(api.ActionRefresh, "fetch it again", "name", name)
	again, drop := api.Set(api.OptionForce, "fetch it again"), api.Do(api.ActionDrop, "remove it", "name", name)
	hint, next := "", []api.Step{refresh, drop}
	switch kind {
	case DamageSidecar:
		next = []api.Step{again, drop}
	case DamageNewer:
		hint, next = "Use that version of da, or fetch it again.", []api.Step{again}
	}
	return &api.Error{
		Code: api.CodeReadFailed, Kind: kind,
		Message: fmt.Sprintf("snapshot '%s' is damaged: %s", name, what),
		Hint:    hint,
		Next:    next,
		Details: map[string]any{"snapshot": name},
		Err:     err,
	}
}

// unknown makes the error for a name without a snapshot.
func (s *Store) unknown(name string) error {
	names, _ := s.names() // without them there is nothing to suggest
	near := suggest.Near(name, names)
	e := &api.Error{
		Code:    api.CodeUnknownSnapshot,
		Message: fmt.Sprintf("there is no snapshot '%s'", name),
		Next:    []api.Step{api.Do(api.ActionSnapshots, "see which snapshots there are")},
		Details: map[string]any{"snapshot": name, "suggestions": append([]string{}, near...)},
	}
	if len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'?", strings.Join(near, "' or '"))
	}
	return e
}
