package workfiles

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/download"
)

func newDownloadCmd(s *workspaceApp) *cobra.Command {
	var as string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "download <url>",
		Short: "Download a file of the web into the workspace",
		Long: `Download stores the file of an https:// address. Addresses that lead to this
machine or a private network are refused, also where a redirect does so. With
files.download_hosts in the config, only those hosts are asked.`,
		Example: "  da files download https://example.com/data/may.csv --as reports/may.csv",
		Args:    usage.Exactly("url"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := s.ClientConfig()
			if err != nil {
				return err
			}
			hosts := cfg.Files.Hosts()
			if len(hosts) == 0 { // the user has typed the address
				hosts = []string{"*"}
			}
			return s.withWorkspace(func(w *workspace.Workspace) error {
				f, err := download.Get(cmd.Context(), w, args[0], as, download.Options{Hosts: hosts, Timeout: timeout})
				if err != nil {
					return err
				}
				return s.showFile("downloaded", f)
			})
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "`name` in the workspace (default: the server's)")
	cmd.Flags().DurationVar(&timeout, "timeout", download.DefaultTimeout, "end after this `time`")
	return cmd
}
