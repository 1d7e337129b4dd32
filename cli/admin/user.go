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

func newUserCmd(a *app.App) *cobra.Command {
	var admin bool
	create := command(a, "create", "Add a user", "da admin user create bob@example.com\nda admin user create root@example.com --admin",
		[]string{"name"}, func(ctx context.Context, r api.Administration, args []string) error {
			u, err := r.CreateUser(ctx, api.NewUser{Name: args[0], Admin: admin})
			if err != nil {
				return err
			}
			return report(a, u, userList([]api.User{*u}), u)
		})
	create.Flags().BoolVar(&admin, "admin", false, "the user may read everything and manage the server")
	return group("user", "Users",
		create,
		command(a, "list", "List the users", "da admin user list\nda admin user list --json", nil,
			func(ctx context.Context, r api.Administration, _ []string) error {
				users, err := r.Users(ctx)
				if err != nil {
					return err
				}
				return report(a, users, userList(users), users)
			}),
		command(a, "delete", "Remove a user with their tokens, grants, files and conversations", "da admin user delete bob@example.com", []string{"name"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.DeleteUser(ctx, args[0]), "user '"+args[0]+"' is removed")
			}),
	)
}

func userList(users []api.User) output.List {
	list := output.List{Columns: []string{"id", "name", "admin", "groups", "created"}}
	for _, u := range users {
		list.Rows = append(list.Rows, []any{u.ID, u.Name, u.Admin, strings.Join(u.Groups, " "), u.CreatedAt.Format(time.DateOnly)})
	}
	return list
}
