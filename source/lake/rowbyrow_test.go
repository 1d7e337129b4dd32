package lake

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	written "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// TestNoFloatIsPassedOver: what other programs' files say of their floats leaves
// out NaN, and tells -0.0 from 0.0; a condition selects such rows all the same, in
// scans, rules and statements.
func TestNoFloatIsPassedOver(t *testing.T) {
	f := newFolder(t)
	f.write(t, "arrow.parquet", string(floatsByArrow(t)))
	values := "(['1', '2', 'NaN', '0', '-0.0', '5', '6', '7', '8', '9']::DOUBLE[])"
	f.copy(t, "engine.parquet", fmt.Sprintf("SELECT i %% 10 AS k, %s[i %% 10 + 1] AS x, %[1]s[i %% 10 + 1]::FLOAT AS f FROM range(20000) t(i) ORDER BY i // 4000, CASE WHEN i // 4000 %% 2 = 0 THEN i ELSE -i END", values), "ROW_GROUP_SIZE 4000")
	for _, name := range []string{"arrow.parquet", "engine.parquet"} {
		for where, keys := range map[string]string{
			"x = 0": "3 4", "x = -0.0": "3 4", "f = 0": "3 4", "x > 100": "2", "x >= 9": "2 9", "f > 100": "2", "x = CAST('NaN' AS DOUBLE)": "2",
			"NOT x <= 8": "2 9", "x <> 1 AND x > 8": "2 9", "x < 1": "3 4", "x BETWEEN 0 AND 1": "0 3 4",
		} {
			parsed := f.where(t, name, where)
			scan := source.Scan{Relation: source.Relation{Name: name}, Select: []string{"k"}, Where: parsed}
			hidden := source.Scan{Relation: source.Relation{Name: name, Columns: []string{"k"}, Rule: parsed}, Select: []string{"k"}}
			traced := scan
			traced.Traced = true
			for what, scan := range map[string]source.Scan{"scan": scan, "rule": hidden, "traced": traced} {
				if got := keysOf(f.rows(t, scan)); got != keys {
					t.Errorf("%s, %s: %s has the rows of %s, and should have those of %s", name, where, what, got, keys)
				}
			}
			text, err := print.SQL(predicate.DuckDB, parsed, predicate.Env{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.lake.Query(t.Context(), "SELECT k FROM t WHERE "+text, map[string]source.Relation{"t": {Name: name}})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := enginetest.Rows(r)
			if got := keysOf(rows); err != nil || got != keys {
				t.Errorf("%s, %s: a statement has the rows of %s, %v, and should have those of %s", name, where, got, err, keys)
			}
		}
	}
}

// keysOf returns the different rows, provided that each stands for a tenth of all.
func keysOf(rows []string) string {
	n := map[string]int{}
	for _, r := range rows {
		n[r]++
	}
	var keys []string
	for k := range 10 {
		switch k := fmt.Sprint(k); n[k] {
		case 0:
		case 2000:
			keys = append(keys, k)
		default:
			keys = append(keys, fmt.Sprintf("%s (%d)", k, n[k]))
		}
	}
	return strings.Join(keys, " ")
}

// floatsByArrow is a file by a writer that follows the format: its statistics have
// no NaN.
func floatsByArrow(t *testing.T) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "f", Type: arrow.PrimitiveTypes.Float32}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	for i := range 20_000 {
		x := []float64{1, 2, math.NaN(), 0, math.Copysign(0, -1), 5, 6, 7, 8, 9}[i%10]
		b.Field(0).(*array.Int64Builder).Append(int64(i % 10))
		b.Field(1).(*array.Float64Builder).Append(x)
		b.Field(2).(*array.Float32Builder).Append(float32(x))
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, written.NewWriterProperties(written.WithMaxRowGroupLength(4000), written.WithStats(true)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(b.NewRecordBatch())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNoBytesArePassedOver: the engine asks its own Bloom filters for the text of
// bytes.
func TestNoBytesArePassedOver(t *testing.T) {
	f := newFolder(t)
	values := `['\x00', '\xFF\x00', 'ab']::BLOB[]`
	f.copy(t, "b.parquet", "SELECT i % 3 AS k, ("+values+")[i % 3 + 1] AS b FROM range(300) t(i)", "ROW_GROUP_SIZE 2048")
	for where, want := range map[string]int{
		`b = '\x00'`: 100, `b = '\xFF\x00'`: 100, `b = 'ab'`: 100, `NOT (b <> '\x00')`: 100, `b IN ('\x00', '\xFF\x00')`: 200, `b <> '\x00'`: 200,
		`b = '\x01'`: 0,
	} {
		parsed := f.where(t, "b.parquet", where)
		scan := source.Scan{Relation: source.Relation{Name: "b.parquet"}, Select: []string{"k"}, Where: parsed}
		hidden := source.Scan{Relation: source.Relation{Name: "b.parquet", Columns: []string{"k"}, Rule: parsed}, Select: []string{"k"}}
		for what, scan := range map[string]source.Scan{"scan": scan, "rule": hidden} {
			if got := len(f.rows(t, scan)); got != want {
				t.Errorf("%s: %s has %d rows, want %d", where, what, got, want)
			}
		}
		r, err := f.lake.Query(t.Context(), "SELECT k FROM t WHERE "+where, map[string]source.Relation{"t": {Name: "b.parquet"}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := enginetest.Rows(r); err != nil || len(rows) != want {
			t.Errorf("%s: a statement has %d rows, %v, want %d", where, len(rows), err, want)
		}
	}
}
