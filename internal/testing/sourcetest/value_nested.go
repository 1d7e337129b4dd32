package sourcetest

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// cell reads one value whose kind shows in more than the storage of its array.
func cell(kind Kind, field arrow.Field, a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	name, _ := field.Metadata.GetValue("ARROW:extension:name")
	if x, ok := a.(array.ExtensionArray); ok {
		name, a = x.ExtensionType().ExtensionName(), x.Storage()
	}
	switch kind {
	case Interval:
		return span(a, i)
	case UUID:
		if a, ok := a.(*array.FixedSizeBinary); ok && name == "arrow.uuid" && len(a.Value(i)) == 16 {
			h := hex.EncodeToString(a.Value(i))
			return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
		}
		return nil, unlike(a)
	case JSON:
		if name != "arrow.json" {
			return nil, fmt.Errorf("it is not arrow.json but %s", a.DataType())
		}
		return text(Text, a, i)
	case Ints, Texts:
		return elements(map[Kind]Kind{Ints: Int, Texts: Text}[kind], a, i)
	case Record:
		return members(a, i)
	}
	return value(kind, a, i)
}

func elements(kind Kind, a arrow.Array, i int) (any, error) {
	list, ok := a.(array.ListLike)
	if !ok {
		return nil, unlike(a)
	}
	out := []any{}
	from, to := list.ValueOffsets(i)
	for k := from; k < to; k++ {
		v, err := value(kind, list.ListValues(), int(k))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func members(a arrow.Array, i int) (any, error) {
	record, ok := a.(*array.Struct)
	if !ok || record.NumField() != 2 {
		return nil, unlike(a)
	}
	t := record.DataType().(*arrow.StructType)
	if t.Field(0).Name != "a" || t.Field(1).Name != "b" {
		return nil, unlike(a)
	}
	n, err := value(Int, record.Field(0), i)
	if err != nil {
		return nil, err
	}
	b, err := value(Text, record.Field(1), i)
	return []any{n, b}, err
}

// span reads an interval, or a text that the query engine reads as one.
func span(a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return Span{Months: v.Months, Days: v.Days, Micros: v.Nanoseconds / 1000}, nil
	case *array.String:
		return parseSpan(a.Value(i))
	}
	return nil, unlike(a)
}

func parseSpan(text string) (any, error) {
	j, err := judging()
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var months, days, micros int64
	sql := `SELECT datepart('year', i) * 12 + datepart('month', i), datepart('day', i),
		datepart('hour', i) * 3600000000 + datepart('minute', i) * 60000000 + datepart('microsecond', i)
		FROM (SELECT CAST(` + duckdb.Literal(text) + ` AS INTERVAL) AS i)`
	if err := j.conn.QueryRow(context.Background(), sql, nil, &months, &days, &micros); err != nil {
		return nil, fmt.Errorf("%q is not an interval: %w", text, err)
	}
	return Span{Months: int32(months), Days: int32(days), Micros: micros}, nil
}

func equalParts(kind Kind, a, b any) bool {
	if kind != JSON {
		return reflect.DeepEqual(a, b)
	}
	x, okX := a.(string)
	y, okY := b.(string)
	return okX && okY && reflect.DeepEqual(parsed(x), parsed(y))
}

func parsed(text string) any {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	return v
}
