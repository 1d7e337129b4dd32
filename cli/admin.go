package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/cli/output"
)

func newAdminCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin <command>",
		Short: "Manage users, tokens, grants and tables; see who used what",
		Long: `Admin changes who may read what, and shows what was asked and used. It works on
the instance of this machine, or on a server with an admin's token. What it
changes acts at once, also in a server that runs on the same state.`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.Example = "  da admin token create --user ann@example.com --expires 90d\n  da admin grant --user ann@example.com --table orders\n  da admin audit --since 24h"
	cmd.AddCommand(newAdminUserCmd(a), newAdminGroupCmd(a), newAdminTokenCmd(a), newAdminGrantCmd(a), newAdminTableCmd(a),
		newAdminQuotaCmd(a), newAdminAuditCmd(a), newAdminBackupCmd(a), newAdminRefreshCmd(a))
	return cmd
}

// adminGroup is a command that only holds others.
func adminGroup(use, short string, cmds ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: groupRun}
	cmd.AddCommand(cmds...)
	return cmd
}

// adminCmd is one command of an admin: its arguments, an example or several, and
// what it does with the service.
func adminCmd(a *app, name, short, example string, args []string, run func(context.Context, api.Administration, []string) error) *cobra.Command {
	use := name
	for _, arg := range args {
		use += " <" + arg + ">"
	}
	return &cobra.Command{Use: use, Short: short, Example: indent(example), Args: exactArgs(args...), RunE: func(cmd *cobra.Command, args []string) error {
		a.durable = true
		if _, err := a.connect(); err != nil {
			return err
		}
		if err := run(cmd.Context(), a.administration, args); err != nil {
			return err
		}
		// What this machine remembers of the catalog may not be so any more.
		catalog, err := a.catalog()
		if kept, ok := catalog.(*cache.Catalog); ok && err == nil {
			err = kept.Clear()
		}
		return err
	}}
}

// indent sets the lines of an example as help shows them.
func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// report shows what a change has made: doc, of which people get list, and
// programs the records of items.
func (a *app) report(doc any, list output.List, items any) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	return a.showItems(format, doc, list, items)
}

// reportDone says that a change is made that has nothing to show.
func (a *app) reportDone(text string) error {
	format, err := a.outputFormat()
	if err != nil {
		return err
	}
	if format == output.Table {
		_, err = fmt.Fprintln(a.IO.Out, text)
		return err
	}
	return a.show(format, doneReport{text}, output.List{Columns: []string{"done"}, Rows: [][]any{{text}}})
}

func newAdminUserCmd(a *app) *cobra.Command {
	var admin bool
	create := adminCmd(a, "create", "Add a user", "da admin user create bob@example.com\nda admin user create root@example.com --admin", []string{"name"}, func(ctx context.Context, r api.Administration, args []string) error {
		u, err := r.CreateUser(ctx, api.NewUser{Name: args[0], Admin: admin})
		if err != nil {
			return err
		}
		return a.report(u, userList([]api.User{*u}), u)
	})
	create.Flags().BoolVar(&admin, "admin", false, "the user may read everything and manage the server")
	return adminGroup("user", "Users",
		create,
		adminCmd(a, "list", "List the users", "da admin user list\nda admin user list --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
			users, err := r.Users(ctx)
			if err != nil {
				return err
			}
			return a.report(users, userList(users), users)
		}),
		adminCmd(a, "delete", "Remove a user with their tokens and grants", "da admin user delete bob@example.com", []string{"name"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.DeleteUser(ctx, args[0]), "user '"+args[0]+"' is removed")
		}),
	)
}

// done reports a change unless it failed.
func done(a *app, err error, text string) error {
	if err != nil {
		return err
	}
	return a.reportDone(text)
}

func userList(users []api.User) output.List {
	list := output.List{Columns: []string{"id", "name", "admin", "groups", "created"}}
	for _, u := range users {
		list.Rows = append(list.Rows, []any{u.ID, u.Name, u.Admin, strings.Join(u.Groups, " "), u.CreatedAt.Format(time.DateOnly)})
	}
	return list
}

