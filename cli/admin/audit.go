package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/spf13/cobra"
)

func newAuditCmd(a *app.App) *cobra.Command {
	var q api.AuditQuery
	var since string
	cmd := command(a, "audit", "Show who asked for what, and what came of it",
		"da admin audit --since 24h\nda admin audit --user ann@example.com --table orders --json", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			var err error
			if q.Since, err = usage.ParseMoment("since", since, a.Now()); err != nil {
				return err
			}
			if q.Limit < 0 || q.Limit > api.MaxAuditRows {
				return usage.Error(fmt.Sprintf("--limit goes from 1 to %d", api.MaxAuditRows))
			}
			events, err := r.Audit(ctx, q)
			if err != nil {
				return err
			}
			return report(a, events, auditList(events), events)
		})
	f := cmd.Flags()
	f.StringVar(&since, "since", "", "only what is not older than this: an `age` such as 24h or 7d, a date or a time")
	f.StringVar(&q.User, "user", "", "only what this `user` did")
	f.StringVar(&q.TableID, "table", "", "only what was asked of this `table`")
	f.StringVar(&q.Status, "status", "", "only what ended so: one or several, between commas, of "+strings.Join(api.AuditStatuses, ", "))
	f.IntVar(&q.Limit, "limit", 0, fmt.Sprintf("only the latest `rows` (default %d)", api.DefaultAuditRows))
	cmd.AddCommand(newAuditPruneCmd(a))
	return cmd
}

func auditList(events []api.AuditEvent) output.List {
	list := output.List{Columns: []string{"at", "user", "event", "table", "status", "rows", "bytes", "ms", "error"}}
	for _, e := range events {
		what := e.TableID
		switch {
		case e.Data.Action != "":
			what = strings.TrimSpace(e.Data.Action + " " + cmp.Or(e.Data.FileName, e.Data.Subject))
		case len(e.Data.Tables) > 0:
			what = strings.Join(e.Data.Tables, " ")
		}
		list.Rows = append(list.Rows, []any{e.At.UTC().Format(time.RFC3339), e.User, e.EventType, what, e.Data.Status,
			output.Optional(e.Data.ResultRows), output.Optional(e.Data.ResultBytes), output.Optional(e.Data.LatencyMS), string(e.Data.ErrorCode)})
	}
	return list
}
