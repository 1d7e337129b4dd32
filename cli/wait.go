package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
)

// waiting lists the commands that fail while another process has what they need.
var waiting = [][]string{
	{"fetch"}, {"sync"}, {"query"}, {"report"}, {"ask"},
	{"snapshot", "import"}, {"snapshot", "refresh"}, {"snapshot", "restore"}, {"snapshot", "drop"}, {"snapshot", "prune"},
	{"snapshot", "rename"}, {"snapshot", "copy"}, {"snapshot", "note"}, {"snapshot", "tag"},
}

// askAgain is how long a waiting command leaves the other process alone.
const askAgain = 500 * time.Millisecond

// letWait gives these commands the flag --wait. A command that finds something in
// use has changed nothing, so that it can begin again.
func letWait(a *app.App, root *cobra.Command) {
	for _, path := range waiting {
		cmd, _, err := root.Find(path)
		if err != nil || cmd.RunE == nil {
			continue
		}
		var patience string
		cmd.Flags().StringVar(&patience, "wait", "", "most `time` to wait while another process changes the same, as in 5m")
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if patience == "" {
				return run(cmd, args)
			}
			most, err := usage.ParseAge("wait", patience)
			if err != nil {
				return err
			}
			return waitFor(cmd, a, most, func() error { return run(cmd, args) })
		}
	}
}

// waitFor runs until it does not find something in use, or for as long as most.
func waitFor(cmd *cobra.Command, a *app.App, most time.Duration, run func() error) error {
	until := time.Now().Add(most)
	for told := false; ; told = true {
		err := run()
		if !api.CodeSnapshotBusy.Is(err) || time.Now().After(until) {
			return err
		}
		if !told {
			a.Note("waiting: " + err.Error())
		}
		select {
		case <-time.After(askAgain):
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		}
	}
}
