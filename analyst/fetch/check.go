package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// read is what was read of the text of checks: to read YAML takes longer than most of them.
type read struct {
	Of     string       `json:"of"` // hash of the text
	Checks checks.Table `json:"checks"`
}

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
	was, of := read{}, fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
	if kept, err := os.ReadFile(a.Store.ReadChecksPath(name)); err == nil {
		d := json.NewDecoder(bytes.NewReader(kept))
		d.UseNumber()
		if d.Decode(&was) == nil && was.Of == of {
			return &was.Checks, nil
		}
	}
	f, err := checks.ReadFile(path, string(text))
	if err != nil {
		return nil, err
	}
	for _, t := range f.Tables { // the one that the file is of, whatever its name was
		if kept, err := json.Marshal(read{of, t}); err == nil {
			_ = atomicfile.WriteFile(a.Store.ReadChecksPath(name), kept, 0o600) // else it is read again
		}
		return &t, nil
	}
	return nil, nil //nolint:nilnil // ReadFile refuses a file without tables
}

// look has the new rows looked at while they are described: a sample of them, and what
// aggregates of names and values tell.
func (r *refreshing) look() {
	if r.checks == nil || r.checks.Where != "" {
		return
	}
	r.screen = checks.NewScreen(*r.checks)
	s := &keep.Sample{Rows: r.before.Rows, Columns: r.screen.Columns(), Take: r.screen.Take}
	var ends, breaks []string
	var ranges, lists []int
	many := s.Rows > manyRows
	for i, c := range r.checks.Checks {
		one, err := c.Compile(*r.checks, r.job.a.Now())
		switch {
		case err != nil:
		case one.Breaks != "":
			breaks, lists = append(breaks, one.Breaks), append(lists, i)
		case c.Range != nil && many:
			ends, ranges = append(ends, one.Footer), append(ranges, i)
		case one.Footer != "":
			s.Whole, r.whole = append(s.Whole, one.Footer), append(r.whole, i)
		}
	}
	if ends != nil {
		r.separate = append(r.separate, statement{"(" + strings.Join(ends, " AND ") + ") IS TRUE", "", ranges})
	}
	each := max(1, len(lists))
	if many {
		each = 1
	}
	for some := range slices.Chunk(lists, each) {
		r.separate = append(r.separate, statement{"count(*) = 0", " WHERE " + strings.Join(breaks[:len(some)], " OR "), some})
		breaks = breaks[len(some):]
	}
	r.job.sample = s
}

// manyRows is the number of rows from which a separate statement, answered by footers and
// dictionaries, is quicker than another look at each row.
const manyRows = 100_000

// statement is a SELECT of one item that tells whether checks hold.
type statement struct {
	item, where string
	of          []int // the places of the checks
}

// quick returns which of the checks hold by what the look has told, and by the footer and
// the dictionaries of the file. The others may hold or not.
func (r *refreshing) quick(ctx context.Context, after snapshot.Meta) []bool {
	holds := make([]bool, len(r.checks.Checks))
	if r.job.sample == nil || r.job.sample.Held == nil {
		return holds
	}
	for i, c := range r.checks.Checks {
		holds[i] = r.screen.Holds(c, after.Columns())
	}
	for i, held := range r.job.sample.Held {
		holds[r.whole[i]] = held
	}
	conn, err := r.job.engine.Get()
	for _, one := range r.separate {
		var held bool
		sql := "SELECT " + one.item + " FROM read_parquet(" + duckdb.PathLiteral(r.claim.Temp()) + ")" + one.where
		if err == nil && conn.QueryRow(ctx, sql, nil, &held) == nil {
			for _, i := range one.of {
				holds[i] = held
			}
		}
	}
	return holds
}

// check refuses rows that break the checks of the snapshot. Those of severity warn, and
// all if drift is accepted, are told.
func (r *refreshing) check(ctx context.Context, after snapshot.Meta) (caveats []api.Caveat, err error) {
	if r.checks == nil {
		return nil, nil
	}
	name := r.before.Name
	left, outcomes := *r.checks, []checks.Outcome{}
	left.Checks = nil
	for i, holds := range r.quick(ctx, after) {
		if holds {
			outcomes = append(outcomes, checks.Outcome{Status: checks.Passed})
		} else {
			left.Checks = append(left.Checks, r.checks.Checks[i])
		}
	}
	if left.Checks != nil {
		judged, err := query.CheckRows(ctx, r.job.a, name, r.claim.Temp(), left)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, judged...)
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
