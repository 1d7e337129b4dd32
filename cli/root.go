package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/fit"
)

func newRootCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "da <command>",
		Short: "Find data, see its cost, fetch a part, query it locally",
		Long: `da finds data, estimates what a part of it would cost, fetches just that part as
a local snapshot, and queries snapshots with DuckDB, fast and offline.

  da catalog                                  list the tables
  da schema flights                           columns and types
  da fetch flights --where "…" --estimate     what a part would cost
  da fetch flights --where "…" --as late      fetch it as snapshot 'late'
  da query "SELECT count(*) FROM late"        query it

With no server configured, da reads an instance file itself: --instance FILE,
DA_INSTANCE, ./instance.yaml or ~/.agnes/instance.yaml. With --server,
DA_SERVER, 'server' in ~/.agnes/config, or after 'da login URL', it uses that
server, with DA_TOKEN or the token of the login.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
	}
	version := cmd.Flags().BoolP("version", "v", false, "say which build this is, as 'da version' does")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *version && len(args) == 0 {
			return runVersion(a)
		}
		return groupRun(cmd, args)
	}
	cmd.SetArgs(commentLast(a.args))
	cmd.SetIn(a.IO.In)
	cmd.SetOut(a.IO.Out)
	cmd.SetErr(a.IO.Err)
	cmd.SetFlagErrorFunc(flagError)
	f := cmd.PersistentFlags()
	f.StringVar(&a.serverURL, "server", "", "server to use: a `URL`, or a name given to 'da login' (DA_SERVER)")
	f.StringVar(&a.instancePath, "instance", "", "instance `file` to read, without a server (DA_INSTANCE)")
	f.StringVarP(&a.format, "output", "o", "", "output `format`: "+formatNames()+" (default table)")
	f.BoolVar(&a.asJSON, "json", false, "same as --output json, in one shape for everybody; errors are JSON too")
	f.Var(&a.tokens, "max-tokens", fmt.Sprintf("most `tokens` of a JSON answer, at least %d; the rest is counted, and a query keeps it as @r1; 0: no limit (DA_MAX_TOKENS; default 4000 where an agent runs da)", fit.MinTokens))
	f.StringVar(&a.maxScan, "max-scan-bytes", "", "refuse requests that would read more `bytes` than this at the source, such as 5GB (DA_MAX_SCAN_BYTES)")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.running = cmd.CommandPath()
		return checkGlobals(cmd, args)
	}
	cmd.AddGroup(&cobra.Group{ID: "find", Title: "Find data:"}, &cobra.Group{ID: "local", Title: "Work with it:"}, &cobra.Group{ID: "run", Title: "Run and set up:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			cmd.AddCommand(c)
		}
	}
	add("find", newCatalogCmd(a), newSchemaCmd(a), newDescribeCmd(a), newWhereCmd(a), newQuotaCmd(a))
	add("local", newFetchCmd(a), newSnapshotCmd(a), newSyncCmd(a), newQueryCmd(a), newResultCmd(a), newDiskInfoCmd(a), newTableCmd(a))
	add("run", newLoginCmd(a), newLogoutCmd(a), newWhoamiCmd(a), newServeCmd(a), newAdminCmd(a), newInitCmd(a), newDemoCmd(a), newVersionCmd(a), newDoctorCmd(a))
	add("run", newMCPCmd(a), newCompletionCmd(a), newSkillsCmd(a))
	cmd.AddCommand(newReferenceCmd(a))
	cmd.AddCommand(newTopicCmds()...)
	cmd.SetHelpCommand(newHelpCmd(a))
	cmd.SetHelpCommandGroupID("run")
	cmd.InitDefaultHelpCmd()
	a.setHelp(cmd)
	cmd.CompletionOptions.DisableDefaultCmd = true // ours has it
	offer(cmd, "output", completeFormat)
	return cmd
}

// groupRun is a command that only holds others: alone it shows its help, and
// anything else is a misspelt command.
func groupRun(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := usageError(fmt.Sprintf("unknown command '%s' for '%s'", api.Clip(args[0], 60), cmd.CommandPath()))
	e.Hint = strings.TrimSpace(meantCommand(cmd, cmd.CommandPath(), args[0]) + fmt.Sprintf(" See '%s --help' for the commands.", cmd.CommandPath()))
	return e
}

// flagError says which flag was wrong, and which was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 {
		return groupRun(cmd, before) // a flag of a command that is not there
	}
	e := usageError(plainly(strings.TrimSuffix(err.Error(), ".")))
	e.Hint = fmt.Sprintf("See '%s --help' for its flags.", cmd.CommandPath())
	if name, found := strings.CutPrefix(err.Error(), "unknown flag: --"); found {
		e.Hint = strings.TrimSpace(meantFlag(cmd, name) + " " + e.Hint)
	} else if rest, found := strings.CutPrefix(err.Error(), "unknown shorthand flag: '"); found {
		letter, _, _ := strings.Cut(rest, "'")
		e.Hint = strings.TrimSpace(meantFlag(cmd, letter) + " " + e.Hint)
	}
	return e
}

// plainly says what is wrong with a flag's value in words for people, where the
// library names a function.
func plainly(text string) string {
	before, reason, found := strings.Cut(text, ": strconv.")
	switch {
	case !found:
		return text
	case strings.HasSuffix(reason, "value out of range"):
		return before + ": the number is too large"
	case strings.HasPrefix(reason, "ParseBool"):
		return before + ": it is true or false"
	case strings.HasPrefix(reason, "ParseFloat"):
		return before + ": it is not a number"
	}
	return before + ": it is not a whole number"
}

// optionalArg takes at most one argument; hint says how several words become
// one.
func optionalArg(name, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		e := usageError(fmt.Sprintf("'%s' takes one <%s>; %d given", cmd.CommandPath(), name, len(args)))
		e.Hint = hint
		return e
	}
}

// neverEmpty are the flags for which an empty value is a mistake, such as a
// variable of a script that is not set; taken for "not given", it would lead
// elsewhere than was meant.
var neverEmpty = []string{"as", "by", "dir", "file", "instance", "out", "plot", "server", "x", "y"}

// checkGlobals checks what every command has in common.
func checkGlobals(cmd *cobra.Command, args []string) error {
	for _, name := range neverEmpty {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usageError("--" + name + " is empty")
		}
	}
	return exclusive("server", "instance")(cmd, args)
}

// exclusive refuses a command that was given both flags.
func exclusive(one, other string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
			return usageError(fmt.Sprintf("--%s and --%s exclude each other", one, other))
		}
		return nil
	}
}

// usageError is a mistake in the call. Without another hint, Main points to the
// command's help.
func usageError(message string) *api.Error {
	return &api.Error{Code: api.CodeUsage, Message: message}
}

// unexpanded explains too many arguments that are the names of files here: the
// shell has put them in place of a star.
func (a *app) unexpanded(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var e *api.Error
		if len(args) < 2 || !errors.As(err, &e) {
			return err
		}
		for _, arg := range args[1:] {
			if _, err := os.Lstat(a.absolute(arg)); err != nil {
				return e
			}
		}
		e.Hint = fmt.Sprintf("Your shell expanded * to file names such as '%s'. Quote it, or leave out --select to get all columns.", api.Clip(args[1], 60))
		return e
	}
}

// exactArgs takes one argument for each name.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		what := "no argument"
		if len(names) > 0 {
			what = "<" + strings.Join(names, "> <") + ">"
		}
		e := usageError(fmt.Sprintf("'%s' takes %s; %d given", cmd.CommandPath(), what, len(args)))
		e.Hint = "Usage: " + cmd.UseLine()
		return e
	}
}
