package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/suggest"
)

// Get describes one snapshot. If it does not exist, it returns
// CodeUnknownSnapshot with similar names. If it is damaged, it returns both the
// error and a Meta with what is known.
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

// List describes all snapshots, ordered by name. A damaged one has its Damage
// set; one that is dropped during the call is left out.
func (s *Store) List() ([]Meta, error) {
	names, err := s.files.Names()
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

// load reads one snapshot's sidecar and checks its data file, without a lock.
func (s *Store) load(name string) (m Meta, found bool) {
	parsed := false
	err := s.files.Read(name, func(sidecar []byte) (store.Data, error) {
		var err error
		m, err = parseMeta(name, sidecar)
		parsed = err == nil
		return store.Data{Base: m.DataFile, Size: m.BytesLocal}, err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Meta{}, false
	case errors.Is(err, errNewer):
		return Meta{Name: name, Damage: damaged(name, api.KindFormatNewer, "it was "+err.Error(), err)}, true
	case err != nil && !parsed:
		return Meta{Name: name, Damage: damaged(name, api.KindSidecarInvalid, "its description cannot be read: "+err.Error(), err)}, true
	case errors.Is(err, store.ErrDataMissing):
		m.Damage = damaged(name, api.KindDataMissing, "its data file is missing", nil)
	case errors.Is(err, store.ErrDataChanged):
		m.Damage = damaged(name, api.KindDataChanged, "its data file is not the one that was fetched", nil)
	case err != nil:
		m.Damage = damaged(name, api.KindDataMissing, "its data file cannot be read: "+err.Error(), err)
	}
	m.LastUsed = m.FetchedAt
	if used := s.files.Used(name); used.After(m.FetchedAt) {
		m.LastUsed = used
	}
	return m, true
}

// damaged returns the error for a snapshot's Damage.
func damaged(name, kind, what string, err error) *api.Error {
	refresh := api.Do(api.ActionRefresh, "fetch it again", "name", name)
	again, drop := api.Set(api.OptionForce, "fetch it again"), api.Do(api.ActionDrop, "remove it", "name", name)
	hint, next := "", []api.Step{refresh, drop}
	switch kind {
	case api.KindSidecarInvalid:
		next = []api.Step{again, drop}
	case api.KindFormatNewer:
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
	names, _ := s.files.Names() // without them there is nothing to suggest
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
