package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

func newConfigCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config <command>",
		Short: "Read and change the client config",
		Long: `The client config is the file ~/.agnes/config, or the one that DA_CONFIG names,
in YAML. Flags override environment variables, and those override the file. A
key of a section is written section.key. alias.NAME is a command of your own:
what 'da NAME' stands for, with the arguments that follow it. The keys:

` + settingLines(),
		Example: "  da config list\n  da config set snapshot_quota_gb 20\n  da config unset snapshot_quota_gb\n  da config set alias.late \"query 'SELECT count(*) FROM late'\"",
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List all keys with their values", Example: "  da config list",
			Args: usage.Exactly(), RunE: func(*cobra.Command, []string) error { return runConfigList(a) }},
		&cobra.Command{Use: "get <key>", Short: "Print the value of a key", Example: "  da config get snapshot_quota_gb",
			Args: usage.Exactly("key"), ValidArgsFunction: completeSetting,
			RunE: func(_ *cobra.Command, args []string) error { return runConfigGet(a, args[0]) }},
		&cobra.Command{Use: "set <key> <value>", Short: "Set a key", Example: "  da config set server https://data.example.com",
			Args: usage.Exactly("key", "value"), ValidArgsFunction: completeSetting, RunE: func(cmd *cobra.Command, args []string) error {
				if err := checkNewAlias(cmd.Root(), args[0]); err != nil {
					return err
				}
				return runConfigSet(cmd.Context(), a, args[0], &args[1])
			}},
		&cobra.Command{Use: "unset <key>", Short: "Take a key away, so that its default holds", Example: "  da config unset server",
			Args: usage.Exactly("key"), ValidArgsFunction: completeSetting,
			RunE: func(cmd *cobra.Command, args []string) error { return runConfigSet(cmd.Context(), a, args[0], nil) }},
		&cobra.Command{Use: "path", Short: "Print where the file is, or would be", Example: "  da config path",
			Args: usage.Exactly(), RunE: func(*cobra.Command, []string) error { return runConfigPath(a) }},
	)
	return cmd
}

// settingLines lists the keys of the file, one per line.
func settingLines() string {
	var b strings.Builder
	for _, s := range config.Settings() {
		line := fmt.Sprintf("  %-25s %s", s.Name, s.About)
		if runes := []rune(line); len(runes) > 80 {
			cut := strings.LastIndexByte(line[:80], ' ')
			line = line[:cut] + "\n" + strings.Repeat(" ", 28) + line[cut+1:]
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func completeSetting(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, s := range config.Settings() {
			names = append(names, s.Name)
		}
	}
	return usage.Starting(word, names), cobra.ShellCompDirectiveNoFileComp
}

// setting is a key of the client config with its value.
type setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // from the file, or the default; null if neither exists
	Set   bool   `json:"set" jsonschema:"the file has it"`
	About string `json:"about"`
}

// settingList is what da config list --json prints.
type settingList struct {
	File     string    `json:"file"`
	Settings []setting `json:"settings"`
}

// configPath is what da config path --json prints.
type configPath struct {
	File string `json:"file"`
}

// readConfig reads the file unparsed; a missing file counts as empty.
func readConfig(a *app.App) (file string, data []byte, err error) {
	if file, err = a.Places().ClientConfig(); err != nil {
		return "", nil, err
	}
	data, err = os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file, nil, nil
	case err != nil:
		return "", nil, &api.Error{Code: api.CodeConfig, Message: "cannot read the client config: " + err.Error(), Err: err}
	}
	return file, data, nil
}

func settings(a *app.App) (settingList, error) {
	file, data, err := readConfig(a)
	if err != nil {
		return settingList{}, err
	}
	values, err := config.Values(file, data)
	if err != nil {
		return settingList{}, err
	}
	all := settingList{File: file}
	for _, s := range config.SettingsOf(values) {
		value, set := values[s.Name]
		if !set && s.Default != "" {
			value = s.Default
		}
		if value != nil {
			value = fmt.Sprint(value)
		}
		all.Settings = append(all.Settings, setting{Key: s.Name, Value: value, Set: set, About: s.About})
	}
	return all, nil
}

func runConfigList(a *app.App) error {
	all, err := settings(a)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"key", "value", "set", "about"}}
	for _, s := range all.Settings {
		list.Rows = append(list.Rows, []any{s.Key, s.Value, s.Set, s.About})
	}
	return a.ShowItems(a.OutputFormat(), all, list, all.Settings)
}

func runConfigGet(a *app.App, name string) error {
	format := a.OutputFormat()
	if _, err := config.FindSetting(name); err != nil {
		return err
	}
	all, err := settings(a)
	if err != nil {
		return err
	}
	for _, s := range all.Settings {
		switch {
		case s.Key != name:
		case format == output.Table && s.Value == nil:
			a.Note("'" + name + "' is not set")
		case format == output.Table:
			_, err = fmt.Fprintln(a.IO.Out, s.Value)
		default:
			err = a.ShowItems(format, s, output.List{Columns: []string{"key", "value", "set", "about"},
				Rows: [][]any{{s.Key, s.Value, s.Set, s.About}}}, s)
		}
	}
	return err
}

// runConfigSet changes the file, unless the result would be invalid.
func runConfigSet(ctx context.Context, a *app.App, name string, value *string) error {
	s, err := config.FindSetting(name)
	if err != nil {
		return err
	}
	file, err := a.Places().ClientConfig()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return atomicfile.Explain("write the client config", err)
	}
	if err := config.ChangeFile(ctx, file, "the client config", 0o600, func(data []byte) ([]byte, error) {
		return config.Edited(file, data, s, value)
	}); err != nil {
		return err
	}
	err = runConfigGet(a, name)
	var e *api.Error
	if errors.As(err, &e) {
		e.Message = "'" + name + "' is changed; what is still wrong: " + e.Message
	}
	return err
}

func runConfigPath(a *app.App) error {
	format := a.OutputFormat()
	file, err := a.Places().ClientConfig()
	if err != nil {
		return err
	}
	if format == output.Table {
		_, err = fmt.Fprintln(a.IO.Out, file)
		return err
	}
	return a.ShowItems(format, configPath{file}, output.List{Columns: []string{"file"}, Rows: [][]any{{file}}}, configPath{file})
}
