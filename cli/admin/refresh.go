package admin

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/spf13/cobra"
)

func newRefreshCmd(a *app.App) *cobra.Command {
	return command(a, "catalog-refresh", "Clear the server's cache of catalog, schemas and samples", "da admin catalog-refresh", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			return done(a, r.RefreshCaches(ctx), "the server's caches are empty")
		})
}
