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
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/statement"
)

// errLeave ends the shell without an error.
var errLeave = errors.New("leave the shell")

// errInterrupted is what an input returns if the user cancels the typed text.
var errInterrupted = errors.New("interrupted")

// input is where statements and commands come from.
type input interface {
	// read returns the next input: complete statements, or one backslash command.
	// With io.EOF it may return an incomplete statement.
	read(ctx context.Context) (string, error)
}

// session is one run of the shell.
type session struct {
	Host
	// last is the last statement that was run; it can be edited, plotted and
	// watched.
	last string
	// people says that a person sees each error and continues after it.
	people bool
	// keep adds a text to the history; nil without history.
	keep  func(text string)
	stops chan os.Signal
	// unfinished is the statement in which a backslash command was given.
	unfinished string
}

// Run reads and executes until the input ends or the user leaves. If the input is
// not a terminal, the first error ends it and is returned.
func Run(ctx context.Context, h Host) error {
	s := &session{Host: h, people: h.IO.InTerminal, stops: make(chan os.Signal, 1)}
	signal.Notify(s.stops, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(s.stops)
	// Ctrl-C ends the running statement, but not the shell's own context.
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
			s.unfinished = ""
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
	if s.unfinished != "" {
		text, s.unfinished = s.unfinished+text, ""
	}
	if before, command := behind(text); command != "" {
		if name, _, _ := strings.Cut(strings.TrimRight(command, ";"), " "); name == `\g` {
			return s.do(ctx, before)
		}
		s.unfinished = before
		return s.command(ctx, command)
	}
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

// statement runs one statement with the current settings.
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

// errTerminated is the cause when work ends because the shell was asked to end.
var errTerminated = errors.New("asked to end")

// interruptible runs work that Ctrl-C can end.
func (s *session) interruptible(ctx context.Context, work func(context.Context) error) error {
	select {
	case sig := <-s.stops: // left over from earlier work, such as a pager
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

// interrupted is the error for work that a signal ended.
func interrupted(cause error) error {
	return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: fmt.Errorf("stop: %w", cause)}
}

// terminated reports whether the whole shell must end.
func (s *session) terminated(err error) bool { return errors.Is(err, errTerminated) }
