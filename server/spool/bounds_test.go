package spool

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// childEnv makes the test binary a server that keeps a file below a folder, and
// waits to be killed.
const childEnv = "SPOOL_TEST_CHILD"

func TestMain(m *testing.M) {
	if parent := os.Getenv(childEnv); parent != "" {
		f, err := New(parent, Limits{Bytes: 1 << 20, Files: 100, For: time.Hour}).Make("k", nil, func() {})
		if err == nil {
			_, err = f.Write(make([]byte, 1000))
		}
		if err == nil {
			_, err = os.Stdout.WriteString("ready\n")
		}
		if err == nil {
			select {}
		}
		panic(err)
	}
	m.Run()
}

// TestWhatAKilledServerKeptGoes with the first file of the next one.
func TestWhatAKilledServerKeptGoes(t *testing.T) {
	parent := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+parent)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if left := onDisk(t, parent); left != 1000 {
		t.Fatalf("the killed server left %d bytes", left)
	}
	s := New(parent, Limits{Bytes: 1 << 20, Files: 100, For: time.Hour})
	defer s.Close()
	mustMake(t, s, "k", func() {})
	if left := onDisk(t, parent); left != 0 {
		t.Errorf("%d bytes are left", left)
	}
}

// onDisk adds up the files below a folder.
func onDisk(t *testing.T, parent string) (size int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(parent, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // it went meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// standingStill adds up the files while nobody writes, empties or removes one: a
// sum of sizes that were read one after the other may count a file that went, and
// what has come in its place.
func standingStill(t *testing.T, s *Spool) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	return onDisk(t, s.parent)
}

// TestTheFolderIsBoundedUnderLoad has many clients at once, which read all of
// their file, leave in the middle, come back, or never do. The folder holds what
// the limit says, and beyond that what is under way: a write for each client.
func TestTheFolderIsBoundedUnderLoad(t *testing.T) {
	const clients, piece, pieces, limit = 24, 1000, 60, 200_000
	s := newTest(t, Limits{Bytes: limit, Files: 100, For: time.Hour})
	var wg sync.WaitGroup
	for n := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 0))
			f := mustMake(t, s, "k", func() {})
			r := openAt(t, f, 0)
			written := make(chan error, 1)
			go func() {
				for range pieces {
					if _, err := f.Write(make([]byte, piece)); err != nil {
						written <- f.CloseWithError(err)
						return
					}
				}
				written <- f.CloseWithError(nil)
			}()
			size := int64(piece * pieces)
			if random.IntN(2) == 0 { // it leaves
				size = random.Int64N(size)
			}
			got, err := io.CopyN(io.Discard, r, size)
			if err != nil && !errors.Is(err, ErrGone) {
				t.Errorf("client %d: %d bytes of %d, %v", n, got, size, err)
			}
			if most := standingStill(t, s); most > limit+clients*piece {
				t.Errorf("the folder takes %d bytes", most)
			}
			_ = r.Close()
			if random.IntN(2) == 0 { // and comes back
				if r, err := f.OpenAt(got); err == nil {
					_, _ = io.Copy(io.Discard, r) // its beginning may have gone
					_ = r.Close()
				}
			}
			<-written
		})
	}
	wg.Wait()
	for _, f := range s.files {
		f.Drop()
	}
	if s.bytes != 0 || onDisk(t, s.parent) != 0 {
		t.Errorf("%d bytes are reserved, %d on the disk", s.bytes, onDisk(t, s.parent))
	}
}
