package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// reader is somebody at a shell who types what a page says: in a fresh home,
// with da in the path and nothing else prepared.
type reader struct {
	t     *testing.T
	home  string
	notes string // folder of the commands' files
	in    io.Writer
	codes *bufio.Reader
	code  int
	count int
	ports map[string]string // as in the page: free one
	// wholeDemo says that da demo runs to its end, as on the page that shows what
	// it leaves.
	wholeDemo bool
	close     func()
	// before and after, if any, are called around each command or block that the page has.
	before, after func(commands string)
}

// demoForData is da demo where a page needs only its data: they are written before
// anything is said, so a pipe that nobody reads ends it then, without a dozen
// further processes.
var demoForData = regexp.MustCompile(`\bda demo( --dir \w+)?( > demo\.log 2>&1)?`)

// showCode is how a page shows the exit code of the command before.
const showCode = "echo $?"

// patience is how long one command of a page may take.
const patience = 5 * time.Minute

func newReader(t *testing.T) *reader {
	t.Helper()
	for _, tool := range []string{"bash", "curl", "jq", "openssl"} {
		testneed.Program(t, tool)
	}
	// The home may not be long: it shows in outputs, and holds sockets.
	home, err := os.MkdirTemp("", "da-reader")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	bin := t.TempDir()
	da := os.Getenv("DA_DOCS_BINARY") // another build, as an installed one
	if da == "" {
		da = daPath
	}
	if err := os.Symlink(da, filepath.Join(bin, "da")); err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, home: home, notes: t.TempDir(), ports: map[string]string{}}
	codes, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "--norc", "--noprofile")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "XDG_CACHE_HOME=" + testCache(t), "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin"}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	r.in, r.codes = stdin, bufio.NewReader(codes)
	r.close = sync.OnceFunc(func() {
		// What the page started and did not end, its servers, ends with it.
		_ = stdin.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
		_ = codes.Close()
	})
	t.Cleanup(r.close)
	fmt.Fprintf(r.in, "trap 'printf \"%%s\\n\" \"$BASH_COMMAND\" >>%s' ERR\n", r.failures())
	return r
}

func (r *reader) failures() string { return filepath.Join(r.notes, "failures") }

// saysOld is what commands say of snapshots that have become old.
var saysOld = regexp.MustCompile(`(?m)^WARN: snapshot '\w+' is \d+ days old; .*\n`)

// reads types what a page has.
func (r *reader) reads(commands string) (out *bytes.Buffer, failed string) {
	r.t.Helper()
	if r.before == nil || commands == showCode {
		return r.typed(commands)
	}
	r.before(commands)
	out, failed = r.typed(commands)
	code := r.code
	if code == 0 {
		r.after(commands)
	}
	r.code = code
	return bytes.NewBuffer(saysOld.ReplaceAll(out.Bytes(), nil)), failed
}

// typed runs commands and returns their output, of both streams, and those
// commands that failed.
func (r *reader) typed(commands string) (out *bytes.Buffer, failed string) {
	r.t.Helper()
	file := r.send(commands)
	answer := make(chan error, 1)
	go func() {
		line, err := r.codes.ReadString('\n')
		if err == nil {
			r.code, err = strconv.Atoi(strings.TrimSpace(line))
		}
		answer <- err
	}()
	select {
	case err := <-answer:
		if err != nil {
			r.t.Fatalf("the shell ended at %q: %v\n%s", commands, err, r.output(file))
		}
	case <-time.After(patience):
		r.t.Fatalf("%q does not end\n%s", commands, r.output(file))
	}
	text, err := os.ReadFile(r.failures())
	if err == nil {
		err = os.Remove(r.failures())
	}
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return r.output(file), strings.TrimSpace(string(text))
}

// send has the shell run commands with their output in a file.
func (r *reader) send(commands string) (file string) {
	r.t.Helper()
	r.count++
	file = filepath.Join(r.notes, strconv.Itoa(r.count))
	if !r.wholeDemo {
		commands = demoForData.ReplaceAllString(commands, "da demo$1 | true; [ $${PIPESTATUS[0]} = 141 ]")
	}
	if err := os.WriteFile(file+".sh", []byte(r.withFreePorts(commands)+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if commands == showCode {
		fmt.Fprintf(r.in, "(exit %d)\n", r.code) // that of the command before
	}
	fmt.Fprintf(r.in, ". %s.sh </dev/null >%s 2>&1 3>&-; echo $? >&3\n", file, file)
	return file
}

// output is what has been printed so far, with the home and the ports as the
// page has them.
func (r *reader) output(file string) *bytes.Buffer {
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(r.home), []byte("~"))
	for port, free := range r.ports {
		text = bytes.ReplaceAll(text, []byte(":"+free), []byte(":"+port))
	}
	return bytes.NewBuffer(text)
}

// awaits waits until a command that goes on in the background has printed what
// the page shows, as a reader would before going on.
func (r *reader) awaits(shown string) bool {
	file := filepath.Join(r.notes, strconv.Itoa(r.count))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if shows(shown, r.output(file).String()) {
			return true
		}
	}
	return false
}

var localPort = regexp.MustCompile(`\b((?:127\.0\.0\.1|localhost):|listen )(84\d\d)\b`)

// withFreePorts puts a port that is free in place of each of this machine's
// from 8400 to 8499: several pages are read at the same time.
func (r *reader) withFreePorts(commands string) string {
	return localPort.ReplaceAllStringFunc(commands, func(text string) string {
		m := localPort.FindStringSubmatch(text)
		if r.ports[m[2]] == "" {
			var err error
			if r.ports[m[2]], err = freeport.Port(); err != nil {
				r.t.Fatal(err)
			}
		}
		return m[1] + r.ports[m[2]]
	})
}
