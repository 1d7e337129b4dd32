package iceberg

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/listed"
)

// metadata is a metadata file.
type metadata struct {
	dir  string // of the table, below the root
	file string

	planning planning // nil: scans are planned here

	Format    int                `json:"format-version"`
	UUID      string             `json:"table-uuid"`
	Location  string             `json:"location"`
	Schemas   []schema           `json:"schemas"`
	Schema    *schema            `json:"schema"` // of format 1
	SchemaID  int                `json:"current-schema-id"`
	Specs     []spec             `json:"partition-specs"`
	Spec      []partition        `json:"partition-spec"` // of format 1
	SpecID    int                `json:"default-spec-id"`
	Current   *int64             `json:"current-snapshot-id"`
	Snapshots []snapshot         `json:"snapshots"`
	Refs      map[string]snapRef `json:"refs"`
	Props     map[string]string  `json:"properties"`
	Keys      []json.RawMessage  `json:"encryption-keys"`
	View      string             `json:"view-uuid"`
	Log       []logged           `json:"snapshot-log"`
	SortOrder int                `json:"default-sort-order-id"`
	Orders    []struct {
		ID     int         `json:"order-id"`
		Fields []partition `json:"fields"`
	} `json:"sort-orders"`
}

type schema struct {
	ID     int     `json:"schema-id"`
	Fields []field `json:"fields"`
}

type spec struct {
	ID     int         `json:"spec-id"`
	Fields []partition `json:"fields"`
}

// partition is a field of a partition: a transform of a column.
type partition struct {
	ID        int    `json:"field-id"`
	Source    int    `json:"source-id"`
	Sources   []int  `json:"source-ids"`
	Transform string `json:"transform"`
}

type snapshot struct {
	ID        int64    `json:"snapshot-id"`
	List      string   `json:"manifest-list"`
	Manifests []string `json:"manifests"`
	Schema    *int     `json:"schema-id"`
}

// logged says since when a snapshot was the current one.
type logged struct {
	ID    int64 `json:"snapshot-id"`
	Since int64 `json:"timestamp-ms"`
}

// asOf is the snapshot that was the current one at a time; false if none is known.
func (m *metadata) asOf(at time.Time) (id int64, ok bool) {
	latest := int64(math.MinInt64)
	for _, l := range m.Log {
		if l.Since <= at.UnixMilli() && l.Since >= latest { // of several at a time the last
			id, latest, ok = l.ID, l.Since, true
		}
	}
	return id, ok
}

type snapRef struct {
	ID   int64  `json:"snapshot-id"`
	Type string `json:"type"`
}

var metadataName = lazyregexp.New(`^v?(\d+)(?:-[^/]*)?(?:\.gz)?\.metadata\.json(?:\.gz)?$`)

// newest finds the metadata file with the highest number, and tells one from
// another that has its name.
func newest(root *listed.Root, dir string) (file, print string, err error) {
	entries, err := root.List(path.Join(dir, "metadata"))
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) && errors.Is(err, fs.ErrNotExist) {
			e.Kind, e.Message, e.Hint = api.KindNoFiles, fmt.Sprintf("%s is not an Iceberg table: the folder metadata is missing", dir), ""
		}
		return "", "", err
	}
	best, high := []fs.DirEntry(nil), int64(-1)
	for _, e := range entries {
		m := metadataName().FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		switch {
		case err != nil || n < high:
		case n > high:
			best, high = []fs.DirEntry{e}, n
		default:
			best = append(best, e)
		}
	}
	switch {
	case len(best) == 0:
		return "", "", &api.Error{Code: api.CodeSource, Kind: api.KindNoFiles,
			Message: dir + " is not an Iceberg table: its folder metadata holds no metadata file"}
	case len(best) > 1:
		// Writers that lose against others leave such files behind.
		return "", "", &api.Error{Code: api.CodeSource, Kind: api.KindBadPath,
			Message: fmt.Sprintf("%s has two metadata files with the number %d, and only its catalog knows which of them counts: %s, %s", dir, high,
				best[0].Name(), best[1].Name()),
			Hint: "Remove the one that its catalog does not name, or copy the table without it."}
	}
	info, err := best[0].Info()
	if err != nil {
		return "", "", listed.Unopened(best[0].Name(), err)
	}
	return path.Join(dir, "metadata", best[0].Name()), fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), nil
}

// maxUnzipped bounds metadata, decompressed.
const maxUnzipped = 1 << 30

func readMetadata(root *listed.Root, dir, file string) (*metadata, error) {
	raw, err := root.Read(file)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			raw, err = io.ReadAll(io.LimitReader(z, maxUnzipped))
		}
		if err != nil {
			return nil, listed.Broken(file, err)
		}
	}
	return parseMetadata(dir, file, raw)
}

func parseMetadata(dir, file string, raw []byte) (*metadata, error) {
	m := &metadata{dir: dir, file: file}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, listed.Broken(file, err)
	}
	switch {
	case m.Format < 1 || m.Format > 3:
		return nil, listed.Refused(fmt.Sprintf("it is of format %d, and 1 to 3 are known", m.Format))
	case len(m.Keys) > 0 || m.Props["encryption.key-id"] != "":
		return nil, listed.Refused("it is encrypted")
	case m.View != "":
		return nil, listed.Refused("it is a view, which only the engine that wrote it can read")
	}
	if m.Schemas == nil && m.Schema != nil {
		m.Schemas, m.SchemaID = []schema{*m.Schema}, m.Schema.ID
	}
	if m.Specs == nil {
		m.Specs = []spec{{ID: 0, Fields: m.Spec}}
	}
	return m, nil
}

