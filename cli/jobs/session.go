package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/journal"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// NewSessionCmd returns 'da session'.
func NewSessionCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Show what ran in a session, and make a script of an answer",
		Long: `Session is about the journal that each command adds a line to where DA_SESSION
has a name: what was called, the hashes of what was read, written and printed,
the kinds of caveats, the bytes scanned and the exit code. Keys and tokens are
taken out. Journals are below DA_HOME/sessions.`,
		Args: usage.Exactly(),
		RunE: usage.Group,
	}
	cmd.AddCommand(newSessionListCmd(a), newSessionShowCmd(a), newSessionExportCmd(a))
	return cmd
}

func newSessionListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the sessions that have a journal, the latest first",
		Example: "  da session list",
		Args:    usage.Exactly(),
		RunE:    func(*cobra.Command, []string) error { return listSessions(a) },
	}
}

func newSessionShowCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "show <session>",
		Short:   "Show the steps of a session",
		Example: "  da session show report-1",
		Args:    usage.Exactly("session"),
		RunE:    func(_ *cobra.Command, args []string) error { return showSession(a, args[0]) },
	}
}

// sessions is what da session list --json prints.
type sessions struct {
	Sessions []session `json:"sessions"`
}

// session is a journal in short.
type session struct {
	Session string    `json:"session"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended"`
	Steps   int       `json:"steps"`
	Failed  int       `json:"failed"`
	Scanned int64     `json:"scanned_bytes"`
}

// sessionShown is what da session show --json prints.
type sessionShown struct {
	Session string          `json:"session"`
	Steps   []journal.Entry `json:"steps"`
	Unread  int             `json:"unread" jsonschema:"lines of the journal that could not be read"`
}

func journals(a *app.App) (journal.Journals, error) {
	home, err := a.Places().Data()
	return journal.JournalsAt(home), err
}

// readSession returns the steps of a session, at least one.
func readSession(a *app.App, name string) ([]journal.Entry, int, error) {
	all, err := journals(a)
	if err != nil {
		return nil, 0, err
	}
	entries, unread, err := all.Read(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, 0, &api.Error{Code: api.CodeUsage, Kind: api.KindUnknownSession,
			Message: fmt.Sprintf("there is no journal of a session '%s'", api.Clip(name, 80)),
			Hint:    "'da session list' names those that there are. Commands write one where DA_SESSION is set."}
	}
	if err == nil && unread > 0 {
		a.Warn([]string{humanize.Plural(int64(unread), "line of the journal was", "lines of the journal were") + " not read"})
	}
	return entries, unread, err
}

func listSessions(a *app.App) error {
	all, err := journals(a)
	if err != nil {
		return err
	}
	names, err := all.List()
	if err != nil {
		return err
	}
	out := sessions{Sessions: []session{}}
	list := output.List{Columns: []string{"session", "began", "steps", "failed", "scanned"}}
	for _, name := range names {
		entries, _, err := all.Read(name)
		if err != nil || len(entries) == 0 {
			continue // it is gone meanwhile
		}
		s := session{Session: name, Began: entries[0].At, Ended: entries[len(entries)-1].At, Steps: len(entries)}
		for _, e := range entries {
			s.Scanned += e.Scanned
			if e.ExitCode != 0 {
				s.Failed++
			}
		}
		out.Sessions = append(out.Sessions, s)
		list.Rows = append(list.Rows, []any{s.Session, s.Began.Local().Format("2006-01-02 15:04"), s.Steps, s.Failed,
			output.Figure(humanize.Bytes(s.Scanned))})
	}
	return a.ShowItems(a.OutputFormat(), out, list, out.Sessions)
}

func showSession(a *app.App, name string) error {
	entries, unread, err := readSession(a, name)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"step", "command", "exit code", "writes", "caveats"}}
	for _, e := range entries {
		list.Rows = append(list.Rows, []any{e.Step, "da " + shellwords.Join(e.Args), e.ExitCode, strings.Join(e.Writes.Keys(), ", "),
			strings.Join(e.Caveats, ", ")})
	}
	return a.ShowItems(a.OutputFormat(), sessionShown{name, entries, unread}, list, entries)
}
