package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/config"
)

// NewScheduleCmd returns 'da schedule'.
func NewScheduleCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run a file of steps every day",
		Long: `Schedule lets this machine run 'da run FILE' every day, as you: by a timer of
systemd where your session has systemd, else by a line of your crontab. 'da
doctor' and 'da schedule list' show how the last run ended.`,
		Args: usage.Exactly(),
		RunE: usage.Group,
	}
	cmd.AddCommand(newScheduleAddCmd(a), newScheduleListCmd(a), newScheduleRemoveCmd(a))
	return cmd
}

func newScheduleAddCmd(a *app.App) *cobra.Command {
	var daily string
	var onlyPrint bool
	cmd := &cobra.Command{
		Use:   "add <file>",
		Short: "Run a file of steps at a time of the day",
		Long: `Add writes a timer for the file, or changes its time. --print shows what would
be written, and writes nothing.

The run sees the places that are set now (DA_HOME, DA_CONFIG, DA_INSTANCE and
DA_SERVER), and no token: use 'da login'. Times are local. A timer of systemd
runs what it missed while the machine was off; it needs 'loginctl
enable-linger' to run while you are not logged in.`,
		Example: "  da schedule add job.yaml --daily 06:00\n  da schedule add job.yaml --daily 06:00 --print",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := time.Parse("15:04", daily)
			if err != nil {
				e := usage.Error(fmt.Sprintf("--daily '%s' is not a time of the day such as 06:00", api.Clip(daily, 20)))
				if daily == "" {
					e.Message = "say when: --daily 06:00"
				}
				return e
			}
			return addSchedule(cmd, a, args[0], at, onlyPrint)
		},
	}
	cmd.Flags().StringVar(&daily, "daily", "", "`time` of the day, as in 06:00")
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print what would be written, and write nothing")
	return cmd
}

func newScheduleListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the files that run every day, and how they last ended",
		Example: "  da schedule list",
		Args:    usage.Exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return listSchedules(cmd.Context(), a) },
	}
}

func newScheduleRemoveCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "remove <file>",
		Short:   "Run a file no more by itself",
		Long:    "Remove takes away the timer of a file. The file, and what it has made, stay.",
		Example: "  da schedule remove job.yaml",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return removeSchedule(cmd.Context(), a, a.Absolute(args[0]))
		},
	}
}

// scheduled is a file that runs every day.
type scheduled struct {
	File     string     `json:"file"`
	Daily    string     `json:"daily" jsonschema:"the time of the day, as in 06:00"`
	By       string     `json:"by" jsonschema:"systemd or cron"`
	LastRun  *time.Time `json:"last_run" jsonschema:"null: it did not run yet"`
	ExitCode *int       `json:"exit_code" jsonschema:"of the last run; null: it did not run, or did not end"`
}

// timer is what runs a file every day.
type timer interface {
	// Texts are what add writes, by the place of each.
	texts(j job) map[string]string
	add(ctx context.Context, j job) error
	list(ctx context.Context) ([]scheduled, error)
	// remove reports whether there was one for the file.
	remove(ctx context.Context, file string) (bool, error)
}

// job is a command and when it runs.
type job struct {
	file  string // absolute
	at    time.Time
	words []string // the command line
	env   map[string]string
}

// timerHere returns the timer that this machine has.
func timerHere(ctx context.Context, a *app.App) timer {
	if s := (systemd{dir: a.UserFolder("XDG_CONFIG_HOME", ".config", "systemd/user")}); s.runs(ctx) {
		return s
	}
	return cron{}
}

