package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// out sends the next result to a file.
func out(_ context.Context, s *session, args []string) error {
	force := slices.Contains(args, "--force")
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--force" })
	switch {
	case len(args) == 0:
		s.Settings.out = nil
		s.Note("results are shown")
		return nil
	case len(args) > 1 || strings.HasPrefix(args[0], "-"):
		return usage(`\o takes one file`, `Write it as in \o result.csv, or \o result.csv --force to replace it.`)
	}
	s.Settings.out = []string{"--out=" + args[0], "--force=" + strconv.FormatBool(force)}
	s.Note("the next result goes to " + args[0])
	return nil
}

// errNoLast is the error of commands that need an earlier statement.
func errNoLast(name string) error {
	return usage("no statement has been run yet", "Run one first, and then "+name+".")
}

// draw plots the result of the last statement.
func draw(ctx context.Context, s *session, args []string) error {
	if s.last == "" {
		return errNoLast(`\p`)
	}
	kind := "bar"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		kind, args = args[0], args[1:]
	}
	return s.statement(ctx, s.last, append([]string{"--plot=" + kind}, args...)...)
}

// Limits on the interval of \watch, in seconds.
const (
	watchEvery   = 2
	watchAtLeast = 0.1
)

// watch runs the last statement repeatedly.
func watch(ctx context.Context, s *session, args []string) error {
	if s.last == "" {
		return errNoLast(`\watch`)
	}
	every := float64(watchEvery)
	if len(args) > 0 {
		n, err := strconv.ParseFloat(args[0], 64)
		if err != nil || len(args) > 1 || !(n >= watchAtLeast && n <= 86400) {
			return usage(`\watch takes a number of seconds`, `Write it as in \watch 5.`)
		}
		every = n
	}
	s.Settings.SetPaged(false) // a pager would wait for keys
	defer s.Settings.SetPaged(true)
	return s.interruptible(ctx, func(ctx context.Context) error {
		for {
			s.Note(fmt.Sprintf("%s, every %gs", s.Now().Format(time.DateTime), every))
			if err := s.Query(ctx, s.last); err != nil {
				return err
			}
			select {
			case <-time.After(time.Duration(every * float64(time.Second))):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

// edit opens the last statement in an editor, and runs the edited one.
func edit(ctx context.Context, s *session, _ []string) error {
	if !s.people {
		return usage(`\e is for terminals`, "Write the statement into the script.")
	}
	dir, err := os.MkdirTemp("", "da-shell-")
	if err != nil {
		return fmt.Errorf("edit the statement: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "statement.sql")
	before := s.last
	if before != "" {
		before += ";\n"
	}
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		return fmt.Errorf("edit the statement: %w", err)
	}
	if err := s.Edit(ctx, file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the edited statement: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return nil
	}
	s.Note(strings.TrimSpace(string(text)))
	if s.keep != nil {
		s.keep(string(text))
	}
	return s.do(ctx, string(text))
}
