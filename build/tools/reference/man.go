package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/reference"
	"github.com/agnes-data/da/internal/build"
)

// manPages returns a page of section 1 for each command, named da-fetch.1 and so
// on. They have no date, so that builds are reproducible.
func manPages(root *cobra.Command) (map[string]string, error) {
	pages := map[string]string{}
	reference.Walk(root, func(c *cobra.Command) {
		pages[strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = manPage(c)
	})
	return pages, nil
}

func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"da %s\" \"User Commands\"\n", strings.ToUpper(name), build.Current().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.UseLine()))
	if long := reference.LongText(c); long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", manText(strings.TrimSpace(long)))
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(reference.Dedent(c.Example)))
	}
	if !c.HasParent() {
		b.WriteString(".SH ENVIRONMENT\n")
		for _, v := range reference.Variables {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v[0]), roff(v[1]))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, m := range exit.Meanings {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", m.Code, roff(m.Meaning))
	}
	manRelated(&b, c)
	return b.String()
}

// manText formats text: paragraphs are filled by the reader's terminal; indented
// lines, which are commands and tables, are kept unchanged.
func manText(text string) string {
	var b strings.Builder
	asIs := false
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimSuffix(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !asIs:
			b.WriteString(".nf\n")
		case !indented && asIs:
			b.WriteString(".fi\n")
		}
		asIs = indented
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flagSpelling(f)), roff(flagText(f)))
		}
	})
}

// manRelated lists the related pages: parent and children.
func manRelated(b *strings.Builder, c *cobra.Command) {
	var pages []string
	add := func(c *cobra.Command) {
		pages = append(pages, fmt.Sprintf("\\fB%s\\fR(1)", roff(strings.ReplaceAll(c.CommandPath(), " ", "-"))))
	}
	if c.HasParent() {
		add(c.Parent())
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			add(sub)
		}
	}
	if len(pages) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(pages, ", ") + "\n")
	}
}

// roff escapes text for a formatter.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\[u%04X]", r)
		}
	}
	return b.String()
}
