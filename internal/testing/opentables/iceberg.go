package opentables

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/sourcetest"
)

// IcebergLacks are the kinds of values that no Iceberg table can hold.
var IcebergLacks = []sourcetest.Kind{sourcetest.Interval, sourcetest.JSON}

// icebergTypes are the types of the kinds as metadata have them; what is inside has
// ids from 1000 on.
var icebergTypes = map[sourcetest.Kind]string{
	sourcetest.Bool: `"boolean"`, sourcetest.Int: `"long"`, sourcetest.Float: `"double"`, sourcetest.Decimal: `"decimal(18, 3)"`, sourcetest.Wide: `"decimal(38, 9)"`,
	sourcetest.Text: `"string"`, sourcetest.Bytes: `"binary"`, sourcetest.Date: `"date"`, sourcetest.Time: `"time"`, sourcetest.UUID: `"uuid"`,
	sourcetest.Timestamp: `"timestamp"`, sourcetest.Instant: `"timestamptz"`,
	sourcetest.Ints:   `{"type":"list","element-id":1000,"element":"long","element-required":false}`,
	sourcetest.Texts:  `{"type":"list","element-id":1001,"element":"string","element-required":false}`,
	sourcetest.Record: `{"type":"struct","fields":[{"id":1002,"name":"a","required":false,"type":"long"},{"id":1003,"name":"b","required":false,"type":"string"}]}`,
}

// IcebergFile is a data file for WriteIcebergSnapshot.
type IcebergFile struct {
	Path       string // below the table's folder
	Rows, Size int64
	Day        int64 // of its partition, since 1970; -1: there is none
	Low, High  map[int][]byte
}

// WriteIceberg writes a table of one file, and metadata of one snapshot.
func WriteIceberg(ctx context.Context, conn *duckdb.Conn, dir string, table sourcetest.Table, rows string) error {
	fields, ids := make([]object, len(table.Columns)), make([]string, len(table.Columns))
	for i, c := range table.Columns {
		fields[i] = object{"id": i + 1, "name": c.Name, "required": c.Required, "type": json.RawMessage(icebergTypes[c.Kind])}
		if c.Comment != "" {
			fields[i]["doc"] = c.Comment
		}
		ids[i] = fmt.Sprintf("%s: %d", duckdb.Quote(c.Name), i+1)
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
		return err
	}
	if rows == "" {
		rows = sourcetest.DuckDB(table)
	}
	file := filepath.Join(dir, "data", "a.parquet")
	if err := conn.Exec(ctx, "COPY ("+rows+") TO "+duckdb.Literal(file)+" (FORMAT parquet, ROW_GROUP_SIZE 2048, FIELD_IDS {"+strings.Join(ids, ", ")+"})"); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	count := int64(len(table.Rows))
	if len(table.Rows) == 0 {
		if count, err = countRows(ctx, conn, file); err != nil {
			return err
		}
	}
	return WriteIcebergSnapshot(dir, fields, nil, [][]IcebergFile{{{Path: "data/a.parquet", Rows: count, Size: info.Size(), Day: -1}}})
}

func countRows(ctx context.Context, conn *duckdb.Conn, file string) (n int64, err error) {
	r, err := conn.Query(ctx, "SELECT count(*)::VARCHAR FROM "+duckdb.PathLiteral(file))
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		_, err = fmt.Sscan(r.RecordBatch().Column(0).ValueStr(0), &n)
	}
	return n, err
}

