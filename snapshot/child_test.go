package snapshot

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// childEnv makes the test binary play another process; its arguments follow.
const childEnv = "SNAPSHOT_TEST_CHILD"

// parts are what a child can play. A child that fails says why on stderr.
var parts = map[string]func(args []string) error{
	"install":   childInstall,
	"drop":      childDrop,
	"prune":     childPrune,
	"keep":      childKeep,
	"rename":    childRename,
	"copy":      childCopy,
	"label":     childLabel,
	"pack":      childPack,
	"link":      childLink,
	"claim":     childClaim,
	"churn":     childChurn,
	"hold":      childHold,
	"file-size": childFileSize,
	"no-rights": childNoRights,
}

func TestMain(m *testing.M) {
	part, isChild := os.LookupEnv(childEnv)
	if !isChild {
		m.Run()
		return
	}
	maps.Copy(parts, mountingParts())
	if err := parts[part](os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "child %s: %v\n", part, err)
		os.Exit(1) //nolint:forbidigo // a child is a process of its own
	}
}

func child(part string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+part)
	cmd.Stderr = os.Stderr
	return cmd
}

// dieAt makes a store end its process, as kill -9 does, after a step.
func dieAt(step string) Option {
	return func(s *Store) {
		s.files.Step = func(at string) {
			if at == step {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
}

func killed(cmd *exec.Cmd) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// talker is a child that is spoken with line by line.
type talker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func talk(t *testing.T, part string, args ...string) *talker {
	t.Helper()
	c := &talker{cmd: child(part, args...)}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

func (c *talker) say(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		t.Fatal(err)
	}
}

// hear waits for the child's next line.
func (c *talker) hear(t *testing.T) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatal("the child has ended")
	}
	return c.out.Text()
}

// end lets the child finish: it sees the end of its input.
func (c *talker) end(t *testing.T) {
	t.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// told reads one line from the parent; false when there are no more.
func told(in *bufio.Scanner) bool { return in.Scan() }
