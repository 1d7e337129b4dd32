package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/printable"
)

// HelpCmd explains commands and topics, as text for people and as JSON for
// programs.
func (m *Manual) HelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command or topic]",
		Short: "Explain a command or a topic",
		Long: `Help explains a command, or a topic: exit-codes, errors, output, environment,
predicates.
With --json it describes commands for programs: flags with types and defaults,
examples, the schema of what each prints with --json, and besides them
environment, exit codes and error codes. What does not fit --max-tokens is left
out and named: of many commands a line each remains.`,
		Example: "  da help fetch\n  da help exit-codes\n  da help fetch --json\n  da help --json\n  da help --json --max-tokens 4000",
		RunE:    func(cmd *cobra.Command, args []string) error { return m.runHelp(cmd.Root(), args) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return usage.Starting(word, usage.CommandNames(at)), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (m *Manual) runHelp(root *cobra.Command, args []string) error {
	cmd, err := helpTarget(root, args)
	if err != nil {
		return err
	}
	if !m.App.JSONAsked() {
		if m.App.Format != "" {
			return usage.Error("help is text, or JSON with --json")
		}
		cmd.InitDefaultHelpFlag()
		return cmd.Help()
	}
	return m.printHelp(cmd)
}

// helpTarget finds the command or topic with that name.
func helpTarget(root *cobra.Command, words []string) (*cobra.Command, error) {
	cmd := root
	for _, word := range words {
		var next *cobra.Command
		for _, c := range cmd.Commands() {
			if c.Name() == word || c.HasAlias(word) {
				next = c
			}
		}
		if next == nil {
			e := usage.Error(fmt.Sprintf("there is no command or topic '%s'", api.Clip(strings.Join(words, " "), 60)))
			e.Hint = strings.TrimSpace(usage.MeantCommand(cmd, strings.Replace(cmd.CommandPath(), "da", "da help", 1), word) +
				fmt.Sprintf(" See '%s --help' for the commands.", cmd.CommandPath()))
			return nil, e
		}
		cmd = next
	}
	return cmd, nil
}

// helpWidth is the width of help pages: that of the terminal, but not too wide to
// read.
func helpWidth(a *app.App) int {
	if a.IO.OutWidth == 0 {
		return 80
	}
	return min(max(a.IO.OutWidth, 60), 100)
}

// SetHelp makes --help print the same as 'da help', wrapped to the terminal.
func (m *Manual) SetHelp(root *cobra.Command) {
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth(m.App))
	root.SetUsageTemplate(strings.NewReplacer(".FlagUsages", wrapped,
		"{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}", "").Replace(root.UsageTemplate()))
	text := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if app.AgentReads(m.App.Getenv) && !m.App.JSONAsked() && !cmd.IsAdditionalHelpTopicCommand() {
			_, _ = io.WriteString(cmd.OutOrStdout(), printable.Text(brief(cmd)))
			return
		}
		cmd.Long = LongText(cmd)
		if !m.App.JSONAsked() {
			text(cmd, args)
			if !cmd.HasParent() && m.Aliases != nil {
				_, _ = io.WriteString(cmd.OutOrStdout(), printable.Text(m.Aliases(cmd)))
			}
			return
		}
		// The stream remembers a write error, which then fails the run.
		_ = m.printHelp(cmd)
	})
}

// printHelp describes a command or topic as JSON, as much as fits. Many commands
// are shortened to one line each.
func (m *Manual) printHelp(cmd *cobra.Command) error {
	var out any
	for _, doc := range shorterHelp(m.describe(cmd), cmd) {
		var err error
		if out, err = m.App.Fitted(doc); err != nil {
			return err
		}
		if _, fits := out.(Document); fits {
			break
		}
	}
	return m.App.PrintWhole(out)
}
