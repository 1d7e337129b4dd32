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

// keptForPager is how much is kept until the pager has ended well. A pager
// that fails after it has read more than that fails the command.
const keptForPager = 16 << 20

// errPagerQuit ends the writing of a result whose reader has seen enough.
var errPagerQuit = errors.New("the pager was left")

// Page runs write on standard output, through a pager if that is a terminal
// and more is written than it shows at once.
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

// pagerCommand returns the pager, not started; nil if there is to be none.
func (a *App) pagerCommand() *exec.Cmd {
	if a.Unpaged || !a.IO.OutTerminal || a.IO.OutHeight < 2 || a.Getenv("TERM") == "dumb" {
		return nil
	}
	// Nothing may wait for a key that nobody will press.
	if !a.IO.InTerminal || AgentName(a.Getenv) != "" {
		return nil
	}
	// A variable that is set to nothing cannot be told from none here: cat is
	// how to want no pager.
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
		cmd = exec.Command("sh", "-c", chosen) // a command line of the user's own, as every program reads it
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

// pager is a writer that starts its command when more has been written than a
// screen holds. Whatever becomes of the command, nothing that was written is
// lost: if it fails, all of it goes to out.
type pager struct {
	out           io.Writer
	command       *exec.Cmd
	width, height int

	kept    []byte
	tooMuch bool // kept is not all any more
	lines   int
	in      io.WriteCloser // the running command
	direct  bool           // the command is of no use
	left    bool           // it has ended well before it was given all
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
	if p.lines < p.height && len(p.kept) < p.height*p.width*8 { // the second is for endless lines
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

// keep remembers what the command gets, until it is too much.
func (p *pager) keep(b []byte) {
	p.tooMuch = p.tooMuch || len(p.kept)+len(b) > keptForPager
	if p.tooMuch {
		p.kept = nil
		return
	}
	p.kept = append(p.kept, b...)
}

// pass gives text to the running command; n is what Write was given.
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

// Close waits for the command, and shows what it has not.
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

// ended waits for the command, and shows all again if it has failed.
func (p *pager) ended() error {
	_ = p.in.Close() // its end is what counts
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
