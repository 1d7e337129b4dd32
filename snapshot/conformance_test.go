package snapshot

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Owner{
		Open: func(home string, step func(string)) (storetest.Store, error) {
			s, err := Open(home, WithStep(step))
			return texts{s}, err
		},
		Busy:        func(err error) bool { return api.CodeSnapshotBusy.Is(err) },
		ReadsLocked: true, // see TestAChangeUnderTheEyesOfAReader
	})
}

// texts keeps each text as a snapshot, in what looks like parquet.
type texts struct{ s *Store }

func (x texts) Put(name, text string) error {
	c, err := x.s.Claim(name, true)
	if err != nil {
		return err
	}
	defer c.Release()
	if err := fill(c.Temp(), text); err != nil {
		return err
	}
	_, _, err = c.Install(context.Background(), described("x"), nil)
	return err
}

func (x texts) Get(name string) (string, error) {
	read, release, err := x.Hold(name)
	if err != nil {
		return "", err
	}
	defer release()
	return read()
}

func (x texts) Hold(name string) (read func() (string, error), release func(), err error) {
	l, err := x.s.Link([]string{name})
	if err != nil {
		return nil, nil, ifUnknown(err, fs.ErrNotExist)
	}
	path := l.Path(name)
	return func() (string, error) { return contentOf(path) }, l.Close, nil
}

// ifUnknown returns other in place of the error for a name without a snapshot.
func ifUnknown(err, other error) error {
	if api.CodeUnknownSnapshot.Is(err) {
		return other
	}
	return err
}

func (x texts) Drop(name string) error {
	_, err := x.s.Drop(name, nil)
	return ifUnknown(err, nil)
}

func (x texts) Sweep() error {
	x.s.sweep()
	return nil
}

// TestWhatEarlierReleasesWrote reads a folder as an earlier release left it.
func TestWhatEarlierReleasesWrote(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(home, os.DirFS("testdata/v1")); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, home)
	m, err := s.Get("late")
	if err != nil || m.Rows != 2 || m.TableID != "flights" || !m.LastUsed.After(m.FetchedAt) {
		t.Errorf("%+v, %v", m, err)
	}
	l, err := s.Link([]string{"late"})
	if err != nil || l.Direct {
		t.Fatalf("%+v, %v", l, err)
	}
	size, err := checkParquet(l.Path("late"))
	if err != nil || size != m.BytesLocal {
		t.Errorf("%d bytes, %v", size, err)
	}
	l.Close()
	mustPut(t, s, "late", "next")
	if err := reads(s, "late", "next"); err != nil {
		t.Error(err)
	}
}
