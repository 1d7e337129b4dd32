package query

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/internal/words/printable"
)

// explained is what da why --json prints.
type explained struct {
	Figure string              `json:"figure" jsonschema:"as it was asked for"`
	Found  []figures.Explained `json:"found" jsonschema:"all figures of the file that it can mean"`
}

// NewWhyCmd returns 'da why'.
func NewWhyCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "why <file> <figure>",
		Short: "Say where a figure of a report comes from",
		Long: `Why finds a figure in a file that da has written, and says which statement gave
it, what that read, of when the rows were, and with which caveats. Write the
figure as you see it: 4,213, 4213 and, if nothing is nearer, 4.2k are the same.
It is found where it stands now, also after other programs have saved the file.

A figure that da did not write ends with exit code 2.`,
		Example: "  da why sent.docx \"4,213\"\n  da why sent.docx 4.2k --json",
		Args:    usage.Exactly("file", "figure"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), a, args[0], args[1]) },
	}
}

func runWhy(ctx context.Context, a *app.App, path, figure string) error {
	read, err := readFigures(ctx, a, path)
	if err != nil {
		return err
	}
	out := explained{Figure: figure, Found: read.Explain(figure)}
	if len(out.Found) == 0 {
		e := &api.Error{Code: api.CodeValidation, Kind: api.KindNotWritten,
			Message: fmt.Sprintf("da did not write '%s' into '%s'", printable.Line(api.Clip(figure, 60)), printable.Line(path)),
			Hint:    "It was typed, or calculated by a formula. da report check says which figures were typed over."}
		if near := read.Near(10); len(near) > 0 {
			e.Hint += " Written were: " + printable.Line(api.Clip(strings.Join(near, ", "), 200)) + "."
		}
		return e
	}
	if a.OutputFormat() != output.Table {
		return a.PrintJSON(out)
	}
	var b strings.Builder
	for i, e := range out.Found {
		if i > 0 {
			b.WriteString("\n")
		}
		explainText(&b, e)
	}
	_, err = fmt.Fprint(a.IO.Out, b.String())
	return err
}

// explainText says for people where a figure comes from.
func explainText(b *strings.Builder, e figures.Explained) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-10s %s\n", name, printable.Line(fmt.Sprintf(format, args...)))
	}
	at := e.At
	switch {
	case e.Status == figures.Missing:
		at = "not in the file any more"
	case e.Status == figures.Pictured:
		at = "in a plot"
	case at == "":
		at = "in the text"
	}
	fmt.Fprintf(b, "%s  (%s)\n", printable.Line(e.Written), printable.Line(at))
	if e.Status == figures.TypedOver {
		line("typed over", "the file has %s", e.Found)
	}
	if len(e.Columns) > 1 || e.Rows > 1 {
		line("is", "%s in row %d of %d", e.Name, e.Row, e.Rows)
	}
	line("statement", "%s", strings.Join(strings.Fields(e.Statement), " "))
	for _, name := range slices.Sorted(maps.Keys(e.Parameters)) {
		value, _ := json.Marshal(e.Parameters[name]) // came as JSON
		line("with", "$%s = %s", name, value)
	}
	for _, s := range e.Sources {
		text := s.Name + " as of " + s.AsOf.UTC().Format("2006-01-02 15:04 UTC")
		for _, part := range []struct{ name, value string }{{"of table ", s.Table}, {"from ", s.Server}, {"version ", s.Version},
			{"content ", s.ContentHash}} {
			if part.value != "" && part.value != s.Name {
				text += ", " + part.name + api.Clip(part.value, 60)
			}
		}
		line("reads", "%s", text)
	}
	for _, c := range e.Caveats {
		line("caveat", "%s: %s", c.Kind, c.Text)
	}
	if !e.WrittenAt.IsZero() {
		line("written", "%s", e.WrittenAt.UTC().Format(time.DateTime+" UTC"))
	}
}
