package conversation

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// WithoutReasoning returns records for readers: without blocks that only the provider
// of a model reads, which hold what it has thought. The log keeps them for the model.
func WithoutReasoning(records []Record) []Record {
	out := slices.Clone(records)
	for i := range out {
		out[i].Blocks = slices.DeleteFunc(slices.Clone(out[i].Blocks), func(b provider.Block) bool { return b.Opaque != nil })
	}
	return out
}

// List describes all conversations, most recent first. A conversation that cannot
// be read is listed with its id only.
func (s Store) List() ([]Info, error) { return s.Find("") }

// Find is List for the conversations in whose questions, answers and titles every word
// of a text is, without regard to case.
func (s Store) Find(text string) ([]Info, error) {
	if err := s.sync(""); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Info{}, nil
	}
	if err != nil {
		return nil, atomicfile.Explain("list conversations", err)
	}
	all := []Info{}
	for _, e := range entries {
		if !store.IsID(e.Name()) {
			continue
		}
		records, err := s.read(e.Name())
		if err != nil || len(records) == 0 {
			if file, statErr := os.Stat(s.log(e.Name())); statErr == nil && text == "" {
				all = append(all, Info{ID: e.Name(), Last: file.ModTime(), Bytes: file.Size(), Open: true})
			}
			continue
		}
		if !says(records, text) {
			continue
		}
		info := Describe(records)
		if file, err := os.Stat(s.log(e.Name())); err == nil {
			info.Bytes = file.Size()
		}
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b Info) int { return b.Last.Compare(a.Last) })
	return all, nil
}

// says reports whether every word of a text is in what was said.
func says(records []Record, text string) bool {
	words := strings.Fields(strings.ToLower(text))
	for _, r := range records {
		if len(words) == 0 {
			break
		}
		if r.Type == UserMessage || r.Type == AssistantMessage || r.Type == TurnEnd || r.Type == Title {
			said := strings.ToLower(r.Text)
			words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(said, w) })
		}
	}
	return len(words) == 0
}
