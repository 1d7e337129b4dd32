package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/skills"
	"github.com/agnes-data/da/toolbox/fit"
)

// llmsFile is llms.txt, which tells models what the project is and where to find
// more. Its format is that of llmstxt.org: a title, a summary, lists of links.
func llmsFile(root *cobra.Command, manual *reference.Manual) (map[string]string, error) {
	var b strings.Builder
	b.WriteString("# Agnes: da\n\n")
	fmt.Fprintf(&b, "> %s. %s\n\n", root.Short, "One program, da: it shows what data there is and what a part of it would cost, fetches just that part as a local snapshot, and queries snapshots and local files with DuckDB's SQL, offline.")
	fmt.Fprintf(&b, "Results go to stdout, all else to stderr; nothing asks a question. `--json` prints JSON, and errors as JSON with a code, a hint and whether a retry can help. Where an agent runs da, answers are JSON of at most %d tokens, and say what they leave out. `da help --json` describes every command with flags, examples, exit codes and the schema of what it prints, or lists them where that does not fit; `da help COMMAND --json` describes one.\n", fit.DefaultTokens)
	b.WriteString("\n## Pages\n\n")
	pages, err := filepath.Glob("../../docs/*.md")
	if err == nil && len(pages) == 0 {
		err = errors.New("there are none: go generate runs this in its package's folder")
	}
	if err != nil {
		return nil, fmt.Errorf("list the pages in ../../docs: %w", err)
	}
	slices.Sort(pages)
	for _, page := range pages {
		title, err := titleOf(page)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "- [%s](%s)\n", title, path.Join("docs", filepath.Base(page)))
	}
	b.WriteString("\n## Skills\n\n")
	for _, name := range skills.Names {
		_, about, _ := strings.Cut(skills.Text(name), "\ndescription: ")
		about, _, _ = strings.Cut(about, "\n")
		fmt.Fprintf(&b, "- [%s](skills/%[1]s/SKILL.md): %s\n", name, about)
	}
	b.WriteString("\n## Commands\n\n")
	manual.Walk(root, func(c *cobra.Command) {
		fmt.Fprintf(&b, "- [`%s`](docs/cli.md#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	})
	return map[string]string{"llms.txt": b.String()}, nil
}

// titleOf returns the heading of a Markdown page.
func titleOf(page string) (string, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", fmt.Errorf("read the page: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title), nil
		}
	}
	return filepath.Base(page), nil
}
