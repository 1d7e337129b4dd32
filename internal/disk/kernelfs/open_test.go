//go:build unix

package kernelfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpen opens what users can name: files and the pipes of shells, and nothing that
// can wait for ever.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("file"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(in("fifo"), 0o600), os.Symlink("fifo", in("link"))); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(socket) }()
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: in("socket")}); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("piped"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	for path, want := range map[string]string{in("file"): "data", fmt.Sprintf("/dev/fd/%d", r.Fd()): "piped"} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); string(data) != want || err != nil {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		f.Close()
	}
	for path, want := range map[string]error{
		in("fifo"): errSpecial, in("link"): errSpecial, in("socket"): errSpecial, "/dev/null": errSpecial, "/dev/zero": errSpecial, dir: ErrFolder, in("none"): os.ErrNotExist,
	} {
		if f, err := Open(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	if data, err := ReadFile(in("file"), 4); string(data) != "data" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadFile(in("file"), 3); err == nil {
		t.Error("more than the most is read")
	}
}
