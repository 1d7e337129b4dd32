package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/reason"
)

const (
	// endsWithin is how long a step that is asked to end may take for it.
	endsWithin = 30 * time.Second
	// tailRead is how much of the end of what a step said is searched for its error.
	tailRead = 64 << 10
	// longestMessage bounds the error of a step, in runes.
	longestMessage = 500
)

// do runs a step, and keeps what the run has become.
func (r *runner) do(ctx context.Context, s step) (*outcome, error) {
	out := r.outcome(s, ok)
	out.Stdout, out.Stderr = filepath.Join(r.dir, s.Name+".out"), filepath.Join(r.dir, s.Name+".err")
	began := time.Now()
	code, err := r.child(ctx, s, out)
	out.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	if code != 0 {
		out.Status, out.ExitCode, out.Message = failed, code, messageOf(out.Stderr)
	}
	if code == exit.Differs && out.Message == "" {
		out.Message = differenceOf(out.Stdout, s.words)
	}
	if err == nil && s.Stdout != "" && (code == 0 || code == exit.CheckFailed || code == exit.Differs) {
		err = r.deliver(ctx, out, s.Stdout)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		known := exit.Failure(err, false)
		out.Status, out.ExitCode, out.Message = failed, exit.Code(known), reason.Line(known.Error(), longestMessage)
	}
	r.done(s, out)
	return out, r.run.save(r.dir)
}

// child runs the process of a step, and returns its exit code. The error is that of
// this process.
func (r *runner) child(ctx context.Context, s step, out *outcome) (code int, err error) {
	stdout, err := os.OpenFile(out.Stdout, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, atomicfile.Explain("keep what a step prints", err)
	}
	defer stdout.Close()
	stderr, err := os.OpenFile(out.Stderr, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, atomicfile.Explain("keep what a step says", err)
	}
	defer stderr.Close()
	cmd := exec.CommandContext(ctx, r.program, s.words...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.places.Dir, r.env, stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endsWithin
	err = cmd.Run()
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited) && exited.Exited():
		return exited.ExitCode(), nil
	case errors.As(err, &exited): // by a signal: as a shell counts
		return 128 + int(exited.Sys().(syscall.WaitStatus).Signal()), nil
	}
	return 0, err
}

// deliver copies what a step printed to its file.
func (r *runner) deliver(ctx context.Context, out *outcome, name string) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.places.Dir, name)
	}
	text, err := os.Open(out.Stdout)
	if err == nil {
		defer text.Close()
		err = os.MkdirAll(filepath.Dir(path), 0o777) //nolint:gosec // it is for others
	}
	if err == nil {
		err = atomicfile.Write(path, 0o666, func(w io.Writer) error {
			_, err := io.Copy(w, text)
			return err
		})
	}
	out.Stdout = path
	return atomicfile.Explain("write what step "+out.Step+" printed", errors.Join(err, ctx.Err()))
}

// messageOf returns the error that a step ended with.
func messageOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailRead {
		_, _ = f.Seek(-tailRead, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	var said struct{ Error struct{ Message string } }
	if json.Unmarshal([]byte(lines[len(lines)-1]), &said) == nil && said.Error.Message != "" {
		return reason.Line(said.Error.Message, longestMessage)
	}
	for _, l := range lines {
		if m, isError := strings.CutPrefix(l, "Error: "); isError {
			return reason.Line(m, longestMessage)
		}
	}
	return ""
}
