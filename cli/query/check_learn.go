package query

import (
	"context"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/words/humanize"
)

// learned is what da check learn --json prints.
type learned struct {
	Snapshot string       `json:"snapshot" jsonschema:"or the synced table"`
	File     string       `json:"file" jsonschema:"where the checks stand; empty: they were forgotten"`
	Checks   checks.Table `json:"checks"`
}

func newCheckLearnCmd(a *app.App) *cobra.Command {
	var from string
	var forget bool
	cmd := &cobra.Command{
		Use:   "learn <snapshot>",
		Short: "Expect of a snapshot's refreshes what its rows are like now",
		Long: `Learn writes checks that fit the rows of a snapshot or synced table, with room
for what differs where nothing is wrong, and prints them. They are kept beside
it, and each refresh or sync checks the new rows before they replace the old
ones: if a check of severity error does not hold, the old ones stay, and the
exit code is 10. Those of severity warn are told as warnings.

The file is one of 'da check': read it, edit it where it stands, or keep a copy
with your code and give it back by --from.`,
		Example:           "  da check learn late\n  da check learn late > late.yaml\n  da check learn late --from late.yaml\n  da check learn late --forget",
		Args:              usage.Exactly("snapshot"),
		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLearn(cmd.Context(), a, args[0], from, forget)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "keep the checks of this `file` instead")
	cmd.Flags().BoolVar(&forget, "forget", false, "check refreshes no longer")
	usage.Exclusive(cmd, "from", "forget")
	return cmd
}

// learning is what is learned from: a snapshot, which hides a synced table of its name.
type learning struct {
	path    string // of the checks
	profile func(ctx context.Context) (*profile.Profile, error)
	close   func()
}

func learnFrom(work *analyst.Analyst, name string) (*learning, error) {
	links, err := work.Store.Link([]string{name})
	if err == nil {
		return &learning{path: work.Store.ChecksPath(name), close: links.Close, profile: func(ctx context.Context) (*profile.Profile, error) {
			return keep.Profile(ctx, work, work.Store, links)
		}}, nil
	}
	tables := synced.At(work.Home)
	if file, _, here, _ := tables.Link(name, ""); here && api.CodeUnknownSnapshot.Is(err) {
		return &learning{path: tables.ChecksPath(name), close: func() {}, profile: func(ctx context.Context) (*profile.Profile, error) {
			return keep.ProfileFile(ctx, work, name, file)
		}}, nil
	}
	return nil, err
}

func runLearn(ctx context.Context, a *app.App, name, from string, forget bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	of, err := learnFrom(work, name)
	if err != nil {
		return err
	}
	defer of.close()
	result := learned{Snapshot: name, File: of.path}
	var text []byte
	switch {
	case forget:
		result.File = ""
	case from != "":
		read, err := readText(a.Absolute(from))
		if err != nil {
			return err
		}
		f, err := checks.ReadFile(from, read)
		if err != nil {
			return err
		}
		if len(f.Tables) != 1 {
			return usage.Error(fmt.Sprintf("%s has checks of %s, and is to have those of '%s' alone", from,
				humanize.Plural(int64(len(f.Tables)), "table", "tables"), name))
		}
		text = []byte(read)
		for _, only := range f.Tables {
			result.Checks = only
		}
	default:
		p, err := of.profile(ctx)
		if err != nil {
			return err
		}
		result.Checks = checks.Learn(p)
		if text, err = yaml.Marshal(checks.File{Tables: map[string]checks.Table{name: result.Checks}}); err != nil {
			return err
		}
	}
	if err := checks.Keep(of.path, text); err != nil {
		return err
	}
	if format != output.Table {
		return a.PrintWhole(result)
	}
	if _, err := a.IO.Out.Write(text); err != nil {
		return err
	}
	a.Note(map[bool]string{true: "refreshes of " + name + " are no longer checked",
		false: fmt.Sprintf("refreshes of %s are checked; the checks are in %s", name, result.File)}[forget])
	return nil
}