// pick chooses a snapshot, nil if the table has none yet, and its schema: that of a
// tag or a number is the snapshot's own, that of a branch the table's newest.
func (m *metadata) pick(at string) (*snapshot, *schema, error) {
	id, own := int64(-1), false
	if at == "" {
		if m.Current != nil {
			id = *m.Current
		}
	} else if ref, ok := m.Refs[at]; ok {
		id, own = ref.ID, ref.Type == "tag"
	} else if n, err := strconv.ParseInt(at, 10, 64); err == nil {
		id, own = n, true
	} else if when, err := time.Parse(time.RFC3339, at); err == nil {
		if id, own = m.asOf(when); !own {
			return nil, nil, m.noVersion(at)
		}
	} else {
		return nil, nil, m.noVersion(at)
	}
	var snap *snapshot
	if i := slices.IndexFunc(m.Snapshots, func(s snapshot) bool { return s.ID == id }); i >= 0 {
		snap = &m.Snapshots[i]
	} else if at != "" || id >= 0 {
		return nil, nil, m.noVersion(fmt.Sprint(id))
	}
	want := m.SchemaID
	if own && snap.Schema != nil {
		want = *snap.Schema
	}
	for i := range m.Schemas {
		if m.Schemas[i].ID == want {
			return snap, &m.Schemas[i], nil
		}
	}
	return nil, nil, listed.Broken(m.file, fmt.Errorf("it has no schema %d", want))
}

func (m *metadata) noVersion(at string) error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindNotFound,
		Message: fmt.Sprintf("%s has no snapshot, branch or tag %s", m.dir, api.Clip(at, 60))}
	e.Hint = "Behind the @ of a path stands the number of a snapshot, the name of a branch or a tag, or a time since its first snapshot, as in orders@2026-01-31T18:00:00Z."
	return e
}

// table describes the table at a snapshot.
func (m *metadata) table(at string) (*listed.Table, error) {
	snap, s, err := m.pick(at)
	if err != nil {
		return nil, err
	}
	p := &plan{metadata: m, schema: s, snapshot: snap, old: map[int]*field{}, byName: map[string]*field{}}
	if p.mapping, err = nameMapping(m.Props["schema.name-mapping.default"]); err != nil {
		return nil, listed.Broken(m.file, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, listed.Broken(m.file, err)
	}
	id := int64(0)
	if snap != nil {
		id = snap.ID
	}
	reading := fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprintf("%s %s %s", m.UUID, text, m.Props["schema.name-mapping.default"])))
	t := &listed.Table{Version: fmt.Sprintf("%d-%s", id, reading), Reading: reading, Description: m.Props["comment"], Plan: p}
	for i := range m.Schemas {
		for j := range m.Schemas[i].Fields {
			p.old[m.Schemas[i].Fields[j].ID] = &m.Schemas[i].Fields[j]
		}
	}
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	names, _ = arrowjson.Unique(names, strings.ToLower) // the engine ignores case
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name != names[i] {
			t.Caveats = append(t.Caveats, duckdb.CaseRenamed(f.Name, names[i], names))
			f.Name = names[i]
		}
		typ, err := f.Type.Engine(simple, listed.Logical)
		if err != nil {
			return nil, err
		}
		p.renamed = p.renamed || defaults(&f.Type)
		p.old[f.ID], p.byName[f.Name] = f, f
		t.Columns = append(t.Columns, api.Column{Name: f.Name, Type: typ, Nullable: !f.Required, Description: f.Doc,
			Fields: embedded.FieldsOf(typ)})
		if nanos(&f.Type) {
			t.Caveats = append(t.Caveats, duckdb.NanosCut(f.Name))
		}
	}
	p.renamed, p.dated = p.renamed || m.renamedInside(), m.dates()
	t.PartitionBy, t.ClusteredBy = m.sorted(s)
	return t, nil
}

// sorted lists the columns that new files are partitioned and sorted by.
func (m *metadata) sorted(s *schema) (partitions, order []string) {
	names := func(fields []partition) (names []string) {
		for _, p := range fields {
			i := slices.IndexFunc(s.Fields, func(f field) bool { return f.ID == p.Source })
			if i >= 0 && p.Transform != "void" && !slices.Contains(names, s.Fields[i].Name) {
				names = append(names, s.Fields[i].Name)
			}
		}
		return names
	}
	for _, sp := range m.Specs {
		if sp.ID == m.SpecID {
			partitions = names(sp.Fields)
		}
	}
	for _, o := range m.Orders {
		if o.ID == m.SortOrder {
			order = names(o.Fields)
		}
	}
	return partitions, order
}

// pathBelow is the path below the root of a file that metadata name. The table may have
// been moved with all its files: they are looked for where its folder is now.
func (m *metadata) pathBelow(root *listed.Root, file string) (string, error) {
	if rest, ok := strings.CutPrefix(listed.Schemeless(file), strings.TrimSuffix(listed.Schemeless(m.Location), "/")+"/"); ok {
		return listed.Below(m.dir, rest)
	}
	return root.Locate(file)
}
