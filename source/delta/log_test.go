package delta

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/source"
)

type object = map[string]any

// logOf writes tables with logs of the test's own.
type logOf struct {
	t    *testing.T
	root string
}

// head are the first actions of a table.
func head(schema string, configuration object, features ...string) []object {
	return []object{
		{"protocol": object{"minReaderVersion": 3, "readerFeatures": features}},
		{"metaData": object{"id": "x", "schemaString": schema, "partitionColumns": []string{}, "configuration": configuration}},
	}
}

const oneColumn = `{"type":"struct","fields":[{"name":"n","type":"long","nullable":true,"metadata":{}}]}`

// add writes a file and returns the action that adds it.
func (l logOf) add(table, name, sql string, more object) object {
	l.t.Helper()
	file := filepath.Join(l.root, table, name)
	if err := os.MkdirAll(filepath.Join(l.root, table, logFolder), 0o755); err != nil {
		l.t.Fatal(err)
	}
	enginetest.Parquet(l.t, file, sql)
	info, err := os.Stat(file)
	if err != nil {
		l.t.Fatal(err)
	}
	add := object{"path": name, "size": info.Size(), "partitionValues": object{}}
	maps.Copy(add, more)
	return object{"add": add}
}

func (l logOf) commit(table string, version int, actions ...object) {
	l.t.Helper()
	if err := opentables.WriteCommit(filepath.Join(l.root, table), version, actions...); err != nil {
		l.t.Fatal(err)
	}
}

// inline is a vector that the log holds.
func inline(rows ...uint64) object {
	b := roaring64.New()
	b.AddMany(rows)
	bits, err := b.ToBytes()
	if err != nil {
		panic(err)
	}
	raw := append(binary.LittleEndian.AppendUint32(nil, 1681511377), bits...)
	size := len(raw)
	for len(raw)%4 > 0 {
		raw = append(raw, 0)
	}
	var text strings.Builder
	for i := 0; i < len(raw); i += 4 {
		digits := make([]byte, 5)
		v := binary.BigEndian.Uint32(raw[i:])
		for j := 4; j >= 0; j-- {
			digits[j] = alphabet[v%85]
			v /= 85
		}
		text.Write(digits)
	}
	return object{"storageType": "i", "pathOrInlineDv": text.String(), "sizeInBytes": size, "cardinality": len(rows)}
}

// rows reads a table whole.
func (l logOf) rows(name string) (string, error) {
	src := open(l.t, l.root)
	schema, err := src.Schema(l.t.Context(), source.Relation{Name: name})
	if err != nil {
		return "", err
	}
	scan := source.Scan{Relation: source.Relation{Name: name}}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	text, err := enginetest.Text(src.Scan(l.t.Context(), scan))
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n"), err
}

func (l logOf) want(name, rows string) {
	l.t.Helper()
	if got, err := l.rows(name); err != nil || got != rows {
		l.t.Errorf("%s: got %q, %v, want %q", name, got, err, rows)
	}
}

func (l logOf) refuses(name, kind, word string) {
	l.t.Helper()
	_, err := l.rows(name)
	var e *api.Error
	if !api.CodeSource.Is(err) || !errors.As(err, &e) || e.Kind != kind || !strings.Contains(err.Error(), word) {
		l.t.Errorf("%s: %v, want it to be refused as %s for %q", name, err, kind, word)
	}
}