func newAdminGroupCmd(a *app) *cobra.Command {
	show := func(groups []api.Group) output.List {
		list := output.List{Columns: []string{"name", "members", "created"}}
		for _, g := range groups {
			list.Rows = append(list.Rows, []any{g.Name, strings.Join(g.Members, " "), g.CreatedAt.Format(time.DateOnly)})
		}
		return list
	}
	return adminGroup("group", "Groups of users",
		adminCmd(a, "create", "Add a group", "da admin group create analysts", []string{"name"}, func(ctx context.Context, r api.Administration, args []string) error {
			g, err := r.CreateGroup(ctx, api.NewGroup{Name: args[0]})
			if err != nil {
				return err
			}
			return a.report(g, show([]api.Group{*g}), g)
		}),
		adminCmd(a, "list", "List the groups", "da admin group list", nil, func(ctx context.Context, r api.Administration, _ []string) error {
			groups, err := r.Groups(ctx)
			if err != nil {
				return err
			}
			return a.report(groups, show(groups), groups)
		}),
		adminCmd(a, "delete", "Remove a group with its grants", "da admin group delete analysts", []string{"name"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.DeleteGroup(ctx, args[0]), "group '"+args[0]+"' is removed")
		}),
		adminCmd(a, "add", "Put a user into a group", "da admin group add sales ann@example.com", []string{"group", "user"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.AddMember(ctx, args[0], args[1]), "'"+args[1]+"' is in '"+args[0]+"'")
		}),
		adminCmd(a, "remove", "Take a user out of a group", "da admin group remove sales ann@example.com", []string{"group", "user"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.RemoveMember(ctx, args[0], args[1]), "'"+args[1]+"' is not in '"+args[0]+"'")
		}),
	)
}

func newAdminQuotaCmd(a *app) *cobra.Command {
	var user string
	cmd := adminCmd(a, "quota", "Show what each user has used today", "da admin quota\nda admin quota --user ann@example.com --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		quotas, err := r.Quotas(ctx)
		if err != nil {
			return err
		}
		if user != "" {
			var one []api.QuotaStatus
			for _, q := range quotas {
				if q.User == strings.ToLower(user) {
					one = append(one, q)
				}
			}
			quotas = one
		}
		if quotas == nil {
			quotas = []api.QuotaStatus{}
		}
		return a.report(quotas, quotaList(quotas), quotas)
	})
	cmd.Flags().StringVar(&user, "user", "", "only this `user`")
	return cmd
}

func newAdminRefreshCmd(a *app) *cobra.Command {
	return adminCmd(a, "catalog-refresh", "Clear the server's cache of catalog, schemas and samples", "da admin catalog-refresh", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			return done(a, r.RefreshCaches(ctx), "the server's caches are empty")
		})
}

func newAdminAuditCmd(a *app) *cobra.Command {
	var q api.AuditQuery
	var since string
	cmd := adminCmd(a, "audit", "Show who asked for what, and what came of it", "da admin audit --since 24h\nda admin audit --user ann@example.com --table orders --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		var err error
		if q.Since, err = parseMoment("since", since, a.Now()); err != nil {
			return err
		}
		if q.Limit < 0 || q.Limit > api.MaxAuditRows {
			return usageError(fmt.Sprintf("--limit goes from 1 to %d", api.MaxAuditRows))
		}
		events, err := r.Audit(ctx, q)
		if err != nil {
			return err
		}
		return a.report(events, auditList(events), events)
	})
	f := cmd.Flags()
	f.StringVar(&since, "since", "", "only what is not older than this: an `age` such as 24h or 7d, a date or a time")
	f.StringVar(&q.User, "user", "", "only what this `user` did")
	f.StringVar(&q.TableID, "table", "", "only what was asked of this `table`")
	f.IntVar(&q.Limit, "limit", 0, fmt.Sprintf("only the latest `rows` (default %d)", api.DefaultAuditRows))
	cmd.AddCommand(newAuditPruneCmd(a))
	return cmd
}

// parseMoment reads an age, a date or a time, which a flag gave.
func parseMoment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	age, err := parseAge(flag, text)
	var usage *api.Error
	if errors.As(err, &usage) {
		usage.Message = fmt.Sprintf("--%s '%s' is no age such as 24h or 7d, no date as 2026-01-31 and no time as 2026-01-31T12:00:00Z", flag, api.Clip(text, 40))
	}
	return now.Add(-age), err
}

func auditList(events []api.AuditEvent) output.List {
	list := output.List{Columns: []string{"at", "user", "event", "table", "status", "rows", "bytes", "ms", "error"}}
	for _, e := range events {
		what := e.TableID
		switch {
		case e.Data.Action != "":
			what = strings.TrimSpace(e.Data.Action + " " + e.Data.Subject)
		case len(e.Data.Tables) > 0:
			what = strings.Join(e.Data.Tables, " ")
		}
		list.Rows = append(list.Rows, []any{e.At.UTC().Format(time.RFC3339), e.User, e.EventType, what, e.Data.Status,
			optional(e.Data.ResultRows), optional(e.Data.ResultBytes), e.Data.LatencyMS, string(e.Data.ErrorCode)})
	}
	return list
}
