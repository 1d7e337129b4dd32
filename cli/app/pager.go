package app

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// keptForPager is how much output is kept, in bytes, in case the pager fails. If
// the pager fails after more than that, the command fails, too.
const keptForPager = 16 << 20

// errPagerQuit ends the writing of a result after the user has quit the pager.
var errPagerQuit = errors.New("the pager was left")

// Page runs write on standard output. On a terminal, output that is longer than
// the screen goes through a pager.
func (a *App) Page(write func(io.Writer) error) error {
	command := a.pagerCommand()
	if command == nil {
		return write(a.IO.Out)
	}
	p := &pager{out: a.IO.Out, command: command, width: max(a.IO.OutWidth, 1), height: a.IO.OutHeight}
	err := write(p)
	if closeErr := p.Close(); err == nil || p.left {
		err = closeErr
	}
	return err
}

// pagerCommand returns the pager's command, not started; nil if no pager is to be
// used.
func (a *App) pagerCommand() *exec.Cmd {
	if a.Unpaged || !a.IO.OutTerminal || a.IO.OutHeight < 2 || a.Getenv("TERM") == "dumb" {
		return nil
	}
	// Never wait for a key if nobody is there to press it.
	if !a.IO.InTerminal || AgentName(a.Getenv) != "" {
		return nil
	}
	// Getenv does not distinguish an empty variable from an unset one, so "cat"
	// means no pager.
	chosen := strings.TrimSpace(a.Getenv(config.EnvPager))
	if chosen == "" {
		chosen = strings.TrimSpace(a.Getenv("PAGER"))
	}
	if chosen == "cat" {
		return nil
	}
	var cmd *exec.Cmd
	if chosen == "" {
		less, err := exec.LookPath("less")
		if err != nil {
			return nil
		}
		cmd = exec.Command(less, "-FRX")
	} else {
		cmd = exec.Command("sh", "-c", chosen) // the user's own command line, which every program runs by the shell
	}
	cmd.Stdout, cmd.Stderr, cmd.Env = a.BareOut(), a.IO.Err, os.Environ()
	if a.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	if a.Getenv("LESSCHARSET") == "" && !a.IO.ASCII {
		cmd.Env = append(cmd.Env, "LESSCHARSET=utf-8")
	}
	return cmd
}

// pager is a writer that starts its command once the output is longer than the
// screen. If the command fails, everything written goes to out, so nothing is
// lost.
type pager struct {
	out           io.Writer
	command       *exec.Cmd
	width, height int

	kept    []byte
	tooMuch bool // kept is no longer complete
	lines   int
	in      io.WriteCloser // the running command
	direct  bool           // the command cannot be used
	left    bool           // it exited successfully before reading everything
}

func (p *pager) Write(b []byte) (int, error) {
	if p.direct {
		return p.out.Write(b)
	}
	if p.left {
		return 0, errPagerQuit
	}
	if p.in != nil {
		p.keep(b)
		return p.pass(b, len(b))
	}
	p.kept = append(p.kept, b...)
	p.lines += bytes.Count(b, []byte{'\n'})
	if p.lines < p.height && len(p.kept) < p.height*p.width*8 { // the second condition is for very long lines
		return len(b), nil
	}
	in, err := p.command.StdinPipe()
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		p.direct = true
		_, err := p.out.Write(p.kept)
		return len(b), err
	}
	p.in = in
	first := p.kept
	p.keep(nil)
	return p.pass(first, len(b))
}

// keep keeps the command's input in memory until it becomes too much.
func (p *pager) keep(b []byte) {
	p.tooMuch = p.tooMuch || len(p.kept)+len(b) > keptForPager
	if p.tooMuch {
		p.kept = nil
		return
	}
	p.kept = append(p.kept, b...)
}

// pass writes text to the running command; n is the length of the caller's
// buffer.
func (p *pager) pass(text []byte, n int) (int, error) {
	if _, err := p.in.Write(text); err == nil {
		return n, nil
	}
	if err := p.ended(); err != nil {
		return 0, err
	}
	if p.direct {
		return n, nil
	}
	p.left = true
	return 0, errPagerQuit
}

// Close waits for the command, and shows what the command did not.
func (p *pager) Close() error {
	switch {
	case p.in != nil:
		return p.ended()
	case p.direct, p.left:
		return nil
	}
	_, err := p.out.Write(p.kept)
	return err
}

// ended waits for the command, and prints everything again if it has failed.
func (p *pager) ended() error {
	_ = p.in.Close() // only its exit status matters
	p.in = nil
	err := p.command.Wait()
	if err == nil {
		return nil
	}
	p.direct = true
	if p.tooMuch {
		return &api.Error{Code: api.CodeWriteFailed, Message: "the pager failed: " + err.Error(), Err: err,
			Hint: "Set " + config.EnvPager + "=cat to do without, or write to a file with --out FILE."}
	}
	_, err = p.out.Write(p.kept)
	return err
}
