// Package reference generates documentation from the commands themselves: help,
// topics, man pages, completion scripts, and the reference pages in docs. It
// knows no command by name.
package reference

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	httpapi "github.com/agnes-data/da/server/http"
)

//go:generate go run ../../cmd/da reference docs --dir ../../docs
//go:generate go run ../../cmd/da reference skill --dir ../../skills
//go:generate go run ../../cmd/da reference llms --dir ../..

// Manual is what help and the reference pages need in addition to the commands.
type Manual struct {
	App *app.App
	// Printed says what the commands print with --json.
	Printed func() output.Printed
	// Doors are the server's protocols besides its routes.
	Doors func() []httpapi.Door
	// Aliases describes the user's own commands, which are not in the tree; may
	// be nil.
	Aliases func(root *cobra.Command) string
}

// ReferenceCmd writes the generated parts of packages and documentation. It is
// hidden, because only those who build da need it.
func (m *Manual) ReferenceCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:    "reference <docs|skill|llms|man|completions>",
		Short:  "Write the reference pages, man pages or completions to a folder",
		Hidden: true,
		Args:   usage.Exactly("docs|skill|llms|man|completions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := map[string]func(*cobra.Command) (map[string]string, error){
				"docs": m.docPages, "man": ManPages, "skill": skillFiles, "llms": m.llmsFile, "completions": completionScripts,
			}[args[0]]
			if pages == nil {
				return usage.Error("'" + args[0] + "' is not one of docs, skill, llms, man and completions")
			}
			files, err := pages(cmd.Root())
			if err != nil {
				return err
			}
			return writePages(m.App.Absolute(dir), files)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the `folder` to write to")
	return cmd
}

func writePages(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return atomicfile.Explain("make the folder", err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return atomicfile.Explain("make the folder", err)
		}
		if err := atomicfile.WriteFile(path, []byte(text), 0o644); err != nil {
			return atomicfile.Explain("write "+name, err)
		}
	}
	return nil
}

// docPages are the generated pages of docs/.
func (m *Manual) docPages(root *cobra.Command) (map[string]string, error) {
	return map[string]string{
		"cli.md": commandsPage(root), "exit-codes.md": exitCodesPage(), "http.md": httpPage(m.Doors()), "mcp-tools.md": toolsPage(),
		"configuration.md": configurationPage(), "caveats.md": caveatsPage(), "errors.md": errorsPage(),
	}, nil
}

// completionScripts returns the scripts under the file names that the shells
// expect.
func completionScripts(root *cobra.Command) (map[string]string, error) {
	files := map[string]string{}
	for _, s := range shells {
		script, err := completionScript(root, s.name)
		if err != nil {
			return nil, err
		}
		files[s.file] = script
	}
	return files, nil
}