func addSchedule(cmd *cobra.Command, a *app.App, name string, at time.Time, onlyPrint bool) error {
	r, err := prepare(cmd, a, a.Absolute(name)) // what cannot run is not scheduled
	if err != nil {
		return err
	}
	j := job{file: r.run.File, at: at, words: []string{r.program, "run", r.run.File, "--json"}, env: places(a)}
	for _, text := range append(slices.Collect(maps.Values(j.env)), j.words...) {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return usage.Error("a path with a control character cannot be scheduled")
		}
	}
	t := timerHere(cmd.Context(), a)
	if !onlyPrint {
		if err := t.add(cmd.Context(), j); err != nil {
			return err
		}
		if a.Getenv(config.EnvToken) != "" {
			a.Warn([]string{"the run will not have the token of " + config.EnvToken + ": keep one with 'da login'"})
		}
	}
	if r.format == output.JSON {
		return a.PrintJSON(written{File: j.file, Daily: j.daily(), Written: !onlyPrint, Texts: t.texts(j)})
	}
	texts := t.texts(j)
	for _, place := range slices.Sorted(maps.Keys(texts)) {
		if _, err := fmt.Fprintf(a.IO.Out, "# %s\n%s\n", place, strings.TrimRight(texts[place], "\n")); err != nil {
			return err
		}
	}
	return nil
}

// written is what da schedule add --json prints.
type written struct {
	File    string            `json:"file"`
	Daily   string            `json:"daily"`
	Written bool              `json:"written" jsonschema:"false with --print"`
	Texts   map[string]string `json:"texts" jsonschema:"by the place of each"`
}

// places are the variables that say where things are, with absolute paths.
func places(a *app.App) map[string]string {
	env := map[string]string{}
	for _, name := range []string{config.EnvHome, config.EnvConfig, config.EnvInstance} {
		if path := a.Getenv(name); path != "" {
			env[name] = a.Absolute(path)
		}
	}
	if server := a.Getenv(config.EnvServer); server != "" {
		env[config.EnvServer] = server
	}
	return env
}

func (j job) daily() string { return j.at.Format("15:04") }

func listSchedules(ctx context.Context, a *app.App) error {
	all, err := Scheduled(ctx, a)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"file", "daily", "by", "last run", "exit code"}}
	for _, s := range all {
		var when, code any
		if s.LastRun != nil {
			when = s.LastRun.Local().Format("2006-01-02 15:04")
		}
		if s.ExitCode != nil {
			code = *s.ExitCode
		}
		list.Rows = append(list.Rows, []any{a.Tilde(s.File), s.Daily, s.By, when, code})
	}
	return a.ShowItems(a.OutputFormat(), schedules{all}, list, all)
}

// schedules is what da schedule list --json prints.
type schedules struct {
	Scheduled []scheduled `json:"scheduled"`
}

// Scheduled returns the files that run every day, by both kinds of timers.
func Scheduled(ctx context.Context, a *app.App) ([]scheduled, error) {
	home, err := a.Places().Data()
	if err != nil {
		return nil, err
	}
	all := []scheduled{}
	for _, t := range []timer{systemd{dir: a.UserFolder("XDG_CONFIG_HOME", ".config", "systemd/user")}, cron{}} {
		some, err := t.list(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	for i := range all {
		if last := lastRun(folderOf(home, all[i].File)); last.File != "" {
			all[i].LastRun = &last.Started
			if last.Ended != nil {
				all[i].ExitCode = &last.ExitCode
			}
		}
	}
	return all, nil
}

func removeSchedule(ctx context.Context, a *app.App, file string) error {
	removed := false
	for _, t := range []timer{systemd{dir: a.UserFolder("XDG_CONFIG_HOME", ".config", "systemd/user")}, cron{}} {
		was, err := t.remove(ctx, file)
		if err != nil {
			return err
		}
		removed = removed || was
	}
	if !removed {
		return &api.Error{Code: api.CodeUsage, Message: "no schedule runs " + file, Hint: "'da schedule list' names those that there are."}
	}
	return a.Show(a.OutputFormat(), unscheduled{file}, output.List{Columns: []string{"removed"}, Rows: [][]any{{file}}})
}

// unscheduled is what da schedule remove --json prints.
type unscheduled struct {
	Removed string `json:"removed"`
}

// mark begins a line that says which file a timer is for.
const mark = "# da schedule: "

// key names the timer of a file.
func key(file string) string { return "da-" + filepath.Base(folderOf("", file)) }

var errNoTimers = errors.New("neither systemd nor cron is there")

func noTimers(err error) error {
	return &api.Error{Code: api.CodeUsage, Message: "this machine runs nothing by itself: " + err.Error(),
		Hint: "Install cron, or let something else run 'da run FILE'.", Err: err}
}

// isThere reports whether a file can be read.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
