package opentables

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

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
	location := "file://" + dir
	if spec == nil {
		spec = []object{}
	}
	schema := object{"type": "struct", "schema-id": 0, "fields": fields}
	texts := make([]string, 2)
	for i, part := range []any{schema, spec} {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	head := []string{"format-version", "2", "content", "data", "schema", texts[0], "schema-id", "0", "partition-spec", texts[1], "partition-spec-id", "0"}
	list := &avro{}
	for i, files := range manifests {
		m := &avro{}
		low, high, rows := files[0].Day, files[0].Day, int64(0)
		for _, f := range files {
			low, high, rows = min(low, f.Day), max(high, f.Day), rows+f.Rows
			m.dataFile(location, f, len(spec) > 0)
		}
		name := fmt.Sprintf("m%d.avro", i)
		size, err := m.write(filepath.Join(meta, name), manifestSchema(len(spec) > 0), len(files), head...)
		if err != nil {
			return err
		}
		list.text(location + "/metadata/" + name)
		// The spec, content, sequence numbers, the snapshot, files and rows that are
		// added, kept and deleted.
		for _, n := range []int64{size, 0, 0, 1, 1, 1, int64(len(files)), 0, 0, rows, 0, 0} {
			list.long(n)
		}
		if len(spec) > 0 {
			list.long(1)
			list.b = append(list.b, 0) // no NULL
			list.text(string(binary.LittleEndian.AppendUint32(nil, uint32(low))))
			list.text(string(binary.LittleEndian.AppendUint32(nil, uint32(high))))
		}
		list.long(0)
	}
	if _, err := list.write(filepath.Join(meta, "list.avro"), listSchema, len(manifests), "format-version", "2"); err != nil {
		return err
	}
	text, err := json.Marshal(object{
		"format-version": 2, "table-uuid": uuid.NewSHA1(uuid.NameSpaceURL, []byte(location)), "location": location, "current-schema-id": 0, "schemas": []object{schema},
		"default-spec-id": 0, "partition-specs": []object{{"spec-id": 0, "fields": spec}}, "properties": object{}, "current-snapshot-id": 1,
		"snapshots":            []object{{"snapshot-id": 1, "manifest-list": location + "/metadata/list.avro", "schema-id": 0, "sequence-number": 1, "timestamp-ms": 1, "summary": object{"operation": "append"}}},
		"last-sequence-number": 1, "last-updated-ms": 1, "last-column-id": 2000, "last-partition-id": 1000,
		"default-sort-order-id": 0, "sort-orders": []object{{"order-id": 0, "fields": []object{}}}, "refs": object{"main": object{"snapshot-id": 1, "type": "branch"}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(meta, "v1.metadata.json"), text, 0o600)
}

const listSchema = `{"type":"record","name":"manifest_file","fields":[{"name":"manifest_path","type":"string","field-id":500},{"name":"manifest_length","type":"long","field-id":501},` +
	`{"name":"partition_spec_id","type":"int","field-id":502},{"name":"content","type":"int","field-id":517},{"name":"sequence_number","type":"long","field-id":515},` +
	`{"name":"min_sequence_number","type":"long","field-id":516},{"name":"added_snapshot_id","type":"long","field-id":503},{"name":"added_files_count","type":"int","field-id":504},` +
	`{"name":"existing_files_count","type":"int","field-id":505},{"name":"deleted_files_count","type":"int","field-id":506},{"name":"added_rows_count","type":"long","field-id":512},` +
	`{"name":"existing_rows_count","type":"long","field-id":513},{"name":"deleted_rows_count","type":"long","field-id":514},` +
	`{"name":"partitions","field-id":507,"type":{"type":"array","element-id":508,"items":{"type":"record","name":"r508","fields":[` +
	`{"name":"contains_null","type":"boolean","field-id":509},{"name":"lower_bound","type":"bytes","field-id":510},{"name":"upper_bound","type":"bytes","field-id":511}]}}}]}`

func manifestSchema(partitioned bool) string {
	day := ""
	if partitioned {
		day = `{"name":"day","type":"int","field-id":1000}`
	}
	bounds := func(name string, id int) string {
		return fmt.Sprintf(`{"name":%q,"field-id":%d,"type":{"type":"array","logicalType":"map","items":{"type":"record","name":"k%d_v%d","fields":[`+
			`{"name":"key","type":"int","field-id":%d},{"name":"value","type":"bytes","field-id":%d}]}}}`, name, id, id+1, id+2, id+1, id+2)
	}
	return `{"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int","field-id":0},{"name":"snapshot_id","type":["null","long"],"field-id":1},` +
		`{"name":"sequence_number","type":["null","long"],"field-id":3},{"name":"file_sequence_number","type":["null","long"],"field-id":4},` +
		`{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[{"name":"content","type":"int","field-id":134},{"name":"file_path","type":"string","field-id":100},` +
		`{"name":"file_format","type":"string","field-id":101},{"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[` + day + `]}},` +
		`{"name":"record_count","type":"long","field-id":103},{"name":"file_size_in_bytes","type":"long","field-id":104},` + bounds("lower_bounds", 125) + "," + bounds("upper_bounds", 128) + `]}}]}`
}

// avro are values of Avro.
type avro struct{ b []byte }

func (a *avro) long(n int64) { a.b = binary.AppendVarint(a.b, n) }

func (a *avro) text(s string) {
	a.long(int64(len(s)))
	a.b = append(a.b, s...)
}

func (a *avro) dataFile(location string, f IcebergFile, partitioned bool) {
	for _, n := range []int64{1, 0, 0, 0, 0} { // added; snapshot and sequence numbers are the manifest's; data
		a.long(n)
	}
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
func (a *avro) write(file, schema string, records int, head ...string) (size int64, err error) {
	const sync = "0123456789abcdef"
	out := &avro{b: []byte("Obj\x01")}
	out.long(int64(1 + len(head)/2))
	for _, text := range append([]string{"avro.schema", schema}, head...) {
		out.text(text)
	}
	out.long(0)
	out.b = append(out.b, sync...)
	if records > 0 {
		out.long(int64(records))
		out.text(string(a.b))
		out.b = append(out.b, sync...)
	}
	return int64(len(out.b)), os.WriteFile(file, out.b, 0o600)
}
