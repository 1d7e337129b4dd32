package bigquery

import (
	"fmt"
	"math/big"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// rows builds a batch of the values that BigQuery lists as JSON. Its types are
// those of a scan of the same columns.
type rows struct {
	columns []*column
	at      []int // the position of each in a listed row
	b       *array.RecordBuilder
}

func newRows(t *table, columns []*column) *rows {
	r := &rows{columns: columns}
	var fields []arrow.Field
	for _, c := range columns {
		for i := range t.columns {
			if t.columns[i].Name == c.Name {
				r.at = append(r.at, i)
			}
		}
		f := arrow.Field{Name: c.Name, Type: arrow.BinaryTypes.String, Nullable: true}
		if c.warning == "" {
			f = arrowField(c.field)
		}
		fields = append(fields, f)
	}
	r.b = array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	return r
}

func (r *rows) release() { r.b.Release() }

// scalarTypes are the Arrow types of values that BigQuery sends unchanged.
var scalarTypes = map[bigquery.FieldType]arrow.DataType{
	bigquery.IntegerFieldType: arrow.PrimitiveTypes.Int64, bigquery.FloatFieldType: arrow.PrimitiveTypes.Float64,
	bigquery.BooleanFieldType: arrow.FixedWidthTypes.Boolean, bigquery.BytesFieldType: arrow.BinaryTypes.Binary,
	bigquery.DateFieldType: arrow.FixedWidthTypes.Date32, bigquery.TimeFieldType: arrow.FixedWidthTypes.Time64us,
	bigquery.DateTimeFieldType:  &arrow.TimestampType{Unit: arrow.Microsecond},
	bigquery.TimestampFieldType: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	bigquery.NumericFieldType:   &arrow.Decimal128Type{Precision: 38, Scale: 9},
}

func arrowField(f *bigquery.FieldSchema) arrow.Field {
	out := arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}
	if t, ok := scalarTypes[f.Type]; ok {
		out.Type = t
	}
	if f.Type == bigquery.RecordFieldType {
		var fields []arrow.Field
		for _, sub := range f.Schema {
			fields = append(fields, arrowField(sub))
		}
		out.Type = arrow.StructOf(fields...)
	}
	if f.Repeated {
		out.Type = arrow.ListOf(out.Type)
	}
	if f.Type == bigquery.JSONFieldType && !f.Repeated {
		out.Metadata = jsonMark
	}
	return out
}

// add appends a listed row.
func (r *rows) add(t *table, row []bigquery.Value) error {
	if len(row) != len(t.columns) {
		return fmt.Errorf("a row of %d values, not %d", len(row), len(t.columns))
	}
	for i, c := range r.columns {
		v := row[r.at[i]]
		if c.warning != "" && v != nil {
			v = text(c, v)
		}
		if err := appendValue(r.b.Field(i), v); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// text writes a value that becomes text, as a scan would.
func text(c *column, v bigquery.Value) string {
	if c.field.Repeated || c.field.Type == bigquery.RecordFieldType {
		return jsonText(c.field, v)
	}
	switch v := v.(type) {
	case *big.Rat:
		digits, _ := v.FloatPrec()
		return v.FloatString(digits)
	case *bigquery.IntervalValue:
		micros := ((int64(v.Hours)*60+int64(v.Minutes))*60+int64(v.Seconds))*1_000_000 + int64(v.SubSecondNanos)/1000
		return fmt.Sprintf("%d months %d days %d microseconds", v.Years*12+v.Months, v.Days, micros)
	}
	return fmt.Sprint(v)
}

func appendValue(b array.Builder, v bigquery.Value) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	ok := true
	switch b := b.(type) {
	case *array.ListBuilder:
		list, isList := v.([]bigquery.Value)
		b.Append(true)
		for _, e := range list {
			if err := appendValue(b.ValueBuilder(), e); err != nil {
				return err
			}
		}
		ok = isList
	case *array.StructBuilder:
		members, isStruct := v.([]bigquery.Value)
		if !isStruct || len(members) != b.NumField() {
			return fmt.Errorf("a value is %T", v)
		}
		b.Append(true)
		for i, m := range members {
			if err := appendValue(b.FieldBuilder(i), m); err != nil {
				return err
			}
		}
	case *array.StringBuilder:
		var s string
		s, ok = v.(string)
		b.Append(s)
	case *array.Int64Builder:
		var n int64
		n, ok = v.(int64)
		b.Append(n)
	case *array.Float64Builder:
		var f float64
		f, ok = v.(float64)
		b.Append(f)
	case *array.BooleanBuilder:
		var yes bool
		yes, ok = v.(bool)
		b.Append(yes)
	case *array.BinaryBuilder:
		var bytes []byte
		bytes, ok = v.([]byte)
		b.Append(bytes)
	default:
		return appendMoment(b, v)
	}
	if !ok {
		return fmt.Errorf("a value is %T", v)
	}
	return nil
}

func appendMoment(b array.Builder, v bigquery.Value) error {
	switch b := b.(type) {
	case *array.Date32Builder:
		if d, ok := v.(civil.Date); ok {
			b.Append(arrow.Date32FromTime(d.In(time.UTC)))
			return nil
		}
	case *array.Time64Builder:
		if t, ok := v.(civil.Time); ok {
			b.Append(arrow.Time64(int64(t.Hour)*3600e6 + int64(t.Minute)*60e6 + int64(t.Second)*1e6 + int64(t.Nanosecond)/1000))
			return nil
		}
	case *array.TimestampBuilder:
		switch t := v.(type) {
		case civil.DateTime:
			b.Append(arrow.Timestamp(t.In(time.UTC).UnixMicro()))
			return nil
		case time.Time:
			b.Append(arrow.Timestamp(t.UnixMicro()))
			return nil
		}
	case *array.Decimal128Builder:
		if r, ok := v.(*big.Rat); ok {
			scaled := new(big.Rat).Mul(r, big.NewRat(1_000_000_000, 1))
			if scaled.IsInt() {
				b.Append(decimal128.FromBigInt(scaled.Num()))
				return nil
			}
		}
	}
	return fmt.Errorf("a value is %T", v)
}

func (r *rows) reader() (array.RecordReader, error) {
	batch := r.b.NewRecordBatch()
	defer batch.Release()
	return array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
}

// inMemory keeps the rows of a small result in memory.
func inMemory(r array.RecordReader) (array.RecordReader, error) {
	var batches []arrow.RecordBatch
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		batches = append(batches, b)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return array.NewRecordReader(r.Schema(), batches)
}
