package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// checksOf reads what a refresh of a snapshot expects; nil if nothing.
func checksOf(a *analyst.Analyst, name string) (*checks.Table, error) {
	path := a.Store.ChecksPath(name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // none are kept
	}
	if err != nil {
		return nil, atomicfile.Explain("read the checks of the snapshot", err)
	}
	f, err := checks.ReadFile(path, string(text))
	if err != nil {
		return nil, err
	}
	for _, t := range f.Tables { // the one that the file is of, whatever its name was
		return &t, nil
	}
	return nil, nil //nolint:nilnil // ReadFile refuses a file without tables
}

// check refuses rows that break the checks of the snapshot. Those of severity warn, and
// all if drift is accepted, are told.
func (r *refreshing) check(ctx context.Context) (caveats []api.Caveat, err error) {
	if r.checks == nil {
		return nil, nil
	}
	name := r.before.Name
	sample := r.job.sample
	if _, err := os.Stat(sample); err != nil {
		sample = r.claim.Temp() // of so few rows, or so large ones, that none was taken
	}
	outcomes, err := query.CheckRows(ctx, r.job.a, name, r.claim.Temp(), sample, *r.checks)
	if err != nil {
		return nil, err
	}
	if e := checks.Fails(outcomes, "check"); e != nil && !r.AcceptDrift {
		e.Hint = "The snapshot is unchanged."
		e.Next = []api.Step{api.Set(api.OptionAcceptDrift, "have the new rows in spite of it"),
			api.Do(api.ActionLearn, "then expect what they are like", "name", name)}
		return nil, e
	}
	for _, o := range outcomes {
		if o.Status != checks.Passed {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatChanged, About: api.Subject{Snapshot: name},
				Text: fmt.Sprintf("check '%s' does not hold: %s", api.Clip(o.Name, 200), o.Message)})
		}
	}
	return caveats, nil
}
