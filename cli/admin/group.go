package admin

import (
	"context"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/spf13/cobra"
)

func newGroupCmd(a *app.App) *cobra.Command {
	show := func(groups []api.Group) output.List {
		list := output.List{Columns: []string{"name", "members", "created"}}
		for _, g := range groups {
			list.Rows = append(list.Rows, []any{g.Name, strings.Join(g.Members, " "), g.CreatedAt.Format(time.DateOnly)})
		}
		return list
	}
	return group("group", "Groups of users",
		command(a, "create", "Add a group", "da admin group create analysts", []string{"name"},
			func(ctx context.Context, r api.Administration, args []string) error {
				g, err := r.CreateGroup(ctx, api.NewGroup{Name: args[0]})
				if err != nil {
					return err
				}
				return report(a, g, show([]api.Group{*g}), g)
			}),
		command(a, "list", "List the groups", "da admin group list", nil, func(ctx context.Context, r api.Administration, _ []string) error {
			groups, err := r.Groups(ctx)
			if err != nil {
				return err
			}
			return report(a, groups, show(groups), groups)
		}),
		command(a, "delete", "Remove a group with its grants", "da admin group delete analysts", []string{"name"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.DeleteGroup(ctx, args[0]), "group '"+args[0]+"' is removed")
			}),
		command(a, "add", "Put a user into a group", "da admin group add sales ann@example.com", []string{"group", "user"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.AddMember(ctx, args[0], args[1]), "'"+args[1]+"' is in '"+args[0]+"'")
			}),
		command(a, "remove", "Take a user out of a group", "da admin group remove sales ann@example.com", []string{"group", "user"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.RemoveMember(ctx, args[0], args[1]), "'"+args[1]+"' is not in '"+args[0]+"'")
			}),
	)
}
