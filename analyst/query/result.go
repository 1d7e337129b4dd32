package query

import (
	"os"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// Result is a running local query.
type Result struct {
	// batches are the rows; see Rows.
	batches array.RecordReader
	// Known are the caveats of the snapshots and tables that the query reads.
	Known []api.Caveat
	// Inputs are the snapshots and tables that the query reads.
	Inputs []Input
	// Total is the number of rows, if it is known in advance; otherwise 0.
	Total int64

	sql     string
	checked *statement.Select   // the statement alone
	Select  *statement.Select   // with the steps that it reads
	readers []*statement.Select // the statement and the views that it reads
	columns []string            // of the snapshots that are read
	links   *snapshot.Links
	folders []string // of links to other data
	session *Session // nil if the session outlives the result
}

// Origin says where rows come from, as they were when a query read them.
type Origin struct {
	Name        string
	Table       string // it is of
	Server      string // that answered; "import:" and a path for a file
	Version     string // of the table, where its source tells
	ContentHash string
	AsOf        time.Time
}

// Input is what a query reads: a snapshot, a synced table, or the part of a table that
// was fetched for it.
type Input struct {
	Origin
	Snapshot           bool // Name is that of a snapshot
	Where, Rights      string
	Rows               int64
	FetchedAt          time.Time
	RowRule, Truncated bool
}

// read notes a snapshot or a part that the query reads, by the name that users know.
func (r *Result) read(name string, m snapshot.Meta, named bool) {
	in := Input{Origin: Origin{Name: name, Table: m.TableID, Server: m.Server, ContentHash: m.ContentHash, AsOf: m.EffectiveAsOf},
		Snapshot: named, Rows: m.Rows, FetchedAt: m.FetchedAt, RowRule: m.RowRule, Truncated: m.Truncated}
	if m.Where != nil {
		in.Where = *m.Where
	}
	if m.Provenance != nil {
		in.Version, in.Rights = m.Provenance.Version, m.Provenance.Rights
	}
	r.Inputs = append(r.Inputs, in)
}

// ResultOf is a result whose rows are in memory.
func ResultOf(rows array.RecordReader, known []api.Caveat) *Result {
	return &Result{batches: rows, Known: known}
}

// Close releases what the query reads, and the engine if it was started only for
// this query. It can be called more than once.
func (r *Result) Close() {
	if r.batches != nil {
		r.batches.Release()
		r.batches = nil
	}
	if r.links != nil {
		r.links.Close()
		r.links = nil
	}
	for _, dir := range r.folders {
		_ = os.RemoveAll(dir) // the session's folder goes with all in it
	}
	if r.session != nil {
		r.session.Close()
		r.session = nil
	}
}

// Rows returns the rows with their caveats.
func (r *Result) Rows() api.Rows {
	return api.WithCaveats(r.batches, func() []api.Caveat { return api.Arranged(r.Known) })
}

// tell adds caveats of the input of that name, as far as they concern what the
// statement and the views in it read of it.
func (r *Result) tell(name string, caveats ...api.Caveat) {
	for _, reader := range r.readers {
		switch {
		case !slices.Contains(reader.Tables, name):
		case reader.Whole:
			r.Known = append(r.Known, caveats...)
		default:
			r.Known = append(r.Known, api.CaveatsAbout(reader.Reads, caveats)...)
		}
	}
}

// Know makes columns known to explain.
func (r *Result) Know(columns ...string) { r.columns = append(r.columns, columns...) }

// Part is a table of a statement with the rows that the statement needs of it.
type Part struct {
	TableID string
	Columns []api.Column // of the table
	Types   []string     // of these columns, as they are here
	// Links pin the rows; nil: none are needed.
	Links *snapshot.Links
	path  string // of the rows, where no store has them
}

// File is the path of the rows.
func (p *Part) File() string { return p.Links.Path(p.Links.Metas[0].Name) }

// Close releases the rows.
func (p *Part) Close() {
	if p.Links != nil {
		p.Links.Close()
	}
}

// partition splits names by a test and keeps their order.
func partition(names []string, is func(string) bool) (yes, no []string) {
	for _, n := range names {
		if is(n) {
			yes = append(yes, n)
		} else {
			no = append(no, n)
		}
	}
	return yes, no
}
