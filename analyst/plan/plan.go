// Package plan finds what a statement needs of tables that are not here, fetches that,
// and runs the statement. It reads no more at the source than its caller allows.
package plan

import (
	"fmt"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/needs"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// Plan says where the rows of a statement come from. It is deterministic for the
// same statement, tables and snapshots.
type Plan struct {
	Tables []Table `json:"tables"`
	// ScanBytes and CostUSD are the totals of all fetches; nil if unknown for any
	// of them.
	ScanBytes *int64   `json:"estimated_scan_bytes"`
	CostUSD   *float64 `json:"bq_cost_estimate_usd"`
	// AtSource says that the whole statement runs at the source; nil if it runs
	// here.
	AtSource *AtSource `json:"at_source,omitempty"`

	sql     string // the statement with the views that it reads
	caveats []api.Caveat
}

// The places that rows of a plan can come from.
const (
	FromHere      = "here"      // a snapshot, a synced table or a kept result of that name
	FromReuse     = "reuse"     // a snapshot or part that has the rows
	FromRemainder = "remainder" // a snapshot or part has some of the rows, the source the rest
	FromSource    = "source"    // the source, which runs the whole statement
	FromFetch     = "fetch"     // the source
	FromNothing   = "nothing"   // no row is needed
)

// Table is one table that a statement names.
type Table struct {
	TableID string   `json:"table_id"`
	From    string   `json:"from"`
	Select  []string `json:"select,omitempty"`
	Where   string   `json:"where,omitempty"` // in the table's dialect
	// Keys are conditions on columns that another table is joined by. That table
	// is fetched first, and its keys become the values.
	Keys     []KeyList         `json:"keys,omitempty"`
	Local    []string          `json:"local,omitempty"` // conditions that can only be checked on this machine, with the reason
	Reuse    *snapshot.Lineage `json:"reuse,omitempty"` // of FromReuse and FromRemainder
	Estimate *api.Estimate     `json:"estimate"`        // of what is read at the source; nil if nothing is

	table  needs.Table
	types  []string // of its columns, set once they are here
	rights string
	source string // see api.Estimate
	found  *fetch.Reusable
}

func (t Table) request() api.ScanRequest {
	return api.ScanRequest{TableID: t.TableID, Select: t.Select, Where: t.Where}
}

// addUp adds up what the fetches cost.
func (p *Plan) addUp() {
	bytes, cost := int64(0), 0.0
	p.ScanBytes, p.CostUSD = &bytes, &cost
	for _, t := range p.Tables {
		if t.Estimate == nil {
			continue
		}
		if t.Estimate.ScanBytes == nil {
			p.ScanBytes = nil
		} else {
			bytes += *t.Estimate.ScanBytes
		}
		if t.Estimate.CostUSD == nil {
			p.CostUSD = nil
		} else {
			cost += *t.Estimate.CostUSD
		}
	}
}

// Options limit what a query may fetch.
type Options struct {
	Portable bool // see Query
	Fresh    bool // read at the source also what is here in parts and snapshots
	// MaxBytes limits what all fetches together read at the source; 0 means no
	// limit.
	MaxBytes int64
	// Kept refuses statements that would read anything at the source.
	Kept bool
	// Views are the views that the statement can read; nil if there are no views.
	Views      *query.Views
	Expected   query.Expected
	OnPlan     func(*Plan)
	OnProgress func(rows, bytes int64)
}

// AtSource says why a statement runs at the source of its tables.
type AtSource struct {
	RowsHigh int64 `json:"rows_high"` // an upper bound on its result
	// SavedBytes is what the fetches would have transferred.
	SavedBytes int64 `json:"saved_bytes"`
}

// KeyList is a condition on a column: its value must occur in a column of another
// table.
type KeyList struct {
	Column   string `json:"column"`
	Of       string `json:"of"`
	OfColumn string `json:"of_column"`
}

// String words the condition.
func (k KeyList) String() string { return fmt.Sprintf("%s among %s of %s", k.Column, k.OfColumn, k.Of) }