// TestVectorIsPartOfTheKey holds that a file is added with another vector and removed
// with the old one in one commit, in any order, and that a log may hold vectors.
func TestVectorIsPartOfTheKey(t *testing.T) {
	l := logOf{t, t.TempDir()}
	first := l.add("t", "a.parquet", "SELECT range AS n FROM range(5)", object{"deletionVector": inline(0), "stats": `{"numRecords":5}`})
	l.commit("t", 0, append(head(oneColumn, nil, "deletionVectors"), first)...)
	second := l.add("t", "a.parquet", "SELECT range AS n FROM range(5)", object{"deletionVector": inline(0, 3), "stats": `{"numRecords":5}`})
	l.commit("t", 1, second, object{"remove": first["add"]})
	l.want("t", "1\n2\n4")
	l.want("t@v0", "1\n2\n3\n4")
	src := open(t, l.root)
	schema, err := src.Schema(t.Context(), source.Relation{Name: "t"})
	if err != nil || schema.RowCount == nil || *schema.RowCount != 3 {
		t.Errorf("the schema is %+v, %v", schema, err)
	}
}

// TestPathsAreEscapedByEachWriter removes a file by another form of its path.
func TestPathsAreEscapedByEachWriter(t *testing.T) {
	l := logOf{t, t.TempDir()}
	gone, kept := l.add("t", "a é.parquet", "SELECT 1::BIGINT AS n", object{"path": "a%20%C3%A9.parquet"}), l.add("t", "b.parquet", "SELECT 2::BIGINT AS n", nil)
	l.commit("t", 0, append(head(oneColumn, nil), gone, kept)...)
	l.want("t", "1\n2")
	l.commit("t", 1, object{"remove": object{"path": "a%20é.parquet"}})
	l.want("t", "2")
}

