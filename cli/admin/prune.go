package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/server/core"
)

func newAuditPruneCmd(a *app.App) *cobra.Command {
	var before string
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old events from the audit of this machine's instance",
		Long: `Prune removes the events before a time for good, and writes down that it did.
Those of today stay: today's quotas are made of them. It runs on the server's
machine, beside the server. The room is used again by later events; the file
itself stays as large as it is.`,
		Example: "  da admin audit prune --before 365d\n  da admin audit prune --before 2026-01-01",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runAuditPrune(cmd.Context(), a, before)
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "what is older than this `age`, as in 365d, or before this date or time")
	return cmd
}

// auditPruned is what da admin audit prune --json prints.
type auditPruned struct {
	Before  time.Time `json:"before"`
	Removed int64     `json:"removed"`
}

func runAuditPrune(ctx context.Context, a *app.App, text string) error {
	if text == "" {
		e := usage.Error("which events? --before is missing")
		e.Hint = "As in --before 365d or --before 2026-01-01."
		return e
	}
	before, err := usage.ParseMoment("before", text, a.Now())
	if err != nil {
		return err
	}
	store, err := openState(a)
	if err != nil {
		return err
	}
	defer store.Close()
	removed, err := store.PruneAudit(ctx, before)
	if removed > 0 || err == nil {
		// Audit an interrupted prune, too, because it has removed events.
		done := api.AuditEvent{EventType: api.EventAdmin, User: core.LocalAdmin.User,
			Data: api.AuditData{Status: api.StatusOK, Action: "audit_prune", Subject: before.UTC().Format(time.RFC3339),
				ClientAgent: app.AgentName(a.Getenv)}}
		if noted := store.Append(ctx, done); err == nil {
			err = noted
		}
	}
	if err != nil {
		return err
	}
	format := a.OutputFormat()
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "removed %s before %s\n", humanize.Plural(removed, "event", "events"),
			before.UTC().Format("2006-01-02 15:04 UTC"))
		return err
	}
	pruned := auditPruned{before.UTC(), removed}
	return a.ShowItems(format, pruned,
		output.List{Columns: []string{"removed", "before"}, Rows: [][]any{{removed, before.UTC().Format(time.RFC3339)}}}, pruned)
}
