package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestMain lets the test binary be a process that holds a folder.
func TestMain(m *testing.M) {
	if parent := os.Getenv("FOLDER_HOLDER"); parent != "" {
		d, err := OpenFolder(parent)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stdout, d.Path)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until it is killed
		return
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// TestWhatAKilledProcessLeavesGoes kills a holder, and keeps a living one's.
func TestWhatAKilledProcessLeavesGoes(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "odd [*] name")
	living, err := OpenFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FOLDER_HOLDER="+parent)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	dead := strings.TrimSpace(line)
	if err := os.WriteFile(filepath.Join(dead, "spill"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	third, err := OpenFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	if !exists(dead) {
		t.Error("the folder of a running process is gone")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	fourth, err := OpenFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	if exists(dead) || !exists(living.Path) || !exists(third.Path) {
		t.Errorf("dead is there: %v, living: %v, %v", exists(dead), exists(living.Path), exists(third.Path))
	}
	// A folder of the releases before, whose ids were decimal numbers.
	older := filepath.Join(parent, "run-186146870")
	if err := errors.Join(os.Mkdir(older, 0o700), os.WriteFile(older+".lock", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	fifth, err := OpenFolder(parent)
	if err != nil || exists(older) {
		t.Errorf("an older folder is there: %t, %v", exists(older), err)
	}
	for _, d := range []*Folder{living, third, fourth, fifth} {
		d.Close()
		d.Close()
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestManyAtOnce(t *testing.T) {
	parent := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				d, err := OpenFolder(parent)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(d.Path, "x"), nil, 0o600); err != nil {
					t.Error(err)
				}
				d.Close()
			}
		})
	}
	wg.Wait()
}
