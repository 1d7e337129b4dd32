// Package profiles says what columns hold: of what is on this machine, or at the source by
// statements that the user could run there. What the source has told is kept with the
// version and the rights under which it did.
package profiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// DefaultAge is up to which age a kept profile is taken where the source cannot tell
// whether the rows have changed.
const DefaultAge = 24 * time.Hour

// Request asks for the profile of a snapshot, a synced table, or else a table of the
// catalog.
type Request struct {
	Name    string
	Columns []string // as they are written; nil: all
	MaxAge  time.Duration
}

// Profiled is a profile with what its reader must know.
type Profiled struct {
	*profile.Profile
	AsOf    time.Time    `json:"as_of" jsonschema:"when the rows were last known to be those of their source"`
	Hint    string       `json:"hint,omitempty" jsonschema:"how to grant the table without what it likely holds of people"`
	Caveats []api.Caveat `json:"caveats"`
	Table   string       `json:"-"` // of the catalog; empty: the rows are another file's
}

// Column describes a column.
type Column = profile.Column

// Periods are rows by the period of a time column.
type Periods = profile.Periods

// Of returns the profile of some columns; of all if none is named. What it shares with p
// must not be changed.
func (p *Profiled) Of(columns []string) *Profiled {
	if len(columns) == 0 {
		return p
	}
	out, some := *p, *p.Profile
	some.Columns = slices.DeleteFunc(slices.Clone(p.Columns), func(c Column) bool { return !slices.Contains(columns, c.Name) })
	out.Profile, out.Caveats = &some, api.CaveatsAbout(columns, p.Caveats)
	return &out
}

// Of looks at a snapshot, or else a synced table, or else at a table of the catalog: at its
// source, or in a fetch, which is kept, where statements cannot read what the caller may.
func Of(ctx context.Context, a *analyst.Analyst, r Request, o plan.Options) (*Profiled, error) {
	store := a.Store
	links, err := store.Link([]string{r.Name})
	told := func(a *analyst.Analyst, m snapshot.Meta) []api.Caveat {
		all := keep.Caveats(a, m)
		for i := range all { // there is no --fetch here
			all[i].Next = slices.DeleteFunc(all[i].Next, func(s api.Step) bool { return s.Args["option"] == api.OptionFetch })
		}
		return all
	}
	if api.CodeUnknownSnapshot.Is(err) {
		if path, m, here, err := synced.At(a.Home).Link(r.Name, ""); here {
			p, profileErr := keep.ProfileFile(ctx, a, r.Name, path)
			out := &Profiled{Profile: p, AsOf: m.SyncedAt, Caveats: api.Arranged(query.SyncedCaveats(a, m)), Table: r.Name}
			return out, errors.Join(err, profileErr)
		}
		if !o.Kept {
			remote, err := a.Connect()
			if err != nil {
				return nil, err
			}
			out, err := AtSource(ctx, remote.Data, r, keeperOf(a, remote), o.MaxBytes)
			if !Fetched(err) {
				return out, err
			}
		}
		told = func(_ *analyst.Analyst, m snapshot.Meta) []api.Caveat { return keep.RowCaveats(m) }
		store, links, err = fetched(ctx, a, r, o)
	}
	if err != nil {
		return nil, err
	}
	defer links.Close()
	p, err := keep.Profile(ctx, a, store, links)
	meta := links.Metas[0]
	out := &Profiled{Profile: p, AsOf: meta.EffectiveAsOf, Caveats: api.Arranged(told(a, meta))}
	if _, file := meta.Imported(); !file {
		out.Table = meta.TableID
	}
	return out, err
}

// Fetched reports whether an error says that a statement cannot read the columns, and a
// fetch can.
func Fetched(err error) bool {
	return values.RunsNone(err) || maskedColumn(err) != ""
}

