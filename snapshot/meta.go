package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// formatVersion is the version of the sidecars that this package writes. It also
// reads older ones: version 1 has no provenance. New fields do not need a new
// version.
const formatVersion = 2

// maxSidecar limits the size of a sidecar in bytes. A WHERE has at most 64 KiB,
// and tables with a hundred thousand columns are not supported.
const maxSidecar = 16 << 20

// Meta describes a snapshot: the request, the result, and the data file. The
// sidecar is its JSON plus the provenance.
type Meta struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	TableID string `json:"table_id"`
	// The request. nil means "not given" and is written as null.
	Select  []string `json:"select"`
	Where   *string  `json:"where"` // in the table's dialect
	Limit   *int64   `json:"limit"`
	OrderBy []string `json:"order_by"`

	FetchedAt time.Time `json:"fetched_at"` // UTC
	// EffectiveAsOf is when CURRENT_DATE and the like were evaluated. UTC.
	EffectiveAsOf time.Time `json:"effective_as_of"`
	Rows          int64     `json:"rows"`
	BytesLocal    int64     `json:"bytes_local"` // size of the data file
	// BytesCounted is what the scan counted against quotas: the rows as Arrow
	// buffers. 0: unknown.
	BytesCounted int64 `json:"bytes_counted,omitempty"`
	// EstimatedScanBytes is what the scan was estimated to read; nil: unknown.
	EstimatedScanBytes *int64 `json:"estimated_scan_bytes_at_fetch"`
	// ContentHash is equal for equal rows in any order.
	ContentHash string `json:"content_hash"`
	// Truncated says that a cap of the server cut the rows.
	Truncated bool `json:"truncated"`
	// CutBy is the key in the instance file that sets that cap. Empty if nothing
	// was cut, or if an older da did not record it.
	CutBy  string   `json:"cut_by,omitempty"`
	Schema []Column `json:"schema"`
	// AllowCut says that the user accepted a truncated result.
	AllowCut bool `json:"allow_cut,omitempty"`
	// RowRule says that a row rule limited what the user could read.
	RowRule bool `json:"row_rule,omitempty"`

	Engine    string `json:"engine"` // that wrote the data file, with its version
	Server    string `json:"server"` // that answered; "import:" and a path for a file
	RequestID string `json:"request_id"`
	// Caveats came with the rows; never null. That they are cut is in Truncated.
	Caveats []api.Caveat `json:"caveats"`
	// DataFile is the base name of the current generation. The store sets it.
	DataFile string `json:"data_file"`

	// From names the snapshot that all or some of the rows came from; nil if all
	// rows were scanned.
	From *Lineage `json:"from,omitempty"`

	Labels

	// Provenance says what the rows are; nil if it was not recorded. Only the
	// sidecar contains it, not other JSON: its strings are opaque to people.
	Provenance *api.Provenance `json:"-"`
	// Files are the table's files that the rows came from, in the order of the
	// rows; empty if unknown. Like Provenance, only the sidecar contains them.
	Files []api.FileRows `json:"-"`
	// Once are the columns in which no value occurs twice, Twice those in which one
	// does, as far as reading the rows back has shown it. Only the sidecar has them.
	Once  []string `json:"-"`
	Twice []string `json:"-"`

	// Damage says why the snapshot cannot be read; nil if it can. Other fields
	// except Name may then be empty.
	Damage *api.Error `json:"-"`
	// LastUsed is when the snapshot was last linked for a reader; FetchedAt if it
	// never was.
	LastUsed time.Time `json:"-"`
}

// Lineage is a snapshot that answered a request, or part of one, instead of the
// source.
type Lineage struct {
	Snapshot    string `json:"snapshot"`
	Part        bool   `json:"part,omitempty"` // it was fetched by a query and has no name that users know
	ContentHash string `json:"content_hash"`   // of its rows at that time
	Proof       string `json:"proof"`          // why no row is missing, for people
	// Rest is the predicate, in the table's dialect, for the rows that the
	// snapshot lacks; these were read at the source. Empty if the snapshot has
	// all rows.
	Rest string `json:"rest,omitempty"`
	// AsOf is when the rows were last known to match the table. UTC; zero in a
	// plan, which does not depend on the time.
	AsOf time.Time `json:"as_of,omitzero"`
}

// String says which snapshot answered, why no row is missing, and which rows were
// read at the source.
func (l *Lineage) String() string {
	text := fmt.Sprintf("from '%s': %s", l.Snapshot, l.Proof)
	if l.Part {
		text = "from an earlier query: " + l.Proof
	}
	if l.Rest != "" {
		text = "in part " + text + "; from the source: " + api.Clip(l.Rest, longestRest)
	}
	return text
}

// longestRest is the length at which a quoted predicate is cut, in characters.
const longestRest = 200

// sidecar is the JSON form of a Meta on disk.
type sidecar struct {
	Meta
	Provenance *api.Provenance `json:"provenance,omitempty"`
	Files      []api.FileRows  `json:"files,omitempty"`
	Once       []string        `json:"once,omitempty"`
	Twice      []string        `json:"twice,omitempty"`
	// Warnings are the caveats of older sidecars.
	Warnings []string `json:"warnings,omitempty"`
}

