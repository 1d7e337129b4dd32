package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/suggest"
	"github.com/agnes-data/da/plot"
)

// plotOptions say how a result is drawn.
type plotOptions struct {
	kind string
	x    string
	y    []string
	by   string
	// title is above the drawing; bins are those of a histogram.
	title string
	bins  int
}

func (o *plotOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.kind, "plot", "", "draw the result, as this `kind`: "+plot.KindNames(", "))
	f.StringVar(&o.x, "x", "", "of a plot: the `column` of labels or of the lower axis (default the first)")
	f.StringSliceVar(&o.y, "y", nil, "of a plot: the `columns` of values, up to 8 (default all others)")
	f.StringVar(&o.by, "by", "", "of a plot: draw a line or bars for each value of this `column`, up to 8")
	f.StringVar(&o.title, "title", "", "of a plot: the `text` above it (default the names of the columns)")
	f.IntVar(&o.bins, "bins", 0, "of a histogram: at most this `number` of bars (default 20)")
	offer(cmd, "plot", func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return usage.Starting(word, strings.Split(plot.KindNames(" "), " ")), cobra.ShellCompDirectiveNoFileComp
	})
}

func (o plotOptions) wanted() bool { return o.kind != "" }

// check refuses what cannot be meant, before anything is run.
func (o plotOptions) check(a *app.App, out string) error {
	image := imageOf(out) != ""
	if !o.wanted() {
		switch {
		case o.x != "" || len(o.y) > 0 || o.by != "" || o.title != "" || o.bins != 0:
			return &api.Error{Code: api.CodeUsage, Message: "--x, --y, --by, --title and --bins are for --plot", Hint: "Add --plot " + plot.KindNames("|") + "."}
		case image && a.Format == "" && !a.AsJSON:
			return &api.Error{Code: api.CodeUsage, Message: "an image shows a plot, and no --plot is given", Hint: "Add --plot " + plot.KindNames("|") + "."}
		}
		return nil
	}
	if !slices.Contains(plot.Kinds, plot.Kind(o.kind)) {
		e := usage.Error("unknown kind of plot '" + api.Clip(o.kind, 40) + "'")
		e.Hint = "It is one of " + plot.KindNames(", ") + "."
		if near := suggest.Near(o.kind, strings.Split(plot.KindNames(" "), " ")); len(near) > 0 {
			e.Hint = "Did you mean '" + near[0] + "'? " + e.Hint
		}
		return e
	}
	if a.Format != "" || a.AsJSON {
		return &api.Error{Code: api.CodeUsage, Message: "--plot draws, and --output and --json write rows", Hint: "Give one or the other."}
	}
	if out != "" && !image {
		return &api.Error{Code: api.CodeUsage, Message: "a plot is written as an image, and '" + out + "' is not named as one",
			Hint: "Name it FILE.png or FILE.svg; without --out the plot is drawn on the terminal."}
	}
	return nil
}

// imageOf is the format of an image by the end of its name; empty if it is
// none.
func imageOf(file string) string {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".png", ".svg":
		return ext
	}
	return ""
}

// plotRows draws a result, and says what the drawing cannot.
func plotRows(ctx context.Context, a *app.App, o queryOptions, rows *watchedRows) error {
	chart, err := plot.Read(ctx, rows, plot.Spec{Kind: plot.Kind(o.plot.kind), X: o.plot.x, Y: o.plot.y, By: o.plot.by, Title: o.plot.title, Bins: o.plot.bins, Most: o.limit})
	rows.progress.Stop()
	if err != nil {
		return err
	}
	if o.plot.x == "" || len(o.plot.y) == 0 {
		a.Note(chart.Used)
	}
	a.WarnNotes(chart.Notes...)
	if o.limit > 0 && chart.Taken == o.limit && chart.Taken < chart.Rows {
		a.Note(fmt.Sprintf("first %s of %s rows drawn, as --limit says", humanize.Grouped(chart.Taken), humanize.Grouped(chart.Rows)))
	}
	if o.out == "" {
		return a.Page(func(w io.Writer) error { return drawText(a, w, chart) })
	}
	var notes []api.Note
	err = output.CreateFile(a.Absolute(o.out), o.force, func(w io.Writer) (err error) {
		if imageOf(o.out) == ".svg" {
			return chart.SVG(w)
		}
		notes, err = chart.PNG(w)
		return err
	})
	if err != nil {
		return err
	}
	a.WarnNotes(notes...)
	file, err := fileOf(a, o.out, chart.Taken, chart.Taken < chart.Rows)
	if err != nil {
		return err
	}
	return reportFile(a, file)
}

// drawText draws on standard output. What is drawn to scale takes less than a
// screen, so that no pager is needed to see it whole.
func drawText(a *app.App, w io.Writer, chart *plot.Chart) error {
	opts := plot.TextOptions{Width: a.IO.OutWidth, Terminal: a.IO.OutTerminal, Color: a.IO.OutColor, ASCII: a.IO.ASCII}
	if a.IO.OutHeight > 0 {
		opts.Height = min(max(a.IO.OutHeight-8, 6), 30)
	}
	cut, err := chart.Text(w, opts)
	if err == nil && cut > 0 {
		a.Note(humanize.Plural(int64(cut), "label was", "labels were") + " cut to fit; without --plot the query shows all")
	}
	return err
}
