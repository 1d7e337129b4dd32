package flighttest

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// kind is how the values of a type travel: what Arrow calls it, and what appends
// a value that the engine has written as text.
type kind struct {
	arrow arrow.DataType
	add   func(b array.Builder, text string) error
}

// kinds are the types that Arrow has, too.
var kinds = map[uint32]kind{
	pgtype.BoolOID:    {arrow.FixedWidthTypes.Boolean, func(b array.Builder, s string) error { b.(*array.BooleanBuilder).Append(s == "t"); return nil }},
	pgtype.Int2OID:    {arrow.PrimitiveTypes.Int16, parsed},
	pgtype.Int4OID:    {arrow.PrimitiveTypes.Int32, parsed},
	pgtype.Int8OID:    {arrow.PrimitiveTypes.Int64, parsed},
	pgtype.Float4OID:  {arrow.PrimitiveTypes.Float32, float},
	pgtype.Float8OID:  {arrow.PrimitiveTypes.Float64, float},
	pgtype.TextOID:    {arrow.BinaryTypes.String, text},
	pgtype.VarcharOID: {arrow.BinaryTypes.String, text},
	pgtype.BPCharOID:  {arrow.BinaryTypes.String, text},
	pgtype.NameOID:    {arrow.BinaryTypes.String, text},
	pgtype.ByteaOID: {arrow.BinaryTypes.Binary, func(b array.Builder, s string) error {
		v, err := hex.DecodeString(strings.TrimPrefix(s, `\x`))
		b.(*array.BinaryBuilder).Append(v)
		return err
	}},
	pgtype.DateOID: {arrow.FixedWidthTypes.Date32, func(b array.Builder, s string) error {
		v, err := moment(pgtype.DateOID, s)
		b.(*array.Date32Builder).Append(arrow.Date32(v.Unix() / 86400))
		return err
	}},
	pgtype.TimeOID: {arrow.FixedWidthTypes.Time64us, func(b array.Builder, s string) error {
		var v pgtype.Time
		err := v.Scan(s)
		b.(*array.Time64Builder).Append(arrow.Time64(v.Microseconds))
		return err
	}},
	pgtype.TimestampOID:   {&arrow.TimestampType{Unit: arrow.Microsecond}, stamp(pgtype.TimestampOID)},
	pgtype.TimestamptzOID: {&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, stamp(pgtype.TimestamptzOID)},
	pgtype.IntervalOID: {arrow.FixedWidthTypes.MonthDayNanoInterval, func(b array.Builder, s string) error {
		var v pgtype.Interval
		err := v.Scan(s)
		b.(*array.MonthDayNanoIntervalBuilder).Append(arrow.MonthDayNanoInterval{Months: v.Months, Days: v.Days, Nanoseconds: v.Microseconds * 1000})
		return err
	}},
	pgtype.UUIDOID: {extensions.NewUUIDType(), func(b array.Builder, s string) error {
		v, err := uuid.Parse(s)
		b.(*extensions.UUIDBuilder).Append(v)
		return err
	}},
	pgtype.JSONOID:      {jsonType(), text},
	pgtype.JSONBOID:     {jsonType(), text},
	pgtype.Int8ArrayOID: {arrow.ListOf(arrow.PrimitiveTypes.Int64), list},
	pgtype.Int4ArrayOID: {arrow.ListOf(arrow.PrimitiveTypes.Int32), list},
	pgtype.TextArrayOID: {arrow.ListOf(arrow.BinaryTypes.String), list},
}

func jsonType() arrow.DataType {
	t, err := extensions.NewJSONType(arrow.BinaryTypes.String)
	if err != nil {
		panic(err) // strings can hold it
	}
	return t
}

func parsed(b array.Builder, s string) error { return b.AppendValueFromString(s) }

func text(b array.Builder, s string) error {
	if e, ok := b.(*array.ExtensionBuilder); ok {
		b = e.StorageBuilder()
	}
	b.(*array.StringBuilder).Append(s)
	return nil
}

func float(b array.Builder, s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if narrow, ok := b.(*array.Float32Builder); ok {
		narrow.Append(float32(v))
	} else {
		b.(*array.Float64Builder).Append(v)
	}
	return err
}

// moment reads a date or a time stamp; Arrow has no infinite ones.
func moment(oid uint32, s string) (time.Time, error) {
	var v time.Time
	err := pgtype.NewMap().Scan(oid, pgx.TextFormatCode, []byte(s), &v)
	return v, err
}

func stamp(oid uint32) func(array.Builder, string) error {
	return func(b array.Builder, s string) error {
		v, err := moment(oid, s)
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro()))
		return err
	}
}

// list reads an array of one dimension.
func list(b array.Builder, s string) error {
	var values []*string
	if err := pgtype.NewMap().Scan(pgtype.TextArrayOID, pgx.TextFormatCode, []byte(s), &values); err != nil {
		return err
	}
	l := b.(*array.ListBuilder)
	l.Append(true)
	for _, v := range values {
		if v == nil {
			l.ValueBuilder().AppendNull()
		} else if err := l.ValueBuilder().AppendValueFromString(*v); err != nil {
			return err
		}
	}
	return nil
}

// describe finds how columns travel. What Arrow has no type for is told as
// opaque, as drivers do.
func describe(columns []pgconn.FieldDescription) ([]kind, *arrow.Schema) {
	found, fields := make([]kind, len(columns)), make([]arrow.Field, len(columns))
	for i, c := range columns {
		k, ok := kinds[c.DataTypeOID]
		if precision, scale := (c.TypeModifier-4)>>16&0xffff, (c.TypeModifier-4)&0x7ff; c.DataTypeOID == pgtype.NumericOID && c.TypeModifier >= 4 && precision <= 38 {
			k, ok = decimal(precision, scale), true
		}
		if !ok {
			k = kind{extensions.NewOpaqueType(arrow.BinaryTypes.String, fmt.Sprint(c.DataTypeOID), "PostgreSQL"), text}
		}
		found[i], fields[i] = k, arrow.Field{Name: c.Name, Type: k.arrow, Nullable: true}
	}
	return found, arrow.NewSchema(fields, nil)
}

func decimal(precision, scale int32) kind {
	return kind{&arrow.Decimal128Type{Precision: precision, Scale: scale}, func(b array.Builder, s string) error {
		v, err := decimal128.FromString(s, precision, scale)
		b.(*array.Decimal128Builder).Append(v)
		return err
	}}
}
