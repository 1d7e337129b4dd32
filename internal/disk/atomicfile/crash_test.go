package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
)

// childEnv makes the test binary play the part of another process.
const childEnv = "ATOMICFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		m.Run()
	case "rewrite":
		rewriteForever(os.Args[1])
	case "limited":
		os.Exit(writeLimited(os.Args[1])) //nolint:forbidigo // a child is a process of its own
	}
}

func child(part string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+part)
	cmd.Stderr = os.Stderr
	return cmd
}

// version is one of two contents that cannot be mistaken for each other.
func version(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%2)}, 200_000) }

func rewriteForever(path string) {
	for i := 0; ; i++ {
		if err := WriteFile(path, version(i), 0o600); err != nil {
			panic(err)
		}
		if i < 1000 {
			fmt.Fprintln(os.Stdout, i)
		}
	}
}

// TestAKilledWriterLeavesOneVersionWhole kills a process that rewrites a file
// without pause, each time a little later.
func TestAKilledWriterLeavesOneVersionWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for round := range 12 {
		cmd := child("rewrite", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() {
				t.Fatal("the writer ended by itself")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		got := []byte(mustRead(t, path))
		if !bytes.Equal(got, version(0)) && !bytes.Equal(got, version(1)) {
			t.Fatalf("round %d: %d bytes that are neither version", round, len(got))
		}
		for _, name := range names(t, filepath.Dir(path)) {
			if name != "f" && !Leftover(name) {
				t.Errorf("round %d: %s would never be found as a leftover", round, name)
			}
		}
	}
}

// writeLimited runs where no file may pass 64 kB.
func writeLimited(path string) int {
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	err := Explain("write", WriteFile(path, version(1), 0o600))
	if !api.CodeDiskFull.Is(err) || !errors.Is(err, syscall.EFBIG) {
		fmt.Fprintf(os.Stderr, "got %v, want a full disk\n", err)
		return 1
	}
	return 0
}

func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, version(0), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := child("limited", path).Run(); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, path); got != string(version(0)) {
		t.Errorf("the old file is gone: %d bytes", len(got))
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("folder holds %v, want f only", got)
	}
}
