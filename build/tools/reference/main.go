// Command reference writes what is made from the commands themselves: reference
// pages of docs, skills, llms.txt, man pages, and completion scripts. It is no part
// of da, and must not hold what a command prints.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli"
	"github.com/agnes-data/da/cli/reference"
)

func main() {
	dir := flag.String("dir", ".", "the folder to write to")
	flag.Parse()
	if err := write(flag.Arg(0), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// write writes the files of one kind below dir.
func write(kind, dir string) error {
	root, manual := cli.Commands(context.Background())
	pages := map[string]func(*cobra.Command) (map[string]string, error){
		"docs": docPages, "man": manPages, "skill": skillFiles, "completions": reference.CompletionScripts,
		"llms": func(root *cobra.Command) (map[string]string, error) { return llmsFile(root, manual) },
	}[kind]
	if pages == nil {
		return fmt.Errorf("%q is not one of docs, skill, llms, man and completions", kind)
	}
	files, err := pages(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// docPages are the generated pages of docs/.
func docPages(root *cobra.Command) (map[string]string, error) {
	return map[string]string{
		"cli.md": commandsPage(root), "exit-codes.md": exitCodesPage(), "http.md": httpPage(), "mcp-tools.md": toolsPage(),
		"configuration.md": configurationPage(), "caveats.md": caveatsPage(), "errors.md": errorsPage(),
	}, nil
}
