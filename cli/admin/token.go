package admin

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

func newTokenCmd(a *app.App) *cobra.Command {
	var user, note, expires string
	create := command(a, "create", "Make a token for a user, shown only now",
		"da admin token create --user ann@example.com --expires 90d --note laptop\nda admin token create --user ann@example.com --json", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			t := api.NewToken{User: user, Note: note}
			if user == "" {
				return usage.Error("da admin token create needs --user")
			}
			if expires != "" {
				age, err := usage.ParseAge("expires", expires)
				if err != nil {
					return err
				}
				t.ExpiresSeconds = int64(age / time.Second)
			}
			made, err := r.CreateToken(ctx, t)
			if err != nil {
				return err
			}
			list := output.List{Columns: []string{"token", "id", "user", "expires"},
				Rows: [][]any{{made.Secret, made.ID, made.User, moment(made.ExpiresAt)}}}
			return report(a, made, list, made)
		})
	create.Flags().StringVar(&user, "user", "", "whose token it is: a `name`")
	create.Flags().StringVar(&expires, "expires", "", "`age` at which it ends, as in 90d (default never)")
	create.Flags().StringVar(&note, "note", "", "a `text` to remember it by")
	var of string
	list := command(a, "list", "List the tokens", "da admin token list\nda admin token list --user ann@example.com --json", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			tokens, err := r.Tokens(ctx, of)
			if err != nil {
				return err
			}
			return report(a, tokens, tokenList(tokens), tokens)
		})
	list.Flags().StringVar(&of, "user", "", "only those of this `user`")
	return group("token", "Personal access tokens", create, list,
		command(a, "revoke", "End a token, at once", "da admin token revoke ID", []string{"id"},
			func(ctx context.Context, r api.Administration, args []string) error {
				return done(a, r.RevokeToken(ctx, args[0]), "token "+args[0]+" is revoked")
			}),
	)
}

func tokenList(tokens []api.Token) output.List {
	list := output.List{Columns: []string{"id", "user", "prefix", "note", "expires", "revoked", "last used"}}
	for _, t := range tokens {
		list.Rows = append(list.Rows, []any{t.ID, t.User, t.Prefix + "…", t.Note, moment(t.ExpiresAt), moment(t.RevokedAt),
			moment(t.LastUsedAt)})
	}
	return list
}

// moment formats a time that can be nil.
func moment(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
