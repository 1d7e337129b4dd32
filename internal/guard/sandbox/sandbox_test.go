//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agnes-data/da/internal/testing/testneed"
)

func TestMain(m *testing.M) {
	if Called(os.Args[1:]) {
		if old, err := strconv.Atoi(os.Getenv(envLandlock)); err == nil {
			landlockVersion = func() int { return old }
		}
		os.Exit(Main(os.Stderr)) //nolint:forbidigo // this is main here
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// envLandlock makes the sandbox of a test one of a kernel with that version of Landlock.
const envLandlock = "DA_TEST_LANDLOCK"

// interpreter returns the real python3, and the folders that it reads.
func interpreter(t *testing.T) (program string, read []string) {
	t.Helper()
	testneed.Program(t, "python3")
	out, err := exec.Command("python3", "-I", "-c", "import sys, os; print(os.path.realpath(sys.executable)); print(sys.base_prefix); print(sys.prefix)").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, prefix := range lines[1:] {
		read = append(read, filepath.Join(prefix, "lib"))
	}
	return lines[0], read
}

// spec gives a Python program a folder of its own.
func spec(t *testing.T, code string) Spec {
	t.Helper()
	if !Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	program, read := interpreter(t)
	return Spec{
		Program: program, Args: []string{"-I", "-c", code}, Env: []string{"LANG=C.UTF-8"}, Dir: t.TempDir(), Read: read,
		Memory: 512 << 20, FileSize: 1 << 20, CPU: 20 * time.Second,
	}
}

// run runs a program, beside other processes in sight or without any.
func run(t *testing.T, s Spec, beside bool) (out string, err error) {
	t.Helper()
	cmd, err := Command(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if beside {
		cmd.SysProcAttr.Cloneflags, cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = 0, nil, nil
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	return said.String(), err
}

// TestAttacks tries what a hostile program would, each beside a server, a file
// and a process that can be reached without a sandbox.
func TestAttacks(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("it is out"), 0o644); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	local, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	messages, err := net.ListenPacket("unixgram", filepath.Join(dir, "d"))
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	victim := exec.Command("cat")
	hold, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hold.Close() }()
	port := tcp.Addr().(*net.TCPAddr).Port
	open, err := unix.Open(secret, unix.O_RDONLY, 0) // inherited by child processes, as are the files of the engine
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(open) })
	attacks := map[string]string{
		"read an open file":       fmt.Sprintf("import os\nprint(os.pread(%d, 99, 0).decode())", open),
		"read a file":             fmt.Sprintf("print(open(%q).read())", secret),
		"read it by a link":       fmt.Sprintf("import os\nos.symlink(%q, 'l')\nprint(open('l').read())", secret),
		"link it":                 fmt.Sprintf("import os\nos.link(%q, 'l')\nprint(open('l').read())", secret),
		"list its folder":         fmt.Sprintf("import os\nprint(os.listdir(%q))", dir),
		"read users":              "print(open('/etc/passwd').read())",
		"read the environment":    fmt.Sprintf("print(open('/proc/%d/environ').read())", os.Getpid()),
		"read its own memory":     "print(open('/proc/self/maps').read())",
		"write beside":            fmt.Sprintf("open(%q, 'w').write('x')", secret+"2"),
		"write to the secret":     fmt.Sprintf("open(%q, 'a').write('x')", secret),
		"TCP":                     fmt.Sprintf("import socket\nsocket.create_connection(('127.0.0.1', %d))", port),
		"UDP":                     "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
		"a local socket":          fmt.Sprintf("import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(%q)", filepath.Join(dir, "s")),
		"a message":               fmt.Sprintf("import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b'x', %q)", filepath.Join(dir, "d")),
		"a pair of other sockets": "import socket\nsocket.socketpair(socket.AF_TIPC, socket.SOCK_RDM)",
		"a large pipe":            "import fcntl, os\nfcntl.fcntl(os.pipe()[0], 1031, 1 << 20)",
		"a lease":                 "import fcntl, os\nfcntl.fcntl(os.open('l', os.O_CREAT), fcntl.F_SETLEASE, fcntl.F_WRLCK)",
		"listen":                  "import socket\nsocket.create_server(('127.0.0.1', 0))",
		"kill its parent":         "import os\nos.kill(os.getppid(), 9)",
		"kill everybody":          "import os\nos.kill(-1, 9)",
		"outlive its parent":      "import ctypes\nassert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0",
		"memory without address":  "import os\nos.write(os.memfd_create('m'), bytes(1))",
		"fork":                    "import os\nos.fork()",
		"start a program":         "import subprocess\nprint(subprocess.check_output(['/bin/true']))",
		"start another process":   "import multiprocessing\np = multiprocessing.Process(target=print)\np.start()\np.join()\nassert p.exitcode == 0",
		"take 4 GB":               "x = bytearray(4 << 30)",
		"write a large file":      "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen('large', 'wb').write(bytes(8 << 20))",
		"open a thousand files":   "x = [open('/dev/null') for _ in range(1000)]",
		"make a device":           "import os, stat\nos.mknod('d', 0o600 | stat.S_IFCHR, os.makedev(1, 1))",
		"make a pipe in a file":   "import os\nos.mkfifo('p')",
		"trace":                   "import ctypes\nassert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0",
		"a new namespace":         "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0",
		"change the root":         "import os\nos.chroot('.')",
		"become root":             "import os\nos.setuid(0)",
		"run what it has written": "import os\nopen('x', 'w').write('#!/bin/sh')\nos.chmod('x', 0o700)\nos.execv('./x', ['x'])",
		"run a shell":             "import os\nos.execv('/bin/sh', ['sh', '-c', 'cat " + secret + "'])",
	}
	// Namespaces hide the victim, and many machines have none.
	seen := map[string]string{
		"kill a process":       "import os\nos.kill(%d, 9)",
		"limit a process":      "import resource\nresource.prlimit(%d, resource.RLIMIT_CPU, (9, 9))",
		"move a process":       "import os\nos.sched_setaffinity(%d, [0])",
		"a signal by a pipe":   "import fcntl, os\nr, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, %d)",
		"one by its thread":    "import fcntl, os, struct\nr, w = os.pipe()\nfcntl.fcntl(r, 15, struct.pack('ii', 0, %d))",
		"a signal by a socket": "import fcntl, socket, struct\na, b = socket.socketpair()\nfcntl.ioctl(a, 0x8901, struct.pack('i', %d))",
		"one by another call":  "import fcntl, socket, struct\na, b = socket.socketpair()\nfcntl.ioctl(a, 0x8902, struct.pack('i', %d))",
	}
	for name, code := range seen {
		attacks[name] = fmt.Sprintf(code, victim.Process.Pid)
	}
	for name, code := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := run(t, spec(t, code+"\nprint('it is done')"), seen[name] != "")
			if err == nil || strings.Contains(out, "it is out") || strings.Contains(out, "it is done") || strings.Contains(out, "cannot be isolated") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	t.Cleanup(func() {
		if err := victim.Process.Kill(); err != nil {
			t.Errorf("the victim was killed before: %v", err)
		}
		_ = victim.Wait()
		if text, err := os.ReadFile(secret); string(text) != "it is out" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// TestModesAndTimesOfFilesStay changes those of others' files, of files that it reads
// and of its own by every call: nothing changes, and programs that copy files go on.
func TestModesAndTimesOfFilesStay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"secret", "data", "folder/x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() map[string]os.FileInfo {
		seen := map[string]os.FileInfo{}
		for _, name := range []string{"", "secret", "data", "folder", "folder/x"} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			seen[name] = info
		}
		return seen
	}
	before := look()
	s := spec(t, fmt.Sprintf(`
import ctypes, os, shutil
here = %q
libc = ctypes.CDLL(None)
data = os.open(here + '/data', os.O_RDONLY)
for path in [here + n for n in ('', '/secret', '/data', '/folder', '/folder/x')]:
    os.chmod(path, 0o777)
    os.utime(path, (1, 1))
    for number, *args in (90, 0o777), (132, None), (235, None), (261, None):
        if os.uname().machine == 'x86_64':
            libc.syscall(number, *([-100, path.encode()] if number == 261 else [path.encode()]), *args)
    libc.syscall(452, -100, path.encode(), 0o777, 0)
os.fchmod(data, 0o777)
os.utime(data, (1, 1))
open('a', 'w').write('x')
shutil.copy2('a', 'b')
print(open('b').read(), 'is copied')`, dir))
	s.Read = append(s.Read, filepath.Join(dir, "data"))
	if out, err := run(t, s, true); err != nil || out != "x is copied\n" {
		t.Errorf("%v: %s", err, out)
	}
	for name, was := range before {
		if now := look()[name]; now.Mode() != was.Mode() || !now.ModTime().Equal(was.ModTime()) {
			t.Errorf("%q: %v of %v, before %v of %v", name, now.Mode(), now.ModTime(), was.Mode(), was.ModTime())
		}
	}
}

