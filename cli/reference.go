package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/internal/atomicfile"
)

//go:generate go run ../cmd/da reference docs --dir ../docs
//go:generate go run ../cmd/da reference skill --dir ../skills
//go:generate go run ../cmd/da reference llms --dir ..

// newReferenceCmd writes what packages and documentation are made of. It is of
// use to those who build da, and hidden from all others.
func newReferenceCmd(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:    "reference <docs|skill|llms|man|completions>",
		Short:  "Write the reference pages, man pages or completions to a folder",
		Hidden: true,
		Args:   exactArgs("docs|skill|llms|man|completions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := map[string]func(*cobra.Command) (map[string]string, error){
				"docs": docPages, "man": manPages, "skill": skillFiles, "llms": llmsFile, "completions": completionScripts,
			}[args[0]]
			if pages == nil {
				return usageError("'" + args[0] + "' is none of docs, skill, llms, man and completions")
			}
			files, err := pages(cmd.Root())
			if err != nil {
				return err
			}
			return writePages(a.absolute(dir), files)
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
func docPages(root *cobra.Command) (map[string]string, error) {
	return map[string]string{
		"cli.md": commandsPage(root), "exit-codes.md": exitCodesPage(), "http.md": httpPage(), "mcp-tools.md": toolsPage(),
	}, nil
}

// completionScripts are named as their shells look for them.
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

// walk visits the commands that users see, parents first.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			walk(c, visit)
		}
	}
}

// dedent takes the indentation of examples away.
func dedent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
