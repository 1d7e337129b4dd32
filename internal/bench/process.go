package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/agnes-data/da/internal/bench/process"
)

// measure runs a command from fork to exit. It first flushes what earlier commands
// wrote: a command that syncs its own file would otherwise wait for theirs, too.
func measure(ctx context.Context, env []string, name string, args ...string) (process.Sample, []byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	// The user's own config holds for neither binary: an older one may not know its keys.
	cmd.Env = append(append(os.Environ(), "DA_CONFIG="+os.DevNull), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	syscall.Sync()
	start := time.Now()
	out, err := cmd.Output()
	wall := time.Since(start)
	if err != nil {
		return process.Sample{}, nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return process.Finished(cmd, wall), out, nil
}

// served is a running da serve.
type served struct {
	cmd        *exec.Cmd
	url, token string
}

var (
	listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	issued    = regexp.MustCompile(`da_[A-Za-z0-9_-]{40,}`)
)

// serve starts a fresh server on an empty state and waits until it listens.
func (w *world) serve(ctx context.Context) (*served, error) {
	if err := os.RemoveAll(w.dir + "/state"); err != nil {
		return nil, err
	}
	line := w.command(w.da, "serve", "--instance", w.dir+"/instance.yaml", "--listen", "127.0.0.1:0")
	s := &served{cmd: exec.CommandContext(ctx, line[0], line[1:]...)}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if t := issued.FindString(lines.Text()); t != "" {
			s.token = t
		}
		if u := listening.FindString(lines.Text()); u != "" {
			s.url = u
			go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the process
			return s, nil
		}
	}
	return nil, errors.New("the server ended before it listened")
}

// stop ends the server and returns what it used.
func (s *served) stop() (process.Sample, error) {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return process.Sample{}, err
	}
	if err := s.cmd.Wait(); err != nil {
		return process.Sample{}, err
	}
	return process.Finished(s.cmd, 0), nil
}

func (s *served) env(home string) []string {
	return []string{"DA_SERVER=" + s.url, "DA_TOKEN=" + s.token, "DA_HOME=" + home}
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}
