package arrowjson

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// bindNested returns nil for types without children.
func bindNested(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.Map: // before the lists, which it also is
		return mapping(a)
	case array.ListLike:
		return list(a)
	case *array.Struct:
		return object(a)
	case array.Union:
		return union(a)
	case *array.Dictionary:
		values := bind(arrow.Field{Type: a.Dictionary().DataType()}, a.Dictionary())
		return func(dst []byte, i int) ([]byte, Kind) { return values(dst, a.GetValueIndex(i)) }
	case *array.RunEndEncoded:
		values := bind(arrow.Field{Type: a.Values().DataType()}, a.Values())
		return func(dst []byte, i int) ([]byte, Kind) { return values(dst, a.GetPhysicalIndex(i)) }
	}
	return nil
}

func list(a array.ListLike) appender {
	items := Bind(a.DataType().(arrow.ListLikeType).ElemField(), a.ListValues())
	return func(dst []byte, i int) ([]byte, Kind) {
		return appendArray(dst, a, i, items.AppendJSON), JSON
	}
}

// appendArray writes the elements of list i, each by item.
func appendArray(dst []byte, a array.ListLike, i int, item func(dst []byte, j int) []byte) []byte {
	from, to := a.ValueOffsets(i)
	dst = append(dst, '[')
	for j := from; j < to; j++ {
		if j > from {
			dst = append(dst, ',')
		}
		dst = item(dst, int(j))
	}
	return append(dst, ']')
}

func object(a *array.Struct) appender {
	fields := a.DataType().(*arrow.StructType).Fields()
	columns := make([]*Column, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		columns[i], names[i] = Bind(f, a.Field(i)), f.Name
	}
	names, _ = Unique(names, nil)
	keys := quoteKeys(names)
	return func(dst []byte, i int) ([]byte, Kind) { return appendObject(dst, keys, columns, i), JSON }
}

// appendObject writes row i; keys are quoted and end with a colon.
func appendObject(dst []byte, keys []string, columns []*Column, i int) []byte {
	dst = append(dst, '{')
	for j, c := range columns {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, keys[j]...)
		dst = c.AppendJSON(dst, i)
	}
	return append(dst, '}')
}

func mapping(a *array.Map) appender {
	t := a.DataType().(*arrow.MapType)
	keys, items := Bind(t.KeyField(), a.Keys()), Bind(t.ItemField(), a.Items())
	if isText(t.KeyType()) {
		return textMap(a, keys, items)
	}
	pair, columns := quoteKeys([]string{"key", "value"}), []*Column{keys, items}
	return func(dst []byte, i int) ([]byte, Kind) {
		return appendArray(dst, a, i, func(dst []byte, j int) []byte { return appendObject(dst, pair, columns, j) }), JSON
	}
}

func textMap(a *array.Map, keys, items *Column) appender {
	var names []string
	var key []byte
	return func(dst []byte, i int) ([]byte, Kind) {
		from, to := a.ValueOffsets(i)
		names = names[:0]
		for j := from; j < to; j++ {
			key, _ = keys.AppendText(key[:0], int(j))
			names = append(names, string(key))
		}
		unique, _ := Unique(names, nil)
		dst = append(dst, '{')
		for j := from; j < to; j++ {
			if j > from {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, []byte(unique[j-from])), ':')
			dst = items.AppendJSON(dst, int(j))
		}
		return append(dst, '}'), JSON
	}
}

func isText(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

func union(a array.Union) appender {
	fields := a.UnionType().Fields()
	members := make([]appender, len(fields))
	for i, f := range fields {
		members[i] = bind(f, a.Field(i))
	}
	dense, isDense := a.(*array.DenseUnion)
	return func(dst []byte, i int) ([]byte, Kind) {
		member := members[a.ChildID(i)]
		if isDense {
			return member(dst, int(dense.ValueOffset(i)))
		}
		return member(dst, i)
	}
}
