package api

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
)

// Provenance says where rows came from, so that a later request can be compared
// with them. It travels in the metadata of a stream's schema.
type Provenance struct {
	// Version identifies the state of the table when it was read: equal versions
	// mean equal rows. Empty if the source has no versions.
	Version string `json:"version,omitempty"`
	// Rights identifies what the caller was allowed to see: the table's columns
	// and the row rule that applied. Like Version, it is opaque.
	Rights string `json:"rights"`
	// Dialect is the language of Where. Engine is the dialect of the source's
	// engine if Where is translated for it; otherwise empty.
	Dialect string `json:"dialect"`
	Engine  string `json:"engine,omitempty"`
	// Where is the predicate in its normal form; empty: all rows.
	Where string `json:"where,omitempty"`
	// Columns are the selected columns in order, followed by those that only the
	// predicate names, with the types of the source.
	Columns []Column `json:"columns"`
	// Whole says that all columns visible to the caller were selected, in order.
	Whole bool `json:"whole,omitempty"`
}

// provenanceKey is the schema metadata key of a Provenance as JSON.
const provenanceKey = "da.provenance"

// WithProvenance returns the schema with a provenance added to its metadata.
func WithProvenance(s *arrow.Schema, p *Provenance) *arrow.Schema {
	text, err := json.Marshal(p)
	if err != nil {
		return s // cannot fail: only strings and booleans
	}
	meta := s.Metadata()
	all := arrow.NewMetadata(append(meta.Keys(), provenanceKey), append(meta.Values(), string(text)))
	return arrow.NewSchema(s.Fields(), &all)
}

// ProvenanceOf returns the provenance of a schema. It returns nil if the schema
// has no readable provenance: older servers send none.
func ProvenanceOf(s *arrow.Schema) *Provenance {
	text, ok := s.Metadata().GetValue(provenanceKey)
	if !ok {
		return nil
	}
	var p Provenance
	if json.Unmarshal([]byte(text), &p) != nil || p.Rights == "" || p.Dialect == "" {
		return nil
	}
	return &p
}