// fetched pins the rows of a table, and returns the store that they are in.
func fetched(ctx context.Context, a *analyst.Analyst, r Request, o plan.Options) (*snapshot.Store, *snapshot.Links, error) {
	part, err := plan.Rows(ctx, a, plan.AllRows(r.Name, r.Columns), o)
	if err != nil {
		return nil, nil, err
	}
	store := a.PartsStore()
	if _, err := a.Store.Get(part.Links.Metas[0].Name); err == nil || store == nil {
		store = a.Store
	}
	return store, part.Links, nil
}

// AtSource returns the profile that statements at the source make, which may read so many
// bytes; 0 means no limit. One that is kept is taken while its rows are the same, or where
// the source cannot tell, up to an age, and only under the same rights.
func AtSource(ctx context.Context, data api.Data, r Request, k Keeper, most int64) (*Profiled, error) {
	place, err := place(ctx, data, r)
	if err != nil {
		return nil, err
	}
	est, now := place.Estimate, k.Now().UTC()
	old := k.get(r.Name, est)
	if old.answers(r, now) {
		out := &Profiled{Profile: old.Profile, AsOf: old.At, Caveats: old.Caveats, Table: r.Name}
		if est.Version != "" {
			out.AsOf = now
		}
		return out, nil
	}
	if err := place.Fits("the profile of "+r.Name, most); err != nil {
		return nil, err
	}
	p, caveats, err := atSource(ctx, data, place, r.Name, r.Columns)
	if err != nil {
		return nil, err
	}
	out := &Profiled{Profile: p, AsOf: now, Caveats: api.Arranged(caveats), Table: r.Name}
	add := kept{At: now, Version: est.Version, Rights: est.Rights, Whole: len(r.Columns) == 0, Profile: p, Caveats: out.Caveats}
	if old != nil && est.Version != "" { // the other columns are of the same rows
		both, more := *p, []string{}
		for _, c := range old.Profile.Columns {
			if !add.has(c.Name) {
				both.Columns, more = append(slices.Clip(both.Columns), c), append(more, c.Name)
			}
		}
		add.Profile, add.Caveats = &both, api.Arranged(slices.Concat(add.Caveats, api.CaveatsAbout(more, old.Caveats)))
	}
	k.put(r.Name, add)
	return out, nil
}

