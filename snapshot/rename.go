package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Copy stores a snapshot's rows under a second name. Both share one file on disk
// until one of them is refreshed. The copy is pinned. Errors, after and warnings are those of Claim
// and Install.
func (s *Store) Copy(ctx context.Context, from, to string, force bool, after After) (Meta, []string, error) {
	if err := otherName(from, to); err != nil {
		return Meta{}, nil, err
	}
	links, err := s.Link([]string{from})
	if err != nil {
		return Meta{}, nil, err
	}
	defer links.Close()
	c, err := s.Claim(to, force)
	if err != nil {
		return Meta{}, nil, err
	}
	defer c.Release()
	if err := atomicfile.Duplicate(ctx, links.Path(from), c.Temp()); err != nil {
		return Meta{}, nil, atomicfile.Explain(fmt.Sprintf("copy snapshot '%s'", from), err)
	}
	meta := links.Metas[0].named(to)
	meta.Pinned = true
	return c.Install(ctx, meta, after)
}

// Rename gives a snapshot another name. If the process is killed on the way, the
// snapshot keeps its old name or has both; repeating the call then removes the
// old one. Errors, after and warnings are those of Claim and Install.
func (s *Store) Rename(ctx context.Context, from, to string, force bool, after After) (Meta, []string, error) {
	if err := otherName(from, to); err != nil {
		return Meta{}, nil, err
	}
	old, err := s.ClaimExisting(from)
	if err != nil {
		return Meta{}, nil, err
	}
	defer old.Release()
	if old.existing.Damage != nil {
		return Meta{}, nil, old.existing.Damage
	}
	c, err := s.claim(to, func(m *Meta) error {
		if m != nil && !force && m.generation() != old.existing.generation() {
			return s.exists(*m)
		}
		return nil
	})
	if err != nil {
		return Meta{}, nil, err
	}
	defer c.Release()
	meta, warnings, err := c.takeOver(ctx, *old.existing, after)
	return meta, warnings, atomicfile.Explain(fmt.Sprintf("rename snapshot '%s'", from), err)
}

// takeOver installs the snapshot old under the claim's name. It keeps the
// generation, by which a retry recognises its own earlier work.
func (c *Claim) takeOver(ctx context.Context, old Meta, after After) (Meta, []string, error) {
	s := c.s
	if err := atomicfile.Duplicate(ctx, s.DataPath(old), c.Temp()); err != nil {
		return Meta{}, nil, err
	}
	c.generation = old.generation()
	meta, sidecar, err := c.prepare(old.named(c.name))
	if err != nil {
		return Meta{}, nil, err
	}
	if err := s.files.SyncData(c.Temp()); err != nil {
		return Meta{}, nil, err
	}
	unlock, err := s.lock(ctx, store.Alone, installPatience)
	if err != nil {
		return Meta{}, nil, err
	}
	defer unlock()
	if err := errors.Join(ctx.Err(), s.expect(after)); err != nil {
		return Meta{}, nil, err
	}
	if err := c.commit(meta, sidecar); err != nil {
		return Meta{}, nil, err
	}
	s.files.Use(c.name, old.LastUsed)
	s.moveAbout(old.Name, c.name)
	removed := s.remove(old.Name)
	return meta, s.settle(meta, after), removed
}

// generation returns the part of the data file's name that identifies the
// generation.
func (m Meta) generation() string {
	return strings.TrimSuffix(strings.TrimPrefix(m.DataFile, m.Name+"-"), dataExt)
}

// named returns the description under another name.
func (m Meta) named(name string) Meta {
	if _, imported := m.Imported(); imported {
		m.TableID = name
	}
	m.Name = name
	return m
}

func otherName(from, to string) error {
	if from != to {
		return nil
	}
	return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("the new name is the old one, '%s'", from)}
}
