package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/statement"
)

// errLeave ends the shell without an error.
var errLeave = errors.New("leave the shell")

// errInterrupted is what an input returns if its user gives up what is typed.
var errInterrupted = errors.New("interrupted")

// input is where statements and commands come from.
type input interface {
	// read returns what is to be done next: whole statements, or one backslash
	// command. With io.EOF there may be a rest, which nobody has ended.
	read(ctx context.Context) (string, error)
}

// session is one run of the shell.
type session struct {
	Host
	// last is the statement that was run last; it is what is edited, drawn and
	// watched.
	last string
	// people says that somebody sees each error as it comes, and goes on.
	people bool
	// keep adds a text to the history; nil if there is none.
	keep  func(text string)
	stops chan os.Signal
}

// Run reads and runs until the input ends or the user leaves. Where no terminal
// is typed into, the first error ends it and is returned.
func Run(ctx context.Context, h Host) error {
	s := &session{Host: h, people: h.IO.InTerminal, stops: make(chan os.Signal, 1)}
	signal.Notify(s.stops, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(s.stops)
	// A Ctrl-C ends what runs. The shell's own context outlives it.
	ctx = context.WithoutCancel(ctx)
	in, err := s.open()
	if err != nil {
		return err
	}
	if s.people {
		s.Note(`Statements end with a semicolon. \? lists the commands, Ctrl-D leaves.`)
	}
	for {
		text, err := in.read(ctx)
		switch {
		case errors.Is(err, errInterrupted):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		ended := err != nil
		if err := s.do(ctx, text); err != nil {
			switch {
			case errors.Is(err, errLeave):
				return nil
			case !s.people || s.terminated(err):
				return err
			}
			s.Show(err)
		}
		if ended {
			return nil
		}
	}
}

// do runs statements, or one backslash command.
func (s *session) do(ctx context.Context, text string) error {
	s.IO.Measure()
	text = strings.TrimSpace(text)
	switch strings.ToLower(strings.TrimRight(text, "; \t\n")) {
	case "exit", "quit":
		return errLeave
	case "help":
		text = `\?`
	}
	if strings.HasPrefix(text, `\`) {
		return s.command(ctx, text)
	}
	pieces := statement.Split(text)
	for i, p := range pieces {
		if err := s.statement(ctx, p.Text); err != nil {
			if left := len(pieces) - i - 1; left > 0 {
				s.Note(humanize.Plural(int64(left), "statement after it was", "statements after it were") + " not run")
			}
			return err
		}
	}
	return nil
}

// statement runs one statement as the settings say.
func (s *session) statement(ctx context.Context, sql string, flags ...string) error {
	s.last = sql
	started := s.Now()
	flags = append(flags, s.Settings.out...)
	err := s.interruptible(ctx, func(ctx context.Context) error { return s.Query(ctx, sql, flags...) })
	if err == nil {
		s.Settings.out = nil
	}
	if err == nil && s.Settings.Timing {
		s.Note("Time: " + humanize.Elapsed(s.Now().Sub(started)))
	}
	return err
}

// errTerminated is the cause of what ends because the whole shell is to end.
var errTerminated = errors.New("asked to end")

// interruptible runs work that Ctrl-C ends.
func (s *session) interruptible(ctx context.Context, work func(context.Context) error) error {
	select {
	case sig := <-s.stops: // of what ran before, such as a pager
		if sig != os.Interrupt {
			return interrupted(errTerminated)
		}
	default:
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	defer func() { cancel(nil); <-done }()
	go func() {
		defer close(done)
		select {
		case sig := <-s.stops:
			cause := errInterrupted
			if sig != os.Interrupt || !s.people {
				cause = errTerminated
			}
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	err := work(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return interrupted(cause)
	}
	return err
}

// interrupted is the error of what was ended by a signal.
func interrupted(cause error) error {
	return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: fmt.Errorf("stop: %w", cause)}
}

// terminated reports whether the whole shell is to end.
func (s *session) terminated(err error) bool { return errors.Is(err, errTerminated) }