// WriteIcebergSnapshot writes metadata of one snapshot, with a manifest for each
// list of files. spec are the fields of its partitions: none, or the day of a column.
func WriteIcebergSnapshot(dir string, fields, spec []object, manifests [][]IcebergFile) error {
	meta := filepath.Join(dir, "metadata")
	if err := os.MkdirAll(meta, 0o755); err != nil {
		return err
	}
	const location = "file:/somewhere/else"
	list := &avro{}
	for i, files := range manifests {
		m := &avro{}
		low, high := files[0].Day, files[0].Day
		for _, f := range files {
			low, high = min(low, f.Day), max(high, f.Day)
			m.dataFile(location, f, len(spec) > 0)
		}
		name := fmt.Sprintf("m%d.avro", i)
		size, err := m.write(filepath.Join(meta, name), manifestSchema(len(spec) > 0), len(files))
		if err != nil {
			return err
		}
		list.text(location + "/metadata/" + name)
		list.long(size)
		list.long(0) // the spec; then content, and sequence number
		list.long(0)
		list.long(1)
		if len(spec) > 0 {
			list.long(1)
			list.b = append(list.b, 0) // no NULL
			list.text(string(binary.LittleEndian.AppendUint32(nil, uint32(low))))
			list.text(string(binary.LittleEndian.AppendUint32(nil, uint32(high))))
		}
		list.long(0)
	}
	if _, err := list.write(filepath.Join(meta, "list.avro"), listSchema, len(manifests)); err != nil {
		return err
	}
	if spec == nil {
		spec = []object{}
	}
	text, err := json.Marshal(object{
		"format-version": 2, "table-uuid": dir, "location": location, "current-schema-id": 0, "schemas": []object{{"type": "struct", "schema-id": 0, "fields": fields}},
		"default-spec-id": 0, "partition-specs": []object{{"spec-id": 0, "fields": spec}}, "properties": object{}, "current-snapshot-id": 1,
		"snapshots": []object{{"snapshot-id": 1, "manifest-list": location + "/metadata/list.avro", "schema-id": 0}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(meta, "v1.metadata.json"), text, 0o600)
}

const listSchema = `{"type":"record","name":"manifest_file","fields":[{"name":"manifest_path","type":"string"},{"name":"manifest_length","type":"long"},{"name":"partition_spec_id","type":"int"},` +
	`{"name":"content","type":"int"},{"name":"sequence_number","type":"long"},{"name":"partitions","type":{"type":"array","items":{"type":"record","name":"r508","fields":[` +
	`{"name":"contains_null","type":"boolean"},{"name":"lower_bound","type":"bytes"},{"name":"upper_bound","type":"bytes"}]}}}]}`

func manifestSchema(partitioned bool) string {
	day := ""
	if partitioned {
		day = `{"name":"day","type":"int","field-id":1000}`
	}
	bounds := func(name string) string {
		return `{"name":"` + name + `","type":{"type":"array","items":{"type":"record","name":"` + name + `_pair","fields":[{"name":"key","type":"int"},{"name":"value","type":"bytes"}]}}}`
	}
	return `{"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int"},{"name":"sequence_number","type":["null","long"]},{"name":"data_file","type":{"type":"record","name":"r2","fields":[` +
		`{"name":"content","type":"int"},{"name":"file_path","type":"string"},{"name":"file_format","type":"string"},{"name":"partition","type":{"type":"record","name":"r102","fields":[` + day + `]}},` +
		`{"name":"record_count","type":"long"},{"name":"file_size_in_bytes","type":"long"},` + bounds("lower_bounds") + "," + bounds("upper_bounds") + `]}}]}`
}

// avro are values of Avro.
type avro struct{ b []byte }

func (a *avro) long(n int64) { a.b = binary.AppendVarint(a.b, n) }

func (a *avro) text(s string) {
	a.long(int64(len(s)))
	a.b = append(a.b, s...)
}

func (a *avro) dataFile(location string, f IcebergFile, partitioned bool) {
	a.long(1) // status: added; the sequence number is the manifest's; data
	a.long(0)
	a.long(0)
	a.text(location + "/" + f.Path)
	a.text("PARQUET")
	if partitioned {
		a.long(f.Day)
	}
	a.long(f.Rows)
	a.long(f.Size)
	for _, bounds := range []map[int][]byte{f.Low, f.High} {
		if len(bounds) > 0 {
			a.long(int64(len(bounds)))
			for id, b := range bounds {
				a.long(int64(id))
				a.text(string(b))
			}
		}
		a.long(0)
	}
}

// write writes a file of one block.
func (a *avro) write(file, schema string, records int) (size int64, err error) {
	const sync = "0123456789abcdef"
	out := &avro{b: []byte("Obj\x01")}
	out.long(1)
	out.text("avro.schema")
	out.text(schema)
	out.long(0)
	out.b = append(out.b, sync...)
	if records > 0 {
		out.long(int64(records))
		out.text(string(a.b))
		out.b = append(out.b, sync...)
	}
	return int64(len(out.b)), os.WriteFile(file, out.b, 0o600)
}
