package synced

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
)

// content is a file of n bytes and what a manifest says of it.
func content(id string, n int, seed byte) ([]byte, api.SyncTable) {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7) ^ byte(i>>11) ^ seed
	}
	sum := xxh3.Hash128(data).Bytes()
	return data, api.SyncTable{TableID: id, Rows: 1, Bytes: int64(n), XXH3: hex.EncodeToString(sum[:])}
}

// sound takes a file as it is.
func sound(string) error { return nil }

// pull writes chunks until there are only left missing, and closes the part.
func pull(t *testing.T, s *Store, data []byte, table api.SyncTable, left int) *Part {
	t.Helper()
	p, err := s.Begin(table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	chunks, _ := p.Missing()
	for _, c := range chunks[:len(chunks)-left] {
		if err := p.Write(c, bytes.NewReader(data[c.From:c.From+c.Size]), func(int64) {}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestAPartGoesOnWhereItStopped(t *testing.T) {
	s := lockedStore(t)
	data, table := content("t", 5*minChunk+3, 1)
	pull(t, s, data, table, 2).Close()
	// The line that a killed process was writing does not count, whatever of it
	// is there.
	log, err := os.OpenFile(s.files.Path(doneName(table)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString("4194304"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := s.Begin(table)
	if err != nil {
		t.Fatal(err)
	}
	chunks, have := p.Missing()
	if len(chunks) != 2 || have != 4*minChunk {
		t.Fatalf("missing %v, have %d", chunks, have)
	}
	p.Close()
	p = pull(t, s, data, table, 0)
	m, err := p.Install("https://a", time.Now(), sound)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(s.files.Path(m.DataFile))
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if link, err := os.ReadFile(s.files.Path("t.parquet")); err != nil || !bytes.Equal(link, data) {
		t.Errorf("the link: %v", err)
	}
	if left, _ := filepath.Glob(s.files.Path(partPrefix + "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWhatIsNotAsAnnouncedIsThrownAway(t *testing.T) {
	s := lockedStore(t)
	good, table := content("t", 3000, 1)
	if _, err := pull(t, s, good, table, 0).Install("https://a", time.Now(), sound); err != nil {
		t.Fatal(err)
	}
	bad, next := content("t", 3000, 2)
	bad[1500] ^= 1
	p := pull(t, s, bad, next, 0)
	if _, err := p.Install("https://a", time.Now(), sound); !api.CodeStreamCut.Is(err) {
		t.Fatalf("installed: %v", err)
	}
	if m, ok := s.Get("t"); !ok || m.XXH3 != table.XXH3 {
		t.Errorf("the good one is gone: %+v", m)
	}
	if left, _ := filepath.Glob(s.files.Path(partPrefix + "*")); len(left) > 0 {
		t.Errorf("the bad one is kept: %v", left)
	}
	// A chunk that ends early is not noted.
	p, err := s.Begin(next)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Write(Chunk{0, 3000}, bytes.NewReader(bad[:2999]), func(int64) {}); !api.CodeStreamCut.Is(err) {
		t.Errorf("a short chunk: %v", err)
	}
	if chunks, _ := p.Missing(); len(chunks) != 1 {
		t.Error("a short chunk counts as there")
	}
}

func TestAReaderKeepsWhatItHas(t *testing.T) {
	s := lockedStore(t)
	data, table := content("t", 3000, 1)
	if _, err := pull(t, s, data, table, 0).Install("https://a", time.Now(), sound); err != nil {
		t.Fatal(err)
	}
	path, _, ok, err := s.Link("t", t.TempDir())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	next, newer := content("t", 4000, 2)
	m, err := pull(t, s, next, newer, 0).Install("https://a", time.Now(), sound)
	if err != nil {
		t.Fatal(err)
	}
	// What is expected of the rows has values of them.
	for _, path := range []string{s.ChecksPath("t"), s.ChecksPath("t") + ".json"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("tables: {}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Remove(m); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Dir(s.ChecksPath("t"))); err != nil {
		t.Errorf("there are checks left: %v", err)
	}
	s.Sweep(nil)
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the reader has %d bytes, %v", len(got), err)
	}
	left, err := os.ReadDir(s.Dir())
	if err != nil || len(left) != 1 || left[0].Name() != ".lock" {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, _, ok, err := s.Link("t", t.TempDir()); ok || err != nil {
		t.Errorf("removed: %t, %v", ok, err)
	}
}

func TestOneAtATime(t *testing.T) {
	home := t.TempDir()
	unlock, err := At(home).Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := At(home).Lock(); !errors.Is(err, &api.Error{Code: api.CodeSnapshotBusy, Kind: "sync_busy"}) {
		t.Errorf("a second: %v", err)
	}
	unlock()
	if unlock, err = At(home).Lock(); err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestRecordsThatAreNotWholeAreNotThere(t *testing.T) {
	s := lockedStore(t)
	data, table := content("t", 3000, 1)
	m, err := pull(t, s, data, table, 0).Install("https://a", time.Now(), sound)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "..", "../t", "T", "a/b"} {
		if _, ok := s.Get(id); ok {
			t.Errorf("%q is there", id)
		}
	}
	if err := os.Truncate(s.files.Path(m.DataFile), 2999); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get("t"); ok || len(s.List()) != 0 {
		t.Error("a cut file counts as there")
	}
}

func lockedStore(t *testing.T) *Store {
	t.Helper()
	s := At(t.TempDir())
	unlock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	return s
}

// TestRefusedFilesLeaveNothing refuses a table before anything arrives, and a file
// with the wrong content. Earlier copies stay.
func TestRefusedFilesLeaveNothing(t *testing.T) {
	s := lockedStore(t)
	data, table := content("t", 2*minChunk+3, 1)
	if _, err := pull(t, s, data, table, 0).Install("https://a", time.Now(), sound); err != nil {
		t.Fatal(err)
	}
	next, newer := content("t", 2*minChunk+3, 2)
	pull(t, s, next, newer, 3).Close()
	p := pull(t, s, next, newer, 0)
	refused := errors.New("other rows")
	if _, err := p.Install("https://a", time.Now(), func(string) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a file that does not hold: %v", err)
	}
	p.Close()
	if m, ok := s.Get("t"); !ok || m.XXH3 != table.XXH3 {
		t.Errorf("the record is %+v, %t", m, ok)
	}
	entries, err := os.ReadDir(s.Dir())
	if err != nil || len(entries) != 4 { // the lock, the record, the data, the link
		t.Errorf("there are %v, %v", entries, err)
	}
}
