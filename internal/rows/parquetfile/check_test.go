package parquetfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
)

// written is what the engine writes of a statement's rows.
func written(t *testing.T, sql string) (file []byte, schema *arrow.Schema) {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var conns [2]*duckdb.Conn
	for i := range conns {
		if conns[i], err = db.Conn(); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conns[0].Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	var b bytes.Buffer
	if err := conns[1].PipeParquet(t.Context(), &b, rows, duckdb.Zstd); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), rows.Schema()
}

func check(file []byte, schema *arrow.Schema, rows int64) error {
	return parquetfile.Check(bytes.NewReader(file), int64(len(file)), parquetfile.Expected{Schema: schema, Rows: rows})
}

const allTypes = `SELECT i::TINYINT a, i::SMALLINT b, i::INTEGER c, i::BIGINT d, i::HUGEINT e, (i % 200)::UTINYINT f, i::USMALLINT g,
	i::UINTEGER h, i::UBIGINT j, i::FLOAT k, i::DOUBLE l, i % 2 = 0 AS m, i::DECIMAL(4,1) n, i::DECIMAL(12,2) o, i::DECIMAL(30,3) p,
	DATE '2024-01-01' + i::INTEGER q, TIME '10:00' r, TIMESTAMP '2024-01-01' s, TIMESTAMPTZ '2024-01-01 00:00:00+00' t,
	TIMESTAMP_NS '2024-01-01' u, 'text ' || i AS v, ('x' || i)::BLOB w, uuid() x, INTERVAL 1 DAY y, [i, i + 1] z,
	{'a': i, 'b': [{'c': 'x'}]} aa, MAP {'k': i} ab, CASE WHEN i % 3 = 0 THEN i END ac, (CASE WHEN i % 2 = 0 THEN 'on' ELSE 'off' END)::ENUM('on', 'off') ad,
	'{"a": 1}'::JSON ae, '101'::BIT af, TIMETZ '10:00:00+01' ag, TIMESTAMP_S '2024-01-01' ah, NULL ai, [1, 2, 3]::INTEGER[3] aj FROM range(100) t(i)`

