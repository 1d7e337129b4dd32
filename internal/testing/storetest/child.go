package storetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The test binary runs itself as another process: which part it plays, in
// which home, and with which argument.
const (
	envPart = "DA_STORETEST_PART"
	envHome = "DA_STORETEST_HOME"
	envArg  = "DA_STORETEST_ARG"
)

// child prepares another process that runs this test.
func child(t *testing.T, part, home, arg string) *exec.Cmd {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), envPart+"="+part, envHome+"="+home, envArg+"="+arg)
	cmd.Stderr = os.Stderr
	return cmd
}

// stepMark begins the lines by which a child tells its steps.
const stepMark = "storetest step "

// play plays a part.
func (o Owner) play(part string) error {
	home, arg := os.Getenv(envHome), os.Getenv(envArg)
	switch part {
	case "put", "drop":
		return o.playChange(part, home, arg)
	case "step by step":
		return o.playStepByStep(home)
	case "churn":
		return o.playChurn(home, arg)
	case "full disk":
		return o.playFullDisk(home)
	case "hold":
		return o.playHold(home)
	}
	return o.playPrivate(home)
}

// playChange dies at the step of that number, as kill -9 does.
func (o Owner) playChange(part, home, number string) error {
	dieAt, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	step := 0
	s, err := o.Open(home, func(name string) {
		fmt.Fprintln(os.Stdout, stepMark+name)
		if step++; step == dieAt {
			die()
		}
	})
	if err != nil {
		return err
	}
	if part == "drop" {
		return s.Drop("a")
	}
	return s.Put("a", "new")
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// playStepByStep waits at each step for a line from its parent.
func (o Owner) playStepByStep(home string) error {
	in := bufio.NewReader(os.Stdin)
	s, err := o.Open(home, func(name string) {
		fmt.Fprintln(os.Stdout, stepMark+name)
		_, _ = in.ReadString('\n')
	})
	if err != nil {
		return err
	}
	return s.Put("a", "new")
}

// playChurn puts, reads and drops at random beside others that do so.
func (o Owner) playChurn(home, seed string) error {
	s, err := o.Open(home, func(string) {})
	if err != nil {
		return err
	}
	for i := range 25 {
		name := []string{"a", "b"}[rand.IntN(2)]
		switch rand.IntN(4) {
		case 0:
			err = s.Drop(name)
		case 1:
			err = s.Sweep()
		case 2:
			err = s.Put(name, long(seed+"-"+strconv.Itoa(i), 500))
		}
		if err != nil && !o.busy(err) {
			return err
		}
		text, err := s.Get(name)
		if errors.Is(err, fs.ErrNotExist) || err != nil && o.busy(err) {
			continue
		}
		if err = errors.Join(err, wholeText(text)); err != nil {
			return err
		}
	}
	return nil
}

func (o Owner) busy(err error) bool { return o.Busy != nil && o.Busy(err) }

// playFullDisk puts what no file may hold.
func (o Owner) playFullDisk(home string) error {
	s, err := o.Open(home, func(string) {})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // writing too much is an error then, as on a full disk
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	var b strings.Builder
	for range 20_000 {
		fmt.Fprintf(&b, "%016x", rand.Uint64()) // which nothing compresses below the limit
	}
	if err := s.Put("a", b.String()); err == nil {
		return errors.New("it was put all the same")
	}
	if text, err := s.Get("a"); !o.Derived && (err != nil || text != "old") {
		return fmt.Errorf("after that it reads %.60q, %w", text, err)
	}
	return nil
}

// playHold dies while it holds.
func (o Owner) playHold(home string) error {
	s, err := o.Open(home, func(string) {})
	if err != nil {
		return err
	}
	if _, _, err := s.(Holder).Hold("a"); err != nil {
		return err
	}
	die()
	return nil
}

// playPrivate works where files would be open to all.
func (o Owner) playPrivate(home string) error {
	syscall.Umask(0)
	s, err := o.Open(home, func(string) {})
	if err != nil {
		return err
	}
	if err := errors.Join(s.Put("a", "one"), s.Put("a", "two"), s.Put("b", "three")); err != nil {
		return err
	}
	h, ok := s.(Holder)
	if !ok {
		return checkModes(home)
	}
	_, release, err := h.Hold("a")
	if err != nil {
		return err
	}
	defer release()
	return checkModes(home)
}

// steps reads the steps that a child tells until it ends.
func steps(out io.Reader, each func(string)) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), stepMark); ok {
			each(name)
		}
	}
}

// killed reports whether a process ended by SIGKILL.
func killed(err error) bool {
	var ended *exec.ExitError
	return errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}
