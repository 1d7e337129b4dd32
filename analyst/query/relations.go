package query

import (
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/synced"
)

// The kinds of relations.
const (
	KindSnapshot = "snapshot"
	KindSynced   = "synced table"
	KindResult   = "result"
)

// Relation is something on this machine that a statement can name.
type Relation struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	// Columns are the column names; nil if only the data file has them.
	Columns []string `json:"columns"`
	// Of is the table that a snapshot came from, or the statement of a result.
	Of string `json:"of"`
}

// Relations lists what statements can name: snapshots, then synced tables that no
// snapshot hides, then results. Damaged ones are left out.
func Relations(a *analyst.Analyst) ([]Relation, error) {
	list, err := keep.List(a)
	if err != nil {
		return nil, err
	}
	all, hidden := []Relation{}, map[string]bool{}
	for _, m := range list.Whole {
		r := Relation{Name: m.Name, Kind: KindSnapshot, Rows: m.Rows, Bytes: m.BytesLocal, Of: m.TableID}
		for _, c := range m.Schema {
			r.Columns = append(r.Columns, c.Name)
		}
		all, hidden[m.Name] = append(all, r), true
	}
	for _, m := range synced.At(a.Home).List() {
		if !hidden[m.TableID] {
			all = append(all, Relation{Name: m.TableID, Kind: KindSynced, Rows: m.Rows, Bytes: m.Bytes, Of: m.TableID})
		}
	}
	for _, m := range a.Results().List() {
		all = append(all, Relation{Name: m.Name, Kind: KindResult, Rows: m.Rows, Bytes: m.Bytes, Columns: m.Columns,
			Of: strings.Join(strings.Fields(m.SQL), " ")})
	}
	return all, nil
}
