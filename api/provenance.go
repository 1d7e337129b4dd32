package api

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
)

// Provenance tells what rows are of, so that a later request can be compared
// with them. It travels in the metadata of a stream's schema.
type Provenance struct {
	// Version stands for the table's rows as they were read: while it stays the
	// same, so do the rows. Empty: the source cannot tell.
	Version string `json:"version,omitempty"`
	// Rights stand for what the caller was allowed to see: the table's columns
	// and the rule on its rows that applied. Like Version, it is opaque.
	Rights string `json:"rights"`
	// Dialect is the language of Where. Engine is that of the source's engine, if
	// Where is translated for it; else empty.
	Dialect string `json:"dialect"`
	Engine  string `json:"engine,omitempty"`
	// Where is the predicate in its stable form; empty: all rows.
	Where string `json:"where,omitempty"`
	// Columns are those selected, in order, and then those that only the
	// predicate names, with the types of the source.
	Columns []Column `json:"columns"`
	// Whole says that all columns were selected that the caller may see, in order.
	Whole bool `json:"whole,omitempty"`
}

// provenanceKey is the key of a schema's metadata for a Provenance as JSON.
const provenanceKey = "da.provenance"

// WithProvenance returns the schema with a provenance beside its other metadata.
func WithProvenance(s *arrow.Schema, p *Provenance) *arrow.Schema {
	text, err := json.Marshal(p)
	if err != nil {
		return s // of strings and booleans: it always can
	}
	meta := s.Metadata()
	all := arrow.NewMetadata(append(meta.Keys(), provenanceKey), append(meta.Values(), string(text)))
	return arrow.NewSchema(s.Fields(), &all)
}

// ProvenanceOf returns the provenance of a schema. It is nil if there is none, or
// none that can be read: an older server sends none.
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