// Column is a column of the data file, with DuckDB's name for its type.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// described reports whether the sidecar could be read. The data file may still be
// damaged.
func (m *Meta) described() bool { return m.TableID != "" }

// Request returns the scan that produced the snapshot.
func (m Meta) Request() api.ScanRequest {
	req := api.ScanRequest{TableID: m.TableID, Select: m.Select, Limit: m.Limit, OrderBy: m.OrderBy}
	if m.Where != nil {
		req.Where = *m.Where
	}
	return req
}

// Columns returns the names of the columns.
func (m Meta) Columns() []string {
	names := make([]string, len(m.Schema))
	for i, c := range m.Schema {
		names[i] = c.Name
	}
	return names
}

// Part says in words which part of its table the snapshot has; empty if it has
// all rows and columns that the caller could see.
func (m Meta) Part() string {
	var parts []string
	if _, version := api.AsOf(m.TableID); version != "" {
		parts = append(parts, "it as of "+version)
	}
	if m.Where != nil {
		parts = append(parts, "the rows where "+api.Clip(*m.Where, 200))
	}
	if m.Limit != nil {
		parts = append(parts, fmt.Sprintf("at most %d rows", *m.Limit))
	}
	if m.Select != nil {
		parts = append(parts, fmt.Sprintf("%d of its columns", len(m.Select)))
	}
	return strings.Join(parts, ", ")
}

// SetRequest records the scan that produced the snapshot.
func (m *Meta) SetRequest(req api.ScanRequest) {
	m.TableID, m.Select, m.Limit, m.OrderBy, m.Where = req.TableID, req.Select, req.Limit, req.OrderBy, nil
	if req.Where != "" {
		m.Where = &req.Where
	}
}

// importPrefix starts the Server of a snapshot that was imported from a file.
const importPrefix = "import:"

// SetImport records the file that the snapshot is a copy of: its absolute path,
// or - for standard input. The table id is then the snapshot's own name.
func (m *Meta) SetImport(name, path string) {
	m.SetRequest(api.ScanRequest{TableID: name})
	m.Server = importPrefix + path
}

// Imported returns the file that the snapshot is a copy of; ok is false if the
// snapshot came from a scan.
func (m Meta) Imported() (path string, ok bool) { return strings.CutPrefix(m.Server, importPrefix) }

// errNewer means that a later version of da wrote the sidecar.
var errNewer = errors.New("written by a newer version of da")

// parseMeta reads the sidecar of a name. A Meta returned without error refers
// only to files inside the store, and encodes to the same bytes again.
func parseMeta(name string, data []byte) (Meta, error) {
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return Meta{}, err
	}
	if v.Version > formatVersion {
		return Meta{}, errNewer
	}
	var s sidecar
	if err := json.Unmarshal(data, &s); err != nil {
		return Meta{}, err
	}
	m := s.Meta
	m.Provenance, m.Files, m.Once, m.Twice = s.Provenance, s.Files, s.Once, s.Twice
	m.Caveats = append(m.Caveats, api.CaveatsOf(api.CaveatOther, s.Warnings...)...)
	m.normalize()
	return m, m.check(name)
}

// normalize gives equal values one form on disk.
func (m *Meta) normalize() {
	m.FetchedAt = m.FetchedAt.UTC().Truncate(time.Microsecond)
	m.EffectiveAsOf = m.EffectiveAsOf.UTC().Truncate(time.Microsecond)
	if m.Schema == nil {
		m.Schema = []Column{}
	}
	if m.Caveats == nil {
		m.Caveats = []api.Caveat{}
	}
	if len(m.Select) == 0 {
		m.Select = nil
	}
	if len(m.OrderBy) == 0 {
		m.OrderBy = nil
	}
}

// check rejects values that would mislead a reader.
func (m *Meta) check(name string) error {
	if m.Version < 1 || m.Version > formatVersion {
		return fmt.Errorf("version is %d", m.Version)
	}
	if m.Name != name {
		return fmt.Errorf("name is %q", api.Clip(m.Name, 80))
	}
	if of, ok := layout.DataOf(m.DataFile); !ok || of != name {
		return fmt.Errorf("data_file %q is not one of this snapshot's", api.Clip(m.DataFile, 80))
	}
	if err := api.CheckTable(m.TableID); err != nil {
		return err
	}
	for _, t := range []time.Time{m.FetchedAt, m.EffectiveAsOf} {
		if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
			return errors.New("a time is missing or out of range")
		}
	}
	for _, n := range []*int64{&m.Rows, &m.BytesLocal, &m.BytesCounted, m.Limit, m.EstimatedScanBytes} {
		if n != nil && *n < 0 {
			return errors.New("a number is negative")
		}
	}
	return nil
}

// encode returns the bytes of the sidecar, after parsing them again as a check.
func (m Meta) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sidecar{Meta: m, Provenance: m.Provenance, Files: m.Files, Once: m.Once, Twice: m.Twice}); err != nil {
		return nil, err
	}
	if b.Len() > maxSidecar {
		return nil, fmt.Errorf("it has %d bytes, over %d", b.Len(), maxSidecar)
	}
	_, err := parseMeta(m.Name, b.Bytes())
	return b.Bytes(), err
}
