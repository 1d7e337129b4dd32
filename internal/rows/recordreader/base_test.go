package recordreader

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestTheLastReleaseFreesAll(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	builder := array.NewRecordBuilder(mem, schema)
	defer builder.Release()
	freed := 0
	var b Base
	b.Begin(schema, func() { freed++ })
	for range 2 { // the second takes the place of the first
		builder.Field(0).(*array.Int64Builder).Append(1)
		b.Set(builder.NewRecordBatch())
	}
	b.Retain()
	if b.Release(); freed != 0 || b.RecordBatch() == nil {
		t.Error("a reader was freed that is still referred to")
	}
	if b.Release(); freed != 1 || b.RecordBatch() != nil {
		t.Errorf("the last release freed %d times and left %v", freed, b.RecordBatch())
	}
}
