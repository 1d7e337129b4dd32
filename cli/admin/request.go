package admin

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

func newRequestCmd(a *app.App) *cobra.Command {
	return group("request", "Scans and statements that a server works on now",
		command(a, "list", "List the requests that run", "da admin request list\nda admin request list --json", nil,
			func(ctx context.Context, r api.Administration, _ []string) error {
				if err := needsServer(a); err != nil {
					return err
				}
				running, err := r.Running(ctx)
				if err != nil {
					return err
				}
				return report(a, running, requestList(running, a.Now()), running)
			}),
		command(a, "stop", "Stop a request; its caller is told", "da admin request stop ID", []string{"id"},
			func(ctx context.Context, r api.Administration, args []string) error {
				if err := needsServer(a); err != nil {
					return err
				}
				return done(a, r.StopRequest(ctx, args[0]), "request "+args[0]+" is stopped, if it still ran")
			}),
	)
}

// needsServer rejects a call without a server: requests run in the server's
// process.
func needsServer(a *app.App) error {
	url, err := a.ServerToUse()
	if err != nil || url != "" {
		return err
	}
	e := usage.Error("requests run in a server, and none is configured")
	e.Hint = "Name it with --server URL or DA_SERVER, and log in as an admin."
	return e
}

func requestList(running []api.RunningRequest, now time.Time) output.List {
	list := output.List{Columns: []string{"id", "user", "what", "tables", "for", "client"}}
	for _, r := range running {
		list.Rows = append(list.Rows, []any{r.RequestID, r.User, r.EventType, strings.Join(r.Tables, ", "), humanize.Age(now.Sub(r.StartedAt)),
			r.ClientAgent})
	}
	return list
}
