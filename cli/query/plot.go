package query

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/plot"
)

// PlotOptions say how a result is plotted.
type PlotOptions struct {
	kind string
	x    string
	y    []string
	by   string
	// title is above the plot; bins is the number of bins of a histogram.
	title string
	bins  int
	// width and height are in columns and lines, or in pixels for an image; 0:
	// automatic.
	width, height int
}

func (o *PlotOptions) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.kind, "plot", "", "draw the result, as this `kind`: "+plot.KindNames(", "))
	f.StringVar(&o.x, "x", "", "of a plot: the `column` of labels or of the lower axis (default the first)")
	f.StringSliceVar(&o.y, "y", nil, "of a plot: the `columns` of values, up to 8 (default all others)")
	f.StringVar(&o.by, "by", "", "of a plot: draw a line or bars for each value of this `column`, up to 8")
	f.StringVar(&o.title, "title", "", "of a plot: the `text` above it (default the names of the columns)")
	f.IntVar(&o.bins, "bins", 0, "of a histogram: at most this `number` of bars (default 20)")
	f.IntVar(&o.width, "width", 0, "of a plot: its `columns`, or the pixels of an image (default those of the terminal, 800)")
	f.IntVar(&o.height, "height", 0, "of a plot: its `lines`, or the pixels of an image; bars drawn as text take a line each (default as fits, 480)")
	complete.Offer(cmd, "plot", func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return usage.Starting(word, strings.Split(plot.KindNames(" "), " ")), cobra.ShellCompDirectiveNoFileComp
	})
}

func (o PlotOptions) Wanted() bool { return o.kind != "" }

// Check rejects invalid combinations before anything is run.
func (o PlotOptions) Check(a *app.App, out string) error {
	image := imageOf(out) != ""
	if !o.Wanted() {
		switch {
		case o.x != "" || len(o.y) > 0 || o.by != "" || o.title != "" || o.bins != 0 || o.width != 0 || o.height != 0:
			return &api.Error{Code: api.CodeUsage, Message: "--x, --y, --by, --title, --bins, --width and --height are for --plot",
				Hint: "Add --plot " + plot.KindNames("|") + "."}
		case image && a.Format == "" && !a.AsJSON:
			return &api.Error{Code: api.CodeUsage, Message: "an image shows a plot, and no --plot is given",
				Hint: "Add --plot " + plot.KindNames("|") + "."}
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
	if err := o.checkSize(image); err != nil {
		return err
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

// checkSize rejects sizes that are too small or too large to be useful.
func (o PlotOptions) checkSize(image bool) error {
	widths, heights, unit := [2]int{20, 500}, [2]int{5, 200}, "columns and lines"
	if image {
		widths, heights, unit = [2]int{200, 5000}, [2]int{100, 5000}, "pixels"
	}
	within := func(n int, bounds [2]int) bool { return n == 0 || bounds[0] <= n && n <= bounds[1] }
	if within(o.width, widths) && within(o.height, heights) {
		return nil
	}
	return usage.Error(fmt.Sprintf("--width is %d to %d and --height %d to %d, in %s", widths[0], widths[1], heights[0], heights[1], unit))
}

// mostBars is the maximum number of bars of a histogram: no more than there are
// lines. 0 lets the plot decide.
func (o PlotOptions) mostBars(a *app.App, out string) int {
	switch {
	case o.bins != 0 || o.kind != string(plot.Hist) || out != "":
		return o.bins
	case o.height > 0:
		return o.height
	case a.IO.OutHeight > 0:
		return min(max(a.IO.OutHeight-6, 5), 20)
	}
	return 0
}

// imageOf returns the image format from a file's extension; "" if it is not an
// image.
func imageOf(file string) string {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".png", ".svg":
		return ext
	}
	return ""
}

// plotRows plots a result, and prints what the plot itself cannot show.
func plotRows(ctx context.Context, a *app.App, o Options, rows *watchedRows) error {
	chart, err := plot.Read(ctx, rows, plot.Spec{Kind: plot.Kind(o.Plot.kind), X: o.Plot.x, Y: o.Plot.y, By: o.Plot.by, Title: o.Plot.title,
		Bins: o.Plot.mostBars(a, o.Out), Most: o.Limit})
	rows.progress.Stop()
	if err != nil {
		return err
	}
	if o.Plot.x == "" || len(o.Plot.y) == 0 {
		a.Note(chart.Used)
	}
	a.Tell(api.Without(chart.Caveats, rows.known)...)
	if err := o.record(a, chart.Caveats); err != nil {
		return err
	}
	if o.Limit > 0 && chart.Taken == o.Limit && chart.Taken < chart.Rows {
		a.Note(fmt.Sprintf("first %s of %s rows drawn, as --limit says", humanize.Grouped(chart.Taken), humanize.Grouped(chart.Rows)))
	}
	if o.Out == "" {
		return a.Page(func(w io.Writer) error { return DrawText(a, w, chart, o.Plot) })
	}
	chart.Width, chart.Height = o.Plot.width, o.Plot.height
	var caveats []api.Caveat
	err = output.CreateFile(a.Absolute(o.Out), o.Force, func(w io.Writer) (err error) {
		if imageOf(o.Out) == ".svg" {
			return chart.SVG(w)
		}
		caveats, err = chart.PNG(w)
		return err
	})
	if err != nil {
		return err
	}
	a.Tell(caveats...)
	file, err := FileOf(a, o.Out, chart.Taken, chart.Taken < chart.Rows, append(chart.Caveats, caveats...))
	if err != nil {
		return err
	}
	return ReportFile(a, file)
}

// widestBars is the maximum width of bars on a wide screen.
const widestBars = 100

// DrawText plots on standard output. The plot takes less than a screen, so that
// it can be seen without a pager.
func DrawText(a *app.App, w io.Writer, chart *plot.Chart, size PlotOptions) error {
	opts := plot.TextOptions{Width: a.IO.OutWidth, Most: widestBars, Terminal: a.IO.OutTerminal, Color: a.IO.OutColor, ASCII: a.IO.ASCII}
	if a.IO.OutHeight > 0 {
		opts.Height = min(max(a.IO.OutHeight-8, 6), 30)
	}
	opts.Height = cmp.Or(size.height, opts.Height)
	if size.width > 0 {
		opts.Width, opts.Most = size.width, 0
	}
	cut, err := chart.Text(w, opts)
	if err == nil && cut > 0 {
		a.Note(humanize.Plural(int64(cut), "label was", "labels were") + " cut to fit; without --plot the query shows all")
	}
	return err
}
