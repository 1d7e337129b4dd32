package canonical

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

var flat = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32,
	arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time64us,
	arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.MonthDayNanoInterval,
	&arrow.Decimal128Type{Precision: 20, Scale: 2}, &arrow.Decimal256Type{Precision: 50, Scale: 2},
	&arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.FixedSizeBinaryType{ByteWidth: 16},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeBinary,
	arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView, arrow.Null, extensions.NewUUIDType(),
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String},
}

// anyType makes a type of at most so many levels.
func anyType(r *rand.Rand, depth int) arrow.DataType {
	field := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: anyType(r, depth-1), Nullable: r.IntN(4) > 0}
	}
	kind := 7
	if depth > 0 {
		kind = r.IntN(9)
	}
	switch kind {
	case 0:
		return arrow.ListOfField(field("item"))
	case 1:
		return arrow.LargeListOfField(field("item"))
	case 2:
		return arrow.FixedSizeListOfField(int32(1+r.IntN(3)), field("item"))
	case 3:
		return arrow.StructOf(field("a"), field("b"))
	case 4:
		return arrow.MapOf(arrow.BinaryTypes.String, anyType(r, depth-1))
	case 5:
		return arrow.SparseUnionOf([]arrow.Field{field("x"), field("y")}, []arrow.UnionTypeCode{3, 1})
	case 6:
		return arrow.DenseUnionOf([]arrow.Field{field("x"), field("y")}, []arrow.UnionTypeCode{2, 5})
	}
	return flat[r.IntN(len(flat))]
}

// TestBytesComeFromRowsAlone makes the same rows of random types with different
// bytes under NULLs, in gaps, behind values and at other offsets: what is sent
// is the same, byte for byte, and says what the rows say.
func TestBytesComeFromRowsAlone(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	for i := range uint64(rounds) {
		dt := anyType(rand.New(rand.NewPCG(i, 0)), int(i%4))
		n := int(i % 70)
		var sent [2][]byte
		for k := range sent {
			m := maker{rand.New(rand.NewPCG(i, 1)), rand.New(rand.NewPCG(i, uint64(2+k)))}
			data := m.array(dt, n, true, func(int) bool { return true })
			given := batchOf(array.MakeFromData(data))
			made, err := Batch(given)
			if err != nil {
				t.Fatalf("round %d: %s: %v", i, dt, err)
			}
			for row := range n {
				if want, got := given.Column(0).ValueStr(row), made.Column(0).ValueStr(row); got != want {
					t.Fatalf("round %d: %s: row %d was %s and is %s", i, dt, row, want, got)
				}
			}
			sent[k] = written(t, made)
			if again, err := Batch(made); err != nil || !bytes.Equal(written(t, again), sent[k]) {
				t.Fatalf("round %d: %s: the canonical form has another one: %v", i, dt, err)
			}
		}
		if !bytes.Equal(sent[0], sent[1]) {
			t.Fatalf("round %d: %d rows of %s are sent in two ways", i, n, dt)
		}
	}
}

func batchOf(a arrow.Array) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len()))
}

func written(t *testing.T, b arrow.RecordBatch) []byte {
	t.Helper()
	var to bytes.Buffer
	w := ipc.NewWriter(&to, ipc.WithSchema(b.Schema()))
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}
