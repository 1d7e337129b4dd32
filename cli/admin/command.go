package admin

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source/registry"
)

// group returns a command that only has subcommands.
func group(use, short string, cmds ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: usage.Group}
	cmd.AddCommand(cmds...)
	return cmd
}

// command returns one admin command: its arguments, examples, and what it does
// with the service.
func command(a *app.App, name, short, example string, args []string,
	run func(context.Context, api.Administration, []string) error) *cobra.Command {
	use := name
	for _, arg := range args {
		use += " <" + arg + ">"
	}
	return &cobra.Command{Use: use, Short: short, Example: indent(example), Args: usage.Exactly(args...),
		RunE: func(cmd *cobra.Command, args []string) error {
			admin, err := a.Administer()
			if err != nil {
				return err
			}
			if err := run(cmd.Context(), admin, args); err != nil {
				return err
			}
			// The change can invalidate the cached catalog on this machine.
			catalog, err := a.Catalog()
			if kept, ok := catalog.(*cache.Catalog); ok && err == nil {
				err = kept.Clear()
			}
			return err
		}}
}

// indent sets the lines of an example as help shows them.
func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// report prints the result of a change: list for people, doc as JSON, and the
// records of items in formats for programs.
func report(a *app.App, doc any, list output.List, items any) error {
	return a.ShowItems(a.OutputFormat(), doc, list, items)
}

// done reports a change unless it failed.
func done(a *app.App, err error, text string) error {
	if err != nil {
		return err
	}
	return a.ReportDone(text)
}

// openState opens the state of the local instance, whatever server other commands
// use.
func openState(a *app.App) (*state.Store, error) {
	inst, err := localInstance(a)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(inst.Server.StateDir); err != nil && inst.Server.State+inst.Server.StateEnv == "" {
		e := usage.Error(fmt.Sprintf("the instance %s has no state yet: %v", inst.File, err))
		e.Hint = "Name the instance that is served: --instance FILE."
		return nil, e
	}
	return a.OpenState(inst)
}

// localInstance reads the instance file of this machine.
func localInstance(a *app.App) (*config.Instance, error) {
	if a.ServerURL != "" {
		return nil, usage.Error("this works on the state of an instance of this machine; --server makes no sense here")
	}
	path, err := a.Places().Instance(a.InstancePath)
	if err != nil {
		return nil, err
	}
	return config.LoadInstance(path, registry.Types())
}
