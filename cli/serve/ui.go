package serve

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/server/local"
	"github.com/agnes-data/da/server/resultset"
)

type uiOptions struct {
	listen string
	noOpen bool
}

// NewUICmd returns 'da ui'.
func NewUICmd(a *app.App) *cobra.Command {
	var o uiOptions
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Open the page of your data in a browser",
		Long: `Ui serves the page of an instance to a browser of this machine, and opens it
there: tables, samples, prices of parts, SQL. Nothing has to be configured. The
link works once, within a minute; the page ends with Ctrl-C or the terminal.

With a server configured, it opens that server's page, where you sign in with
your token.`,
		Example: "  da ui\n  da ui --no-open --instance instance.yaml",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.NoFormat("a page for a browser"); err != nil {
				return err
			}
			return runUI(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.noOpen, "no-open", false, "only print the link")
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` of this machine to listen on")
	return cmd
}

func runUI(ctx context.Context, a *app.App, o uiOptions) error {
	if a.ServesCalls {
		return serveFileCalls(ctx, a)
	}
	url, err := a.ServerToUse()
	if err != nil {
		return err
	}
	if url != "" {
		fmt.Fprintf(a.IO.Out, "The page of your server: %s/\nSign in there with your token.\n", url)
		if !o.noOpen {
			a.OpenBrowser(ctx, url+"/")
		}
		return nil
	}
	core, who, err := a.OpenEmbedded()
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	files := ownFiles(ctx, a)
	endTables, err := fileTables(a, files, a.ScratchFolder())
	if err != nil {
		return err
	}
	defer endTables()
	model, closeModel, err := ownModel(ctx, a, files, log)
	if err != nil {
		return err
	}
	defer closeModel()
	results := resultset.New(a.ScratchFolder(), resultset.Usual)
	defer results.Close()
	learning, stop := context.WithCancel(ctx)
	var learnt sync.WaitGroup
	learnt.Go(func() { core.LearnFiles(learning) })
	defer learnt.Wait()
	defer stop()
	server := local.New(core, who)
	return httpapi.Serve(ctx, httpapi.Listen{
		Addr: o.listen, Doors: Doors(log, model, files),
		OnListen: func(url, _ string) error {
			link := url + "/#code=" + server.Code()
			fmt.Fprintf(a.IO.Out, "The page is open until you press Ctrl-C. The link works once, within a minute:\n%s\n", link)
			if !o.noOpen {
				a.OpenBrowser(ctx, redirecting(a, link))
			}
			return nil
		},
		Desk: desk{a}, WriteRows: deskRows(a), Profile: profileOf, Watch: nearValues, Report: reporter(a, a.ScratchFolder()), Results: results,
	}, server, log)
}

// redirecting writes a file that redirects to link and that only the user can
// read, and returns its address. This hides the link: all users of a machine can
// see the arguments of a process, such as the one that opens the browser.
func redirecting(a *app.App, link string) string {
	file := filepath.Join(a.ScratchFolder(), "open.html")
	text := fmt.Sprintf("<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0;url=%s\"><title>da</title>\n",
		html.EscapeString(link))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return ""
	}
	return "file://" + filepath.ToSlash(file)
}