// TestLogsThatAreNotWhole holds that rows are never guessed.
func TestLogsThatAreNotWhole(t *testing.T) {
	l := logOf{t, t.TempDir()}
	add := func(table string, more object) object { return l.add(table, "a.parquet", "SELECT 7 AS n", more) }
	for _, table := range []string{"gap", "headless", "future", "old", "feature", "gone", "longer", "outside", "absolute", "vector", "garbage", "typed", "twins", "inside", "kept"} {
		add(table, nil)
	}
	l.commit("gap", 0, append(head(oneColumn, nil), add("gap", nil))...)
	l.commit("gap", 2, object{"commitInfo": object{}})
	l.refuses("gap", api.KindUnreadable, "commit 1 is missing")
	l.commit("headless", 0, add("headless", nil))
	l.refuses("headless", api.KindUnreadable, "beginning is gone")
	l.commit("old", 3, append(head(oneColumn, nil), add("old", nil))...)
	l.refuses("old", api.KindUnreadable, "commit 0 is missing")
	l.commit("future", 0, object{"protocol": object{"minReaderVersion": 4}}, head(oneColumn, nil)[1])
	l.refuses("future", api.KindUnlikeFiles, "version 4")
	l.commit("feature", 0, head(oneColumn, nil, "deletionVectors", "timeMachine")...)
	l.refuses("feature", api.KindUnlikeFiles, `"timeMachine"`)
	l.commit("gone", 0, append(head(oneColumn, nil), object{"add": object{"path": "b.parquet", "size": 4}})...)
	l.refuses("gone", api.KindUnreadable, "gone/b.parquet, which the table names, is not there")
	l.commit("longer", 0, append(head(oneColumn, nil), add("longer", object{"size": 1}))...)
	l.refuses("longer", api.KindUnreadable, "bytes")
	l.commit("outside", 0, append(head(oneColumn, nil), add("outside", object{"path": "../../a.parquet"}))...)
	l.refuses("outside", api.KindOutsideRoot, "not lie below the root")
	l.commit("absolute", 0, append(head(oneColumn, nil), add("absolute", object{"path": "s3://bucket/a.parquet"}))...)
	l.refuses("absolute", api.KindOutsideRoot, "a.parquet")
	bad := inline(0)
	bad["cardinality"] = 2
	l.commit("vector", 0, append(head(oneColumn, nil, "deletionVectors"), add("vector", object{"deletionVector": bad}))...)
	l.refuses("vector", api.KindUnreadable, "has 1 rows, not 2")
	l.commit("garbage", 0, head("{", nil)...)
	l.refuses("garbage", api.KindUnreadable, "cannot be understood")
	l.commit("typed", 0, head(strings.Replace(oneColumn, "long", "tensor", 1), nil)...)
	l.refuses("typed", api.KindUnlikeFiles, `"tensor"`)
	const twins = `{"type":"struct","fields":[{"name":"n","type":"long"},{"name":"N","type":"string"}]}`
	l.commit("twins", 0, append(head(twins, nil), add("twins", nil))...)
	l.refuses("twins", api.KindUnlikeFiles, `"n" and "N", whose names differ only in case`)
	l.commit("inside", 0, append(head(strings.Replace(oneColumn, `"long"`, twins, 1), nil), add("inside", nil))...)
	l.refuses("inside", api.KindUnlikeFiles, "differ only in case")
	other := strings.Replace(oneColumn, `"long"`, `{"type":"struct","fields":[{"name":"new","type":"long"}]}`, 1)
	l.commit("replaced", 0, append(head(other, nil), l.add("replaced", "a.parquet", "SELECT {'old': 7} AS n", nil))...)
	l.refuses("replaced", api.KindUnlikeFiles, "none of the fields")
	l.commit("kept", 0, append(head(oneColumn, nil), add("kept", nil))...)
	l.refuses("kept@v9", api.KindNotFound, "no version 9")
	l.refuses("kept@yesterday", api.KindBadPath, "is not a version")
	l.refuses("nothing", api.KindNoFiles, "no folder")
	l.refuses("../x", api.KindBadPath, "below the root")
	if err := os.Mkdir(filepath.Join(l.root, "plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.refuses("plain", api.KindNoFiles, "is not a Delta table")
	whole := "file://" + filepath.Join(l.root, "kept", "a.parquet")
	l.commit("kept", 1, object{"add": object{"path": whole, "size": sizeOf(t, filepath.Join(l.root, "kept", "a.parquet"))}})
	l.want("kept", "7\n7") // the same file under two names is two files
}

// TestPartsOfACheckpoint reads a checkpoint in which one part names no files.
func TestPartsOfACheckpoint(t *testing.T) {
	l := logOf{t, t.TempDir()}
	void := strings.Replace(oneColumn, `}]}`, `},{"name":"nothing","type":"void","nullable":true,"metadata":{}}]}`, 1)
	file := l.add("t", "a.parquet", "SELECT 7::BIGINT AS n", nil)["add"].(object) //nolint:forcetypeassert // ours
	for part, sql := range map[int]string{
		1: "SELECT {'appId': 'a', 'version': 1} AS txn",
		2: fmt.Sprintf("SELECT {'minReaderVersion': 1} AS protocol, {'id': 'x', 'schemaString': '%s', 'partitionColumns': []::VARCHAR[], 'configuration': MAP {'a': 'b'}} AS \"metaData\", "+
			"{'path': 'a.parquet', 'size': %d, 'partitionValues': MAP {}::MAP(VARCHAR, VARCHAR)} AS \"add\"", void, file["size"]),
	} {
		enginetest.Parquet(t, filepath.Join(l.root, "t", logFolder, fmt.Sprintf("%020d.checkpoint.%010d.%010d.parquet", 3, part, 2)), sql)
	}
	l.want("t", "7|(null)")
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestListsBeginRows: the file is explained in source/lake.
func TestListsBeginRows(t *testing.T) {
	l := logOf{t: t, root: t.TempDir()}
	const schema = `{"type":"struct","fields":[{"name":"x","type":{"type":"array","elementType":"long","containsNull":true},"nullable":true,"metadata":{}}]}`
	add := l.add("t", "a.parquet", "SELECT [1::BIGINT] AS x", nil)
	l.commit("t", 0, append(head(schema, nil), add)...)
	l.want("t", "[1]")
	l.add("u", "a.parquet", "SELECT 1", nil)
	file := filepath.Join("..", "lake", "testdata", "list_before_first_row.parquet")
	l.commit("u", 0, append(head(schema, nil), object{"add": object{"path": "a.parquet", "size": sizeOf(t, file), "partitionValues": object{}}})...)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(l.root, "u", "a.parquet"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.refuses("u", api.KindUnreadable, "belong to no row")
}

// TestVectorsInFiles holds that a checksum is looked at.
func TestVectorsInFiles(t *testing.T) {
	l := logOf{t, t.TempDir()}
	bits := roaring64.New()
	bits.AddMany([]uint64{1, 2})
	raw, err := bits.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	raw = append(binary.LittleEndian.AppendUint32(nil, 1681511377), raw...)
	file := append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(raw))), raw...)
	file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(raw))
	for name, change := range map[string]func([]byte) []byte{
		"whole": func(b []byte) []byte { return b },
		"wrong": func(b []byte) []byte { b[20]++; return b },
		"short": func(b []byte) []byte { return b[:len(b)-3] },
	} {
		v := object{"storageType": "p", "pathOrInlineDv": filepath.Join(l.root, name, "v.bin"), "offset": 1, "sizeInBytes": len(raw), "cardinality": 2}
		add := l.add(name, "a.parquet", "SELECT range AS n FROM range(4)", object{"deletionVector": v})
		if err := os.WriteFile(filepath.Join(l.root, name, "v.bin"), change(append([]byte(nil), file...)), 0o600); err != nil {
			t.Fatal(err)
		}
		l.commit(name, 0, append(head(oneColumn, nil, "deletionVectors"), add)...)
	}
	l.want("whole", "0\n3")
	l.refuses("wrong", api.KindUnreadable, "checksum")
	l.refuses("short", api.KindUnreadable, "outside of it")
}