// TestFilesAreNotEmptied tries to empty files, also where the kernel's Landlock does
// not know of that.
func TestFilesAreNotEmptied(t *testing.T) {
	for _, version := range []string{"1", "2", ""} {
		dir := t.TempDir()
		for name, empty := range map[string]string{
			"truncate":     "os.truncate(path, 0)",
			"open":         "os.open(path, os.O_TRUNC)",
			"open without": "os.open(path, os.O_TRUNC | 3)",
			"old open":     "libc.syscall(2, path.encode(), os.O_TRUNC, 0) if os.uname().machine == 'x86_64' else 0",
			"openat2":      "libc.syscall(437, -100, path.encode(), struct.pack('QQQ', os.O_TRUNC, 0, 0), 24)",
		} {
			for _, read := range []bool{false, true} {
				path := filepath.Join(dir, "secret")
				if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
					t.Fatal(err)
				}
				s := spec(t, fmt.Sprintf("import ctypes, os, struct\nlibc, path = ctypes.CDLL(None), %q\n"+
					"try: %s\nexcept OSError: pass\nwith open('own', 'w') as f:\n    f.write('abc')\n    f.flush()\n    f.truncate(1)\nopen('own', 'w')\nprint('done')", path, empty))
				if read {
					s.Read = append(s.Read, path)
				}
				cmd, err := Command(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				if version != "" {
					cmd.Env = append(cmd.Env, envLandlock+"="+version)
				}
				out, err := cmd.CombinedOutput()
				if text, _ := os.ReadFile(path); string(text) != "kept" || err != nil || string(out) != "done\n" {
					t.Errorf("Landlock %s, %s, readable %v: %q is left; %v: %s", version, name, read, text, err, out)
				}
			}
		}
	}
}

