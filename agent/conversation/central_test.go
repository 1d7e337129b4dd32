package conversation

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/disk/store"
)

// talks are the conversations of a user as a server keeps them for all.
type talks struct {
	logs    map[string][]byte
	holders map[string]string
	refuse  error  // of PutShown and Append
	asked   func() // called once Sizes has looked
}

func (c *talks) Sizes() (map[string]int64, error) {
	sizes := map[string]int64{}
	for id, log := range c.logs {
		sizes[id] = int64(len(log))
	}
	if f := c.asked; f != nil {
		c.asked = nil
		f()
	}
	return sizes, nil
}

func (c *talks) Log(id string, from int64, f func(int64, []byte) error) error {
	return f(from, c.logs[id][from:])
}

func (c *talks) Hold(id, holder string, create bool) (func(), error) {
	if _, there := c.logs[id]; !there && create {
		c.logs[id] = nil
	}
	if other := c.holders[id]; other != "" && other != holder {
		return nil, errors.New("somebody else holds it")
	}
	c.holders[id] = holder
	return func() { c.holders[id] = "" }, nil
}

func (c *talks) Append(id, holder string, size int64, part []byte) (bool, error) {
	if c.refuse != nil {
		return false, c.refuse
	}
	if c.holders[id] != holder || int64(len(c.logs[id])) != size {
		return false, nil
	}
	c.logs[id] = append(c.logs[id], part...)
	return true, nil
}

func (c *talks) Delete(id string) error { delete(c.logs, id); return nil }

func (c *talks) PutShown(string, string, []byte) error { return c.refuse }

func (c *talks) Shown(string, string) ([]byte, error) { return nil, fs.ErrNotExist }

// TestATakeoverThatIsCutGoesOn shares a conversation of a server that shared none, also if the
// first try fails behind any of its steps.
func TestATakeoverThatIsCutGoesOn(t *testing.T) {
	s := Store{Dir: t.TempDir(), Now: time.Now}
	l, err := s.Create(Record{Text: "How many?"})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	central := &talks{logs: map[string][]byte{}, holders: map[string]string{}, refuse: errors.New("the line is down")}
	s.Central = central
	if err := s.sync(""); err == nil {
		t.Fatal("it was shared without a line")
	}
	central.refuse = nil
	if err := s.sync(""); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.log(l.ID))
	if err != nil || string(central.logs[l.ID]) != string(text) {
		t.Fatalf("%v: the others have %q of %q", err, central.logs[l.ID], text)
	}
	central.logs[l.ID] = central.logs[l.ID][:0] // an older state is restored
	if err := s.sync(""); err != nil {
		t.Fatal(err)
	}
	if l, err = s.Open(l.ID); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append(Record{Type: UserMessage, Text: "And now?"}); err != nil {
		t.Errorf("behind a restored state: %v", err)
	}
}

// TestAConversationThatBeginsStays has one begin while another request lists them.
func TestAConversationThatBeginsStays(t *testing.T) {
	central := &talks{logs: map[string][]byte{}, holders: map[string]string{}}
	s := Store{Dir: t.TempDir(), Now: time.Now, Central: central}
	var l *Log
	central.asked = func() {
		var err error
		if l, err = s.Create(Record{Text: "How many?"}); err != nil {
			t.Error(err)
		}
	}
	if err := s.sync(""); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := os.Stat(filepath.Join(s.folder(l.ID), "log.jsonl")); err != nil {
		t.Error(err)
	}
	if holder := central.holders[l.ID]; holder != l.holder {
		t.Errorf("the holder is %q, want %q", holder, l.holder)
	}
	if ids := slices.Collect(maps.Keys(central.logs)); len(ids) != 1 || !store.IsID(ids[0]) {
		t.Errorf("%q", ids)
	}
}
