package synced

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// envChild makes the test binary pull files into the home of its first argument
// until it is killed; envKills is how often the campaign kills one.
const (
	envChild = "SYNCED_TEST_CHILD"
	envKills = "DA_SYNC_KILLS"
)

func TestMain(m *testing.M) {
	if os.Getenv(envChild) == "" {
		m.Run()
		return
	}
	if err := childPulls(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1) //nolint:forbidigo // a child is a process of its own
	}
}

// childPulls pulls two files by turns. It dies at the step of that number; at
// none, it goes on until it is killed.
func childPulls(home, step string) error {
	dieAt, err := strconv.Atoi(step)
	if err != nil {
		return err
	}
	s := At(home)
	steps := 0
	s.files.Step = func(string) {
		_, _ = os.Stdout.WriteString(".") // the campaign kills after so many of them
		if steps++; steps == dieAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	for i := 0; dieAt == 0 || i < 3; i++ {
		if err := syncOnce(s, byte(i%2)); err != nil {
			return err
		}
	}
	return nil
}

// syncOnce does what a sync does with a manifest of one file.
func syncOnce(s *Store, seed byte) error {
	unlock, err := s.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	data, table := content("t", 2*minChunk+3, seed)
	if have, ok := s.Get("t"); ok && have.XXH3 == table.XXH3 {
		err = s.Point(have)
	} else {
		err = pullWhole(s, data, table)
	}
	s.Sweep([]api.SyncTable{table})
	return err
}

func pullWhole(s *Store, data []byte, table api.SyncTable) error {
	p, err := s.Begin(table)
	if err != nil {
		return err
	}
	defer p.Close()
	chunks, _ := p.Missing()
	for _, c := range chunks {
		if err := p.Write(c, bytes.NewReader(data[c.From:c.From+c.Size]), func(int64) {}); err != nil {
			return err
		}
	}
	_, err = p.Install("https://a", time.Now(), sound)
	return err
}

func child(home string, step int) *exec.Cmd {
	cmd := exec.Command(os.Args[0], home, strconv.Itoa(step))
	cmd.Env = append(os.Environ(), envChild+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// wantGoesOn syncs after a crash: that must work at once, whichever file the
// server has by then, and leave nothing but the file.
func wantGoesOn(t *testing.T, home string, seed byte) {
	t.Helper()
	s := At(home)
	if m, ok := s.Get("t"); ok {
		if got, err := os.ReadFile(s.files.Path(m.DataFile)); err != nil || !isContent(got) {
			t.Errorf("before the next sync: %d bytes, %v", len(got), err)
		}
	}
	if err := syncOnce(s, seed); err != nil {
		t.Fatalf("the next sync: %v", err)
	}
	data, table := content("t", 2*minChunk+3, seed)
	if m, ok := s.Get("t"); !ok || m.XXH3 != table.XXH3 {
		t.Errorf("the record is %+v, %t", m, ok)
	}
	if got, err := os.ReadFile(s.files.Path("t.parquet")); err != nil || !bytes.Equal(got, data) {
		t.Errorf("through the link: %d bytes, %v", len(got), err)
	}
	entries, err := os.ReadDir(s.Dir())
	if err != nil || len(entries) != 4 { // the lock, the record, the data, the link
		t.Errorf("there are %v, %v", entries, err)
	}
}

func isContent(got []byte) bool {
	for seed := range byte(2) {
		if data, _ := content("t", 2*minChunk+3, seed); bytes.Equal(got, data) {
			return true
		}
	}
	return false
}

// TestASyncGoesOnAfterAKillAtAnyStep kills a process that pulls one file, then
// another, then the first again, after each of its steps.
func TestASyncGoesOnAfterAKillAtAnyStep(t *testing.T) {
	for step := 1; ; step++ {
		home := t.TempDir()
		err := child(home, step).Run()
		if err == nil {
			if step < 30 {
				t.Errorf("there were only %d steps", step-1)
			}
			return
		}
		wantKilled(t, err)
		wantGoesOn(t, home, byte(step%2))
		wantGoesOn(t, home, byte((step+1)%2))
	}
}

// TestSyncsGoOnAfterKillsAtRandom kills pulls wherever they are, again and
// again in the same folder.
func TestSyncsGoOnAfterKillsAtRandom(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv(envKills)); err == nil {
		kills = n
	}
	home := t.TempDir()
	for range kills {
		cmd := child(home, 0)
		steps, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, steps, rand.Int64N(60)); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		wantKilled(t, cmd.Wait())
		wantGoesOn(t, home, byte(rand.IntN(2)))
	}
}

func wantKilled(t *testing.T, err error) {
	t.Helper()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was to be killed, and ended with %v", err)
	}
}
