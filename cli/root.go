package cli

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/admin"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/cli/catalog"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/jobs"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/cli/serve"
	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/cli/snapshots"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/cli/workfiles"
)

// Commands returns all commands, for what describes them without running one.
func Commands(ctx context.Context) (*cobra.Command, *reference.Manual) {
	a := app.New(ctx, app.System(), nil)
	return newRootCmd(a), newManual(a)
}

func newRootCmd(a *app.App) *cobra.Command {
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
			return setup.RunVersion(a)
		}
		return usage.Group(cmd, args)
	}
	cmd.SetIn(a.IO.In)
	cmd.SetOut(a.IO.Out)
	cmd.SetErr(a.IO.Err)
	cmd.SetFlagErrorFunc(usage.FlagError)
	a.AddFlags(cmd.PersistentFlags())
	cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if a.Quiet && a.Verbose {
			return usage.Error("--quiet and --verbose contradict each other")
		}
		if err := a.CheckFormat(); err != nil {
			return err
		}
		a.OwnWords, a.Command = ownWords[cmd.CommandPath()], strings.TrimPrefix(cmd.CommandPath(), "da ")
		ctx, err := a.Bounded(cmd.Context())
		if err != nil {
			return err
		}
		cmd.SetContext(ctx)
		return usage.CheckGlobals(cmd, args)
	}
	cmd.AddGroup(&cobra.Group{ID: "find", Title: "Find data:"}, &cobra.Group{ID: "local", Title: "Work with it:"},
		&cobra.Group{ID: "run", Title: "Run and set up:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			cmd.AddCommand(c)
		}
	}
	add("find", catalog.NewCatalogCmd(a), catalog.NewSchemaCmd(a), catalog.NewDescribeCmd(a), catalog.NewJoinsCmd(a), catalog.NewContextCmd(a),
		catalog.NewValuesCmd(a), catalog.NewWhereCmd(a), catalog.NewNoteCmd(a), setup.NewQuotaCmd(a))
	files := workfiles.New(a)
	add("local", query.NewFetchCmd(a), snapshots.New(a), snapshots.NewSyncCmd(a), query.NewQueryCmd(a), newShellCmd(a), query.NewResultCmd(a),
		snapshots.NewDiskInfoCmd(a), tables.New(a), files.Command, ask.NewAskCmd(a), ask.NewConversationsCmd(a), ask.NewReceiptCmd(a))
	add("local", query.NewMetricCmd(a), query.NewSavedCmd(a), query.NewPlanCmd(a), query.NewCheckCmd(a), query.NewReportCmd(a),
		query.NewWhyCmd(a), snapshots.NewProfileCmd(a), snapshots.NewOpenCmd(a), ask.NewChatCmd(a))
	add("run", setup.NewLoginCmd(a), setup.NewLogoutCmd(a), setup.NewWhoamiCmd(a), serve.NewServeCmd(a),
		admin.New(a, setup.NewServerDoctorCmd(a)), setup.NewInitCmd(a), setup.NewSourceCmd(a), setup.NewModelCmd(a), setup.NewDemoCmd(a),
		newConfigCmd(a), setup.NewVersionCmd(a), setup.NewDoctorCmd(a), serve.NewUICmd(a), setup.NewSkillsCmd(a))
	add("run", jobs.NewRunCmd(a), jobs.NewScheduleCmd(a), jobs.NewSessionCmd(a), serve.NewMCPCmd(a), reference.CompletionCmd(a))
	manual := newManual(a)
	cmd.AddCommand(reference.TopicCmds()...)
	cmd.SetHelpCommand(manual.HelpCmd())
	cmd.SetHelpCommandGroupID("run")
	cmd.InitDefaultHelpCmd()
	manual.SetHelp(cmd)
	cmd.CompletionOptions.DisableDefaultCmd = true // replaced by our own
	if !isElsewhere(cmd, files.Name(), a.Args) {
		files.AddSteps() // a hundred commands, which take as long to make as all the others
	}
	complete.Offer(cmd, "output", complete.Format)
	complete.Offer(cmd, "server", complete.Login(a))
	if len(a.Args) > 0 && a.Args[0] == cobra.ShellCompRequestCmd {
		complete.ForShells(cmd, a.Args[1:])
	}
	return cmd
}

// newManual returns the source of help and the reference pages.
func newManual(a *app.App) *reference.Manual {
	return &reference.Manual{
		App:     a,
		Aliases: func(root *cobra.Command) string { return aliasLines(a, root) },
		Printed: sync.OnceValue(outputs),
	}
}

// isElsewhere reports whether the arguments call another command than name, and one
// that does not list other commands. Then the commands below name are not needed.
func isElsewhere(root *cobra.Command, name string, args []string) bool {
	if len(args) > 1 && args[0] == cobra.ShellCompRequestCmd {
		args = args[1:]
	}
	if len(args) == 0 {
		return false
	}
	switch first := args[0]; first {
	case "--help", "-h", "--version", "-v": // of da itself
		return true
	case name, "config", "completion", "help", "mcp", "run", "schedule", "shell", "skills":
		return false
	default: // an alias or a misspelt name may mean any command
		return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == first })
	}
}

// ownWords lists the commands that print nothing read from data.
var ownWords = map[string]bool{
	"da version": true, "da config list": true, "da config get": true, "da config set": true, "da config unset": true, "da config path": true,
	"da skills list": true, "da doctor": true, "da help": true, "da disk-info": true, "da skills install": true,
	"da result drop": true, "da snapshot drop": true, "da quota": true, "da source add": true, "da login": true, "da logout": true,
	"da schedule remove": true, "da whoami": true, "da saved remove": true, "da note remove": true,
}