// Computable is AtSource for callers who can fetch nothing. Where no column is named, it leaves
// out those that the caller sees only masked, and names them in a caveat.
func Computable(ctx context.Context, data api.Data, r Request, k Keeper, most int64) (*Profiled, error) {
	out, err := AtSource(ctx, data, r, k, most)
	if len(r.Columns) > 0 || maskedColumn(err) == "" {
		return out, err
	}
	schema, schemaErr := data.Schema(ctx, r.Name)
	if schemaErr != nil {
		return nil, schemaErr
	}
	var masked []string
	for _, c := range schema.Columns {
		if r.Columns = append(r.Columns, c.Name); c.Masked != "" {
			masked = append(masked, c.Name)
		}
	}
	// A column can be masked only where it is read together with others.
	for more := maskedColumn(err); more != ""; more = maskedColumn(err) {
		masked = append(masked, more)
		n := len(r.Columns)
		r.Columns = slices.DeleteFunc(r.Columns, func(c string) bool { return slices.Contains(masked, c) })
		if len(r.Columns) == 0 || len(r.Columns) == n {
			return nil, err
		}
		out, err = AtSource(ctx, data, r, k, most)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(masked)
	masked = slices.Compact(masked)
	out.Caveats = api.Arranged(append(out.Caveats, api.Caveat{Kind: api.CaveatHidden, Reason: "mask",
		About: api.Subject{Table: r.Name, Columns: masked}, Text: humanize.Columns(masked) + " left out: masked for you"}))
	return out, nil
}

// maskedColumn is the column for which an error says that it is masked; empty if it is another.
func maskedColumn(err error) string {
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindMaskedColumn {
		return ""
	}
	name, _ := e.Details["column"].(string)
	return name
}

// Price returns what Of would read at the source by statements; here says that it is kept.
func Price(ctx context.Context, a *analyst.Analyst, r Request) (est *api.Estimate, here bool, err error) {
	remote, err := a.Connect()
	if err != nil {
		return nil, false, err
	}
	p, err := place(ctx, remote.Data, r)
	if err != nil {
		return nil, false, err
	}
	k := keeperOf(a, remote)
	return p.Estimate, k.get(r.Name, p.Estimate).answers(r, a.Now()), nil
}

func keeperOf(a *analyst.Analyst, remote analyst.Remote) Keeper {
	return Keeper{filepath.Join(a.Home, "profiles"), remote.Name, a.Now}
}

// place returns where the statements run, and what they read together at most.
func place(ctx context.Context, data api.Data, r Request) (*values.Place, error) {
	p, err := values.PlaceOf(ctx, data, api.ScanRequest{TableID: r.Name, Select: r.Columns},
		slices.Collect(maps.Keys(languages))...)
	if err != nil {
		return nil, err
	}
	for _, n := range []*int64{p.Estimate.ScanBytes, p.Estimate.BilledBytes} {
		if n != nil {
			*n *= readsOf
		}
	}
	if p.Estimate.CostUSD != nil {
		*p.Estimate.CostUSD *= readsOf
	}
	return p, nil
}

// kept is a profile on the disk.
type kept struct {
	At      time.Time        `json:"at"`
	Version string           `json:"version"`
	Rights  string           `json:"rights"`
	Whole   bool             `json:"whole"` // of all columns
	Profile *profile.Profile `json:"profile"`
	Caveats []api.Caveat     `json:"caveats"`
}

func (k *kept) has(column string) bool {
	return slices.ContainsFunc(k.Profile.Columns, func(c profile.Column) bool { return c.Name == column })
}

// answers reports whether a kept profile has the columns that are asked for, and is new enough.
func (k *kept) answers(r Request, now time.Time) bool {
	if k == nil || !k.Whole && (len(r.Columns) == 0 || slices.ContainsFunc(r.Columns, func(c string) bool { return !k.has(c) })) {
		return false
	}
	age := now.Sub(k.At)
	return k.Version != "" || age >= 0 && age < r.MaxAge
}

// Keeper keeps profiles of the tables of one service in a folder; none if it has no folder.
type Keeper struct {
	Dir, Service string
	Now          func() time.Time
}

func (k Keeper) path(table string) string {
	sum := sha256.Sum256([]byte(k.Service + "\x00" + table))
	return filepath.Join(k.Dir, hex.EncodeToString(sum[:16])+".json")
}

// get returns what is kept of a table, under the rights and of the version of an estimate.
func (k Keeper) get(table string, est *api.Estimate) *kept {
	var out kept
	if text, err := os.ReadFile(k.path(table)); k.Dir == "" || err != nil || json.Unmarshal(text, &out) != nil || out.Profile == nil {
		return nil
	}
	if est.Rights == "" || out.Rights != est.Rights || out.Version != est.Version {
		return nil
	}
	return &out
}

// forgottenAfter is when a profile that nobody has made anew is removed.
const forgottenAfter = 30 * 24 * time.Hour

// put keeps a profile if it can: one that is not kept is made again.
func (k Keeper) put(table string, p kept) {
	text, err := json.Marshal(p)
	if k.Dir == "" || err != nil || os.MkdirAll(k.Dir, 0o700) != nil {
		return
	}
	_ = atomicfile.WriteFile(k.path(table), text, 0o600)
	all, _ := os.ReadDir(k.Dir)
	for _, e := range all {
		if info, err := e.Info(); err == nil && p.At.Sub(info.ModTime()) > forgottenAfter {
			_ = os.Remove(filepath.Join(k.Dir, e.Name()))
		}
	}
}
