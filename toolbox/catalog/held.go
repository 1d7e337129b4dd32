package catalog

import (
	"time"

	"github.com/agnes-data/da/snapshot"
)

// heldSnapshot describes a snapshot to a model.
type heldSnapshot struct {
	Name       string   `json:"name" jsonschema:"the table's name in query"`
	TableID    string   `json:"table_id,omitempty"`
	Where      string   `json:"where,omitempty"`
	File       string   `json:"file,omitempty" jsonschema:"the file that it was imported from"`
	Columns    []string `json:"columns" jsonschema:"name and type of each"`
	MoreCols   int      `json:"columns_not_listed,omitempty"`
	Rows       int64    `json:"rows"`
	BytesLocal int64    `json:"bytes_local"`
	FetchedAt  string   `json:"fetched_at"`
	Truncated  bool     `json:"truncated" jsonschema:"a cap of the server left rows out"`
}

// heldColumns limits how many columns of a snapshot are listed.
const heldColumns = 100

// newHeldSnapshot describes a snapshot.
func newHeldSnapshot(m snapshot.Meta) heldSnapshot {
	h := heldSnapshot{Name: m.Name, TableID: m.TableID, Columns: []string{}, Rows: m.Rows, BytesLocal: m.BytesLocal,
		FetchedAt: m.FetchedAt.Format(time.RFC3339), Truncated: m.Truncated}
	if m.Where != nil {
		h.Where = *m.Where
	}
	if file, imported := m.Imported(); imported {
		h.TableID, h.File = "", file
	}
	for _, col := range m.Schema[:min(len(m.Schema), heldColumns)] {
		h.Columns = append(h.Columns, col.Name+" "+col.Type)
	}
	h.MoreCols = len(m.Schema) - len(h.Columns)
	return h
}
