package duckdb

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// The engine's lossless conversion turns BOOLEAN into arrow.bool8: one byte each,
// which clients that do not know the extension show as a number. Streams use
// Arrow's own bool instead, at any depth.

const (
	extensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
	bool8             = "arrow.bool8"
)

// plainField returns the field with all bool8 in it replaced; seen is the same
// field as the engine described it.
func plainField(f arrow.Field, seen schemaNode) arrow.Field {
	if isBool8(f) {
		f.Type = arrow.FixedWidthTypes.Boolean
		f.Metadata = arrow.Metadata{}
		return f
	}
	switch t := f.Type.(type) {
	case *arrow.ListType:
		f.Type = arrow.ListOfField(plainField(t.ElemField(), seen.children[0]))
	case *arrow.FixedSizeListType:
		f.Type = arrow.FixedSizeListOfField(t.Len(), plainField(t.ElemField(), seen.children[0]))
	case *arrow.StructType:
		f.Type = arrow.StructOf(plainFields(t.Fields(), seen)...)
	case *arrow.SparseUnionType:
		f.Type = arrow.SparseUnionOf(plainFields(t.Fields(), seen), t.TypeCodes())
	case *arrow.MapType:
		pair := seen.children[0].children
		m := arrow.MapOfFields(
			plainField(pair[0].field(t.KeyType()), pair[0]),
			plainField(pair[1].field(t.ItemType()), pair[1]))
		m.KeysSorted = t.KeysSorted
		f.Type = m
	}
	return f
}

func plainFields(fields []arrow.Field, seen schemaNode) []arrow.Field {
	plain := make([]arrow.Field, len(fields))
	for i, f := range fields {
		plain[i] = plainField(f, seen.children[i])
	}
	return plain
}

// isBool8 also recognises the type if some package has registered it.
func isBool8(f arrow.Field) bool {
	if t, ok := f.Type.(arrow.ExtensionType); ok {
		return t.ExtensionName() == bool8
	}
	name, _ := f.Metadata.GetValue(extensionName)
	return name == bool8
}

// plainArray returns an array of type to over the raw data.
func plainArray(raw arrow.ArrayData, to arrow.DataType) arrow.Array {
	data := plainData(raw, to)
	defer data.Release()
	return array.MakeFromData(data)
}

func plainData(raw arrow.ArrayData, to arrow.DataType) arrow.ArrayData {
	if to.ID() == arrow.BOOL {
		return bitmapOf(raw)
	}
	children := make([]arrow.ArrayData, len(raw.Children()))
	for i, c := range raw.Children() {
		children[i] = plainData(c, childType(to, i))
	}
	plain := array.NewData(to, raw.Len(), raw.Buffers(), children, raw.NullN(), raw.Offset())
	for _, c := range children {
		c.Release()
	}
	if dict := dictionary(raw); dict != nil {
		plain.SetDictionary(dict)
	}
	return plain
}

func childType(t arrow.DataType, i int) arrow.DataType {
	if m, ok := t.(*arrow.MapType); ok {
		return m.Elem()
	}
	if n, ok := t.(arrow.NestedType); ok {
		return n.Fields()[i].Type
	}
	return t
}

// bitmapOf packs the bytes of a bool8.
func bitmapOf(raw arrow.ArrayData) arrow.ArrayData {
	offset, n := raw.Offset(), raw.Len()
	bits := goMemory().Allocate((offset + n + 7) / 8)
	if n > 0 {
		for i, b := range raw.Buffers()[1].Bytes()[offset : offset+n] {
			if b != 0 {
				bits[(offset+i)/8] |= 1 << ((offset + i) % 8)
			}
		}
	}
	buffers := []*memory.Buffer{raw.Buffers()[0], memory.NewBufferBytes(bits)}
	return array.NewData(arrow.FixedWidthTypes.Boolean, n, buffers, nil, raw.NullN(), offset)
}
