package cli

import (
	"bufio"
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestDemoEndsWithItsReader holds that da demo ends as other commands do when
// nobody reads on, by SIGPIPE and without a word, whoever runs it and whichever
// of its commands finds out.
func TestDemoEndsWithItsReader(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"X=", "CLAUDECODE=1"} {
		// Nothing was shown yet, a command runs, the server runs.
		for _, until := range []string{"", "$ da catalog", "  (the server listens on"} {
			p := newPlace(t).with(env)
			p.wrap = []string{"/usr/bin/env"} // da runs itself, and so needs its name
			cmd := p.command("demo")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			read := bufio.NewScanner(out)
			for read.Scan() && !strings.HasPrefix(read.Text(), until) {
			}
			out.Close()
			err = cmd.Wait()
			var ended *exec.ExitError
			if !errors.As(err, &ended) {
				t.Fatalf("%s after %q: %v", env, until, err)
			}
			if status := ended.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGPIPE {
				t.Errorf("%s after %q: %v\n%s", env, until, err, said.String())
			}
		}
	}
}