// TestWhatProgramsNeed works in the sandbox.
func TestWhatProgramsNeed(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(data, []byte("a,b\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"its own files":      "open('a', 'w').write('x')\nimport os\nos.rename('a', 'b')\nos.mkdir('d')\nassert os.listdir('.')",
		"its limits":         "open('/proc/self/cgroup').read()",
		"data":               fmt.Sprintf("assert open(%q).read() == 'a,b\\n1,2\\n'", data),
		"threads":            "import threading\nt = [threading.Thread(target=print) for _ in range(8)]\n[x.start() for x in t]\n[x.join() for x in t]",
		"the library":        "import json, sqlite3, decimal, datetime, zoneinfo, csv, statistics, tempfile, random, hashlib\nrandom.random()\nsqlite3.connect(':memory:').execute('SELECT 1')",
		"an event loop":      "import asyncio\nasyncio.run(asyncio.sleep(0))",
		"a signal to itself": "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nos.kill(os.getpid(), signal.SIGINT)",
		"no environment":     "import os\nassert set(os.environ) <= {'LANG', 'LC_CTYPE'}, os.environ",
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(t, code+"\nprint('it is done')")
			s.Read = append(s.Read, data)
			out, err := run(t, s, false)
			if err != nil || !strings.HasSuffix(out, "it is done\n") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	s := spec(t, fmt.Sprintf("open(%q, 'a')", data))
	s.Read = append(s.Read, data)
	if out, err := run(t, s, false); err == nil {
		t.Errorf("data can be written: %s", out)
	}
}

// TestTimeIsBounded ends a program that does not end.
func TestTimeIsBounded(t *testing.T) {
	s := spec(t, "while True: pass")
	s.CPU = time.Second
	if out, err := run(t, s, false); err == nil {
		t.Errorf("it ended by itself: %s", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd, err := Command(ctx, spec(t, "print('up', flush=True)\nimport time\ntime.sleep(1e6)"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("it outlived its context")
	}
}

// TestDeletedFilesAreCounted maps files, closes and deletes them, behind one whose path
// is longer than a path may be.
func TestDeletedFilesAreCounted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := spec(t, `
import ctypes, mmap, os
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
def gone(at):
    fd = os.open('f', os.O_RDWR | os.O_CREAT)
    os.ftruncate(fd, 4096)
    kept = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(4096), 3, 1, fd, ctypes.c_long(0))
    os.close(fd)
    os.unlink('f')
for n in range(300):
    os.mkdir('d' * 250)
    os.chdir('d' * 250)
gone(0x100000)
for n in range(300):
    os.chdir('..')
    os.rmdir('d' * 250)
for n in range(3):
    gone(0x200000 + n * 0x10000)
print('ready', flush=True)
input()`)
	cmd, err := Command(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Start(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	used, err := Used(s.Dir, cmd.Process.Pid, s.FileSize, Disk{Bytes: 1 << 40, Entries: 1 << 20})
	if err != nil || used.Entries != 4 || used.Bytes < 4*s.FileSize {
		t.Errorf("%+v, %v", used, err)
	}
	cancel()
	_ = cmd.Wait() // it was killed
}

// TestAProgramOutlivesItsThread starts a program from a thread that then ends. The
// kernel ends the program together with the thread that has really started it.
func TestAProgramOutlivesItsThread(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd, err := Command(ctx, spec(t, "print(input())"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan int)
	var start func()
	start = func() {
		runtime.LockOSThread() // so the thread ends with this function
		if thread := unix.Gettid(); thread != os.Getpid() {
			err = Start(ctx, cmd)
			started <- thread
			return
		}
		go start() // the main thread never ends: wait on it for another one
		<-ctx.Done()
	}
	go start()
	thread := <-started
	if err != nil {
		t.Fatal(err)
	}
	for unix.Tgkill(os.Getpid(), thread, 0) == nil && t.Context().Err() == nil {
		<-time.After(time.Millisecond)
	}
	if _, err := in.Write([]byte("here\n")); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(out); err != nil || string(text) != "here\n" {
		t.Errorf("it said %q, %v", text, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestOfficeIsAlone lets a program look for others of its kind by a local socket, as
// LibreOffice does: it may listen and hears nobody, and it reaches nobody.
func TestOfficeIsAlone(t *testing.T) {
	dir := t.TempDir()
	others, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer others.Close()
	s := spec(t, `
import os, socket
s = socket.socket(socket.AF_UNIX)
s.bind("`+dir+`/own"); s.listen()
print(os.path.exists("`+dir+`/own"))
for attempt in (s.accept, lambda: socket.socket(socket.AF_UNIX).connect("`+dir+`/s"), lambda: socket.socket(socket.AF_INET)):
    try: attempt(); print("done")
    except OSError as e: print(type(e).__name__)
`)
	s.Office = true
	out, err := run(t, s, false)
	if want := "False\nPermissionError\nPermissionError\nPermissionError\n"; err != nil || out != want {
		t.Errorf("it says %q (%v), not %q", out, err, want)
	}
}
