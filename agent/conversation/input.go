package conversation

import (
	"strings"
	"time"
)

// Input is a snapshot, a part of a table that was fetched for a statement, or a file: as it
// was when a tool read it.
type Input struct {
	Snapshot    string `json:"snapshot,omitempty" jsonschema:"absent: the part of the table that was fetched for the statement"`
	File        string `json:"file,omitempty" jsonschema:"of the workspace; in place of snapshot"`
	TableID     string `json:"table_id,omitempty"`
	Where       string `json:"where,omitempty"`
	Server      string `json:"server,omitempty" jsonschema:"that answered; import: and a path for a file"`
	Rows        *int64 `json:"rows,omitempty" jsonschema:"of a snapshot or a part"`
	ContentHash string `json:"content_hash" jsonschema:"equal for equal rows in any order; of a file, the SHA-256 of its bytes"`
	// Version and Rights are opaque: equal ones are the same.
	Version   string    `json:"version,omitempty" jsonschema:"of the table, where its source tells, or of the file"`
	Rights    string    `json:"rights,omitempty" jsonschema:"fingerprint of the columns and rows that the user could read"`
	AsOf      time.Time `json:"as_of"`
	FetchedAt time.Time `json:"fetched_at,omitzero" jsonschema:"of a snapshot"`
	RowRule   bool      `json:"row_rule,omitempty" jsonschema:"a rule limited which rows the user could read"`
	Truncated bool      `json:"truncated,omitempty"`
}

// Same reports whether the other is of the same rows or bytes.
func (in Input) Same(other Input) bool {
	return in.Snapshot == other.Snapshot && in.File == other.File && in.TableID == other.TableID && in.ContentHash == other.ContentHash
}

// Name is what people know it by.
func (in Input) Name() string {
	switch {
	case in.File != "":
		return "the file " + in.File
	case in.Snapshot != "":
		return "the snapshot " + in.Snapshot
	case in.Where != "":
		return "the table " + in.TableID + " where " + in.Where
	}
	return "the table " + in.TableID
}

// Saved is a saved question whose statement a call has run, as it was then.
type Saved struct {
	Name       string     `json:"name"`
	Question   string     `json:"question"`
	ApprovedBy string     `json:"approved_by,omitempty" jsonschema:"absent: nobody has approved it as it is"`
	ApprovedAt *time.Time `json:"approved_at,omitempty"`
	Changed    []string   `json:"changed,omitempty" jsonschema:"what has changed since it was approved: schema, definition"`
}

// Standing says whether it is approved.
func (s Saved) Standing() string {
	switch {
	case s.ApprovedBy == "":
		return "not approved"
	case len(s.Changed) > 0:
		return "changed since " + s.ApprovedBy + " approved it: " + strings.Join(s.Changed, ", ")
	}
	return "approved by " + s.ApprovedBy
}
