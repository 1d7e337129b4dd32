// Package usage reads what a user has typed: arguments, flags, ages and sizes. It
// says what is wrong with it and what was probably meant. It knows no commands.
package usage

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/spf13/cobra"
)

// Error returns an error about a call. If it gets no other hint, Main refers to
// the command's help.
func Error(message string) *api.Error {
	return &api.Error{Code: api.CodeUsage, Message: message}
}

// Exactly requires one argument for each name.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		what := "no argument"
		if len(names) > 0 {
			what = "<" + strings.Join(names, "> <") + ">"
		}
		e := Error(fmt.Sprintf("'%s' takes %s; %d given", cmd.CommandPath(), what, len(args)))
		e.Hint = strings.TrimSpace(tooMany(cmd, args, len(names)) + " Usage: " + cmd.UseLine())
		return e
	}
}

// tooMany says which flag takes the argument after the last that is wanted.
func tooMany(cmd *cobra.Command, args []string, wanted int) string {
	if len(args) <= wanted {
		return ""
	}
	has := func(name string) bool { return cmd.Flags().Lookup(name) != nil }
	extra := shellwords.Quote(api.Clip(args[wanted], 60))
	switch {
	case has("select") || has("order-by"):
		return "A list is one argument: write --select a,b and --order-by 'a desc'."
	case has("out") && len(args) == wanted+1:
		return "Name what to write with --out " + extra + "."
	case has("columns") && len(args) == wanted+1:
		return "Name columns with --columns " + extra + "."
	case has("user") && wanted == 0:
		return "Name the user with --user " + extra + "."
	case cmd.Name() == "schema":
		return `It shows one table. 'da context "QUESTION"' shows the columns of all that a question needs.`
	}
	return ""
}

// AtMostOne accepts at most one argument; hint says how to combine several words
// into one.
func AtMostOne(name, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		e := Error(fmt.Sprintf("'%s' takes one <%s>; %d given", cmd.CommandPath(), name, len(args)))
		e.Hint = hint
		return e
	}
}

// Check adds a check of a command's flags. It runs before the command and after
// earlier checks.
func Check(cmd *cobra.Command, check func() error) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		return check()
	}
}

// Exclusive makes a command reject a call with both flags.
func Exclusive(cmd *cobra.Command, one, other string) {
	Check(cmd, func() error { return notBoth(cmd, one, other) })
}

func notBoth(cmd *cobra.Command, one, other string) error {
	if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
		return Error(fmt.Sprintf("--%s and --%s exclude each other", one, other))
	}
	return nil
}

// Group is the action of a command that only contains others: without arguments
// it shows its help, otherwise it reports an unknown command.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := Error(fmt.Sprintf("unknown command '%s' for '%s'", api.Clip(args[0], 60), cmd.CommandPath()))
	which := "the commands"
	if all := cmd.Commands(); cmd.HasParent() && len(all) < 10 {
		var names []string
		for _, c := range all {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		which = "its commands: " + strings.Join(names, ", ")
	}
	path := cmd.CommandPath()
	e.Hint = strings.TrimSpace(MeantCommand(cmd, path, args[0]) + fmt.Sprintf(" See '%s --help' for %s.", path, which))
	return e
}