// TestRenamedInside holds that fields of structs have names of their own, too,
// inside of lists and maps, and that those that a file lacks are NULL.
func TestRenamedInside(t *testing.T) {
	l := logOf{t, t.TempDir()}
	named := func(name, physical string, typ any) object {
		return object{"name": name, "type": typ, "nullable": true, "metadata": object{"delta.columnMapping.physicalName": physical}}
	}
	inner := object{"type": "struct", "fields": []object{named("new", "p1", "long"), named("later", "p2", "string")}}
	schema, err := json.Marshal(object{"type": "struct", "fields": []object{
		named("s", "ps", inner), named("l", "pl", object{"type": "array", "elementType": inner, "containsNull": true}),
		named("m", "pm", object{"type": "map", "keyType": "string", "valueType": inner, "valueContainsNull": true}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	old := l.add("t", "old.parquet", "SELECT {'p1': 1::BIGINT} AS ps, [{'p1': 2::BIGINT}, NULL] AS pl, MAP {'k': {'p1': 3::BIGINT}} AS pm UNION ALL SELECT NULL, NULL, NULL", nil)
	l.commit("t", 0, append(head(string(schema), object{"delta.columnMapping.mode": "name"}, "columnMapping"), old)...)
	l.want("t", "(null)|(null)|(null)\n"+`{"later":null,"new":1}|[{"later":null,"new":2},null]|[{"key":"k","value":{"later":null,"new":3}}]`)
}

// TestWidened holds that conditions about a column are about its values of now, where
// files have an older type: the engine makes 1.001 a decimal of two digits for those.
func TestWidened(t *testing.T) {
	l := logOf{t, t.TempDir()}
	const schema = `{"type":"struct","fields":[{"name":"amount","type":"decimal(20,4)","nullable":true,"metadata":{"delta.typeChanges":[{"fromType":"decimal(6,2)","toType":"decimal(20,4)"}]}},` +
		`{"name":"seen","type":"timestamp_ntz","nullable":true,"metadata":{"delta.typeChanges":[{"fromType":"date","toType":"timestamp_ntz"}]}}]}`
	old := l.add("t", "old.parquet", "SELECT 1.00::DECIMAL(6,2) AS amount, DATE '2026-01-01' AS seen", nil)
	now := l.add("t", "now.parquet", "SELECT 1.001::DECIMAL(20,4) AS amount, TIMESTAMP '2026-01-01 10:00:00' AS seen", nil)
	l.commit("t", 0, append(head(schema, nil, "typeWidening"), old, now)...)
	src := open(t, l.root)
	for _, where := range []string{"amount = 1.001", "seen = TIMESTAMP '2026-01-01 10:00:00'", "amount > 1.0005", "seen > TIMESTAMP '2026-01-01 00:00:01'"} {
		if text, err := enginetest.Text(src.Scan(t.Context(), scanOf(t, src, "t", where))); err != nil || text != "1.001|2026-01-01T10:00:00" {
			t.Errorf("%s: %q, %v", where, text, err)
		}
	}
}

// TestRoundedDecimals holds that files are found by decimals whose bounds their writer has
// made floats of, as delta-rs does, and that bounds still tell files from each other.
func TestRoundedDecimals(t *testing.T) {
	l := logOf{t, t.TempDir()}
	const schema = `{"type":"struct","fields":[{"name":"n","type":"decimal(38,20)","nullable":true,"metadata":{}},{"name":"m","type":"decimal(38,2)","nullable":true,"metadata":{}},` +
		`{"name":"p","type":"decimal(9,2)","nullable":true,"metadata":{}}]}`
	const bounds = `{"n":0.1,"m":1e+35,"p":12.5}`
	const wide = `{"type":"struct","fields":[{"name":"n","type":"decimal(19,3)","nullable":true,"metadata":{}}]}`
	l.commit("wide", 0, append(head(wide, nil), l.add("wide", "a.parquet", "SELECT 41302235444795.140::DECIMAL(19,3) AS n",
		object{"stats": `{"numRecords":1,"minValues":{"n":41302235444795.13},"maxValues":{"n":41302235444795.13},"nullCount":{"n":0}}`}))...)
	if text, err := enginetest.Text(open(t, l.root).Scan(t.Context(), scanOf(t, open(t, l.root), "wide", "n = 41302235444795.140"))); text == "" || err != nil {
		t.Errorf("three roundings: %q, %v", text, err)
	}
	for _, c := range [][2]string{{"99999999999999999999999999999999999999", "9223372036854775807"}, {"-99999999999999999999999999999999999999", "-9223372036854775808"}} {
		table, bound := "full"+c[1], `{"n":`+c[1]+`}` // delta-rs keeps to 64 bits where there are no digits behind the point
		l.commit(table, 0, append(head(strings.Replace(wide, "19,3", "38,0", 1), nil), l.add(table, "a.parquet", "SELECT "+c[0]+"::DECIMAL(38,0) AS n",
			object{"stats": `{"numRecords":1,"minValues":` + bound + `,"maxValues":` + bound + `,"nullCount":{"n":0}}`}))...)
		if text, err := enginetest.Text(open(t, l.root).Scan(t.Context(), scanOf(t, open(t, l.root), table, "n = "+c[0]))); text != c[0] || err != nil {
			t.Errorf("64 bits: %q, %v", text, err)
		}
	}
	file := l.add("t", "a.parquet", "SELECT 0.10000000000000000001::DECIMAL(38,20) AS n, 99999999999999999999999999999999999.99::DECIMAL(38,2) AS m, 12.50::DECIMAL(9,2) AS p",
		object{"stats": `{"numRecords":1,"minValues":` + bounds + `,"maxValues":` + bounds + `,"nullCount":{"n":0,"m":0,"p":0}}`})
	l.commit("t", 0, append(head(schema, nil), file)...)
	src := open(t, l.root)
	for where, want := range map[string][2]int64{ // rows, and files that may have some
		"n > 0.1": {1, 1}, "n = 0.10000000000000000001": {1, 1}, "n < 0.1": {0, 1}, "n > 0.1000000000000001": {0, 0}, "n < 0.0999999999999999": {0, 0},
		"m < 100000000000000000000000000000000000.00": {1, 1}, "m > 100000000000000000000000000000000000.00": {0, 1}, "m > 100000000000000100000000000000000000.00": {0, 0},
		"p = 12.5": {1, 1}, "p > 12.5": {0, 0}, "p < 12.5": {0, 0},
	} {
		scan := scanOf(t, src, "t", where)
		e, err := src.Estimate(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		text, err := enginetest.Text(src.Scan(t.Context(), scan))
		if err != nil || (text != "") != (want[0] == 1) || (*e.ScanBytes > 0) != (want[1] == 1) {
			t.Errorf("%s: %q, %v, and %d bytes are read; want %v", where, text, err, *e.ScanBytes, want)
		}
	}
}

// TestBoundsSkipFiles holds what statistics may tell: moments are cut to
// milliseconds, long texts are cut, and NaN is in no bounds.
func TestBoundsSkipFiles(t *testing.T) {
	l := logOf{t, t.TempDir()}
	const schema = `{"type":"struct","fields":[{"name":"n","type":"long","nullable":true,"metadata":{}},{"name":"seen","type":"timestamp","nullable":true,"metadata":{}},` +
		`{"name":"s","type":"string","nullable":true,"metadata":{}},{"name":"f","type":"double","nullable":true,"metadata":{}}]}`
	long := strings.Repeat("x", 32)
	var actions []object
	for i := range 3 {
		stats := fmt.Sprintf(`{"numRecords":1,"minValues":{"n":%d,"seen":"2026-01-0%dT00:00:00.000Z","s":"%s","f":%d},"maxValues":{"n":%d,"seen":"2026-01-0%dT00:00:00.000Z","s":"%s","f":%d},"nullCount":{"n":0,"seen":0,"s":0,"f":0}}`,
			i, i+1, long, i, i, i+1, long, i)
		sql := fmt.Sprintf("SELECT %d::BIGINT AS n, TIMESTAMPTZ '2026-01-0%d 00:00:00.000999+00' AS seen, '%szz' AS s, CASE WHEN %d = 1 THEN 'nan'::DOUBLE ELSE %d END AS f", i, i+1, long, i, i)
		actions = append(actions, l.add("t", fmt.Sprintf("%d.parquet", i), sql, object{"stats": stats}))
	}
	l.commit("t", 0, append(head(schema, nil), actions...)...)
	src := open(t, l.root)
	for where, want := range map[string][2]int64{ // files that may have rows, and rows
		"n = 1":               {1, 1},
		"n > 5":               {0, 0},
		"n IS NULL":           {0, 0},
		"f > 5":               {3, 1},
		"s > '" + long + "z'": {3, 3},
		"seen > TIMESTAMPTZ '2026-01-02 00:00:00.0005+00'": {2, 2},
		"seen < TIMESTAMPTZ '2026-01-02 00:00:00+00'":      {1, 1},
	} {
		scan := scanOf(t, src, "t", where)
		e, err := src.Estimate(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		read, rows := int64(0), int64(0)
		for _, a := range actions[:want[0]] {
			read += a["add"].(object)["size"].(int64)
		}
		text, err := enginetest.Text(src.Scan(t.Context(), scan))
		if text != "" {
			rows = int64(strings.Count(text, "\n")) + 1
		}
		if err != nil || rows != want[1] || *e.RowsLow > rows || *e.RowsHigh < rows || *e.RowsHigh != want[0] {
			t.Errorf("%s: %d rows, %v; the estimate is %d to %d; want %v", where, rows, err, *e.RowsLow, *e.RowsHigh, want)
		}
		if (*e.ScanBytes == 0) != (want[0] == 0) || want[0] == 3 && *e.ScanBytes != read {
			t.Errorf("%s: %d bytes are read, of %d", where, *e.ScanBytes, read)
		}
	}
}
