package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Limits on a user's note and tags.
const (
	maxNote = 2000 // characters
	maxTags = 50
)

// Labels are what the user has said of a snapshot. Refreshes keep them, and copies
// are pinned.
type Labels struct {
	Note string   `json:"note,omitempty"`
	Tags []string `json:"tags,omitempty"` // ordered; each matches api.NamePattern
	// Pinned snapshots stay as they are when all are refreshed.
	Pinned bool `json:"pinned,omitempty"`
}

// Tagged reports whether the snapshot has a tag.
func (l Labels) Tagged(tag string) bool { return slices.Contains(l.Tags, tag) }

// check sorts the tags and rejects invalid ones. It also rejects too many tags
// and a note that is too long.
func (l *Labels) check() error {
	l.Note = strings.TrimSpace(l.Note)
	if n := utf8.RuneCountInString(l.Note); n > maxNote {
		return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("the note has %d characters; a snapshot keeps at most %d", n, maxNote)}
	}
	for _, tag := range l.Tags {
		if err := api.CheckName("tag", tag); err != nil {
			return err
		}
	}
	l.Tags = slices.Clone(l.Tags)
	slices.Sort(l.Tags)
	l.Tags = slices.Compact(l.Tags)
	if n := len(l.Tags); n > maxTags {
		return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("these are %d tags; a snapshot keeps at most %d", n, maxTags)}
	}
	return nil
}

// Label changes the note and tags of a snapshot. It returns CodeUnknownSnapshot
// if there is no such snapshot, and CodeSnapshotBusy during a fetch or refresh.
func (s *Store) Label(ctx context.Context, name string, change func(*Labels)) (Meta, error) {
	c, err := s.ClaimExisting(name)
	if err != nil {
		return Meta{}, err
	}
	defer c.Release()
	if c.existing.Damage != nil {
		return Meta{}, c.existing.Damage
	}
	meta := *c.existing
	change(&meta.Labels)
	if err := meta.Labels.check(); err != nil {
		return Meta{}, err
	}
	return c.describe(ctx, fmt.Sprintf("describe snapshot '%s'", name), meta)
}
