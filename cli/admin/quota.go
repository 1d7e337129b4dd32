package admin

import (
	"context"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/spf13/cobra"
)

func newQuotaCmd(a *app.App) *cobra.Command {
	var user string
	cmd := command(a, "quota", "Show what each user has used today", "da admin quota\nda admin quota --user ann@example.com --json", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
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
			return report(a, quotas, app.QuotaList(quotas), quotas)
		})
	cmd.Flags().StringVar(&user, "user", "", "only this `user`")
	return cmd
}