func TestFilesOfOursAreSound(t *testing.T) {
	for sql, n := range map[string]int64{
		allTypes:                      100,
		"SELECT i FROM range(0) t(i)": 0,
		"SELECT [1, 2] AS l, MAP {'k': [3]} AS m":                      1,
		"SELECT i, i::VARCHAR s FROM range(500000) t(i)":               500_000,
		"SELECT repeat('wide', 300000) s FROM range(5)":                5,
		"SELECT NULL::INTEGER n FROM range(300000)":                    300_000,
		"SELECT i, repeat('x', 3000) || i AS s FROM range(60000) t(i)": 60_000,
	} {
		file, schema := written(t, sql)
		if err := errors.Join(check(file, schema, n), parquetfile.CheckLists(bytes.NewReader(file), int64(len(file)))); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestExtensionsAreTheEngines: a type that Arrow's library knows by name says that
// it is nested, whatever it stores.
func TestExtensionsAreTheEngines(t *testing.T) {
	file, schema := written(t, "SELECT uuid() AS id")
	field := schema.Field(0)
	field.Type = extensions.NewUUIDType()
	if err := check(file, arrow.NewSchema([]arrow.Field{field}, nil), 1); err != nil {
		t.Error(err)
	}
}

func TestAnotherFileIsSeen(t *testing.T) {
	file, schema := written(t, "SELECT i AS id, 'x' || i AS name FROM range(1000) t(i)")
	other := func(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }
	id, name := schema.Field(0), schema.Field(1)
	renamed := id
	renamed.Name = "other"
	for what, want := range map[string]*arrow.Schema{
		"a column less": other(id), "a column more": other(id, name, name), "another order": other(name, id),
		"another name": other(renamed, name), "another type": other(arrow.Field{Name: "id", Type: arrow.BinaryTypes.String}, name),
		"a list": other(arrow.Field{Name: "id", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}, name),
	} {
		if err := check(file, want, 1000); err == nil {
			t.Errorf("%s is not seen", what)
		}
	}
	if err := check(file, schema, 999); err == nil {
		t.Error("another number of rows is not seen")
	}
	for n := range len(file) {
		if err := check(file[:n], schema, 1000); err == nil {
			t.Fatalf("a file of %d bytes of %d is sound", n, len(file))
		}
	}
	// The footer of another file with the same columns.
	longer, _ := written(t, "SELECT i AS id, 'a longer text ' || i AS name FROM range(1000) t(i)")
	if err := check(append(append([]byte{}, file[:len(file)-footerLen(file)]...), longer[len(longer)-footerLen(longer):]...), schema, 1000); err == nil {
		t.Error("the footer of another file is not seen")
	}
}

func footerLen(file []byte) int { return int(binary.LittleEndian.Uint32(file[len(file)-8:])) + 8 }

// TestDamagedFootersTakeNoMemory changes bytes of the footer and of headers of
// pages: what is wrong is an error, and nothing takes much memory or time.
func TestDamagedFootersTakeNoMemory(t *testing.T) {
	file, schema := written(t, allTypes)
	start := len(file) - footerLen(file)
	r := rand.New(rand.NewPCG(1, 2))
	var before, after runtime.MemStats
	for i := range 20_000 {
		damaged := bytes.Clone(file)
		for range 1 + i%3 {
			at := start + r.IntN(len(file)-start)
			if i%4 == 0 {
				at = r.IntN(start)
			}
			damaged[at] = byte(r.Uint32())
		}
		runtime.ReadMemStats(&before)
		_ = check(damaged, schema, 100) // must return
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Fatalf("round %d took %d MB", i, n>>20)
		}
	}
}

// TestFootersTakeLittleMemory: a list of empty structs takes one byte of the footer
// each.
func TestFootersTakeLittleMemory(t *testing.T) {
	const n = 8 << 20
	list := func(id byte) []byte {
		return append(binary.AppendUvarint([]byte{id<<4 | 9, 0xf0 | 12}, n), make([]byte, n)...)
	}
	for what, meta := range map[string][]byte{
		"elements": append(list(2), 0),
		"groups":   append(list(4), 0),
		"chunks":   append([]byte{4<<4 | 9, 1<<4 | 12}, append(list(1), 0, 0)...),
	} {
		file := append([]byte("PAR1"), meta...)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(meta))), "PAR1"...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := parquetfile.Check(bytes.NewReader(file), int64(len(file)), parquetfile.Expected{Schema: arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 3*uint64(len(file)) {
			t.Errorf("%s: %v, %d MB for a footer of %d", what, err, took>>20, len(meta)>>20)
		}
	}
}

// TestBombsAreRefused makes files whose parts unfold to far more than they are.
func TestBombsAreRefused(t *testing.T) {
	file, schema := written(t, "SELECT 1 AS n FROM range(1000)")
	length := footerLen(file)
	footer := file[len(file)-length : len(file)-8]
	i := bytes.Index(footer, []byte{0xd0, 0x0f}) // 1000, as Thrift writes it
	if i < 0 {
		t.Fatal("the number of rows is not found")
	}
	claims := bytes.ReplaceAll(footer, []byte{0xd0, 0x0f}, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x20}) // 2^39
	bomb := append(bytes.Clone(file[:len(file)-length]), claims...)
	bomb = binary.LittleEndian.AppendUint32(bomb, uint32(len(claims)))
	bomb = append(bomb, "PAR1"...)
	if err := check(bomb, schema, 1<<39); err == nil {
		t.Error("2^39 rows in a few bytes are sound")
	}
	long := binary.LittleEndian.AppendUint32(append([]byte("PAR1"), make([]byte, 100)...), 1<<31)
	if err := check(append(long, "PAR1"...), schema, 0); err == nil {
		t.Error("a footer of 2 GiB is sound")
	}
}

func TestAFileOnDiskIsCheckedWhereItLies(t *testing.T) {
	file, schema := written(t, "SELECT 1 AS n")
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := parquetfile.Check(f, int64(len(file)), parquetfile.Expected{Schema: schema, Rows: 1}); err != nil {
		t.Error(err)
	}
	if err := parquetfile.Check(f, int64(len(file))+4, parquetfile.Expected{Schema: schema, Rows: 1}); err == nil {
		t.Error("a file that is shorter than was said is sound")
	}
}
