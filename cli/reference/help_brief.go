package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
)

// mostBrief is how many bytes the help of a command has where a model reads it: it is
// paid for each time, and most of what it says is known.
const mostBrief = 1500

// brief is the help of a command for a model: as much of its words as fit beside one
// example and all flags.
func brief(cmd *cobra.Command) string {
	intro, _, _ := strings.Cut(LongText(cmd), "\n\n")
	text := ""
	for _, width := range []int{100, 70, 50, 42, 35, 28, 20, 0} {
		for _, about := range []string{intro, cmd.Short} {
			if text = briefly(cmd, about, width); len(text) <= mostBrief {
				return text
			}
		}
	}
	return text
}

// briefly writes it with so many characters for each flag and command; 0: only names.
func briefly(cmd *cobra.Command, about string, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", strings.TrimSpace(about), cmd.UseLine())
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
		b.WriteString("Example: " + example + "\n")
	}
	listed := &listing{b: &b, width: width}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			listed.add("Commands", c.Name(), c.Short)
		}
	}
	if cmd.HasParent() {
		alike := map[string][]string{} // flags by what their texts begin with: of a plot
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			kind, about := pflag.UnquoteUsage(f)
			begin, _, ok := strings.Cut(about, ": ")
			if f.Hidden || f.Name == "help" {
				return
			}
			name := strings.TrimSpace("--" + f.Name + " " + kind)
			if ok && strings.HasPrefix(begin, "of ") {
				alike[begin] = append(alike[begin], name)
				return
			}
			listed.add("Flags", name, about)
		})
		for _, begin := range slices.Sorted(maps.Keys(alike)) {
			b.WriteString("\n  " + begin + ": " + strings.Join(alike[begin], ", "))
		}
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "da")
	fmt.Fprintf(&b, "\nAll of it: da help%s --json\n", path)
	return b.String()
}

// listing writes names with what they are for under headings.
type listing struct {
	b       *strings.Builder
	width   int
	heading string
}

func (l *listing) add(heading, name, about string) {
	if l.heading != heading {
		l.heading = heading
		l.b.WriteString("\n" + heading + ":")
	}
	if l.width == 0 {
		l.b.WriteString(" " + name)
		return
	}
	l.b.WriteString("\n  " + name + "  " + api.Clip(about, l.width))
}
