package wire

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/words/printable"
)

// checkSchema refuses types that do not travel, and names and parameters with
// which a reader would stumble over the values.
func checkSchema(schema *arrow.Schema) error {
	if schema.NumFields() == 0 {
		return fmt.Errorf("the result has no columns")
	}
	for _, f := range schema.Fields() {
		if err := checkField(f); err != nil {
			return fmt.Errorf("column '%s': %w", printable.Line(f.Name), err)
		}
	}
	return nil
}

func checkField(f arrow.Field) error {
	if !utf8.ValidString(f.Name) {
		return fmt.Errorf("a name that is not UTF-8")
	}
	return checkType(f.Type)
}

func checkType(dt arrow.DataType) error {
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return checkType(dt.StorageType())
	case *arrow.DictionaryType:
		return checkType(dt.ValueType)
	case *arrow.RunEndEncodedType, *arrow.ListViewType, *arrow.LargeListViewType, *arrow.Float16Type:
		// The engine, too, takes no floats of 16 bits.
		return fmt.Errorf("type %s does not travel", dt)
	case arrow.DecimalType:
		if p, s := dt.GetPrecision(), dt.GetScale(); p < 1 || p > decimalDigits(dt.BitWidth()) || s < 0 || s > p {
			return fmt.Errorf("decimals of precision %d and scale %d do not exist", p, s)
		}
	case *arrow.FixedSizeBinaryType:
		if dt.ByteWidth < 1 {
			return fmt.Errorf("values of %d bytes do not exist", dt.ByteWidth)
		}
	case *arrow.FixedSizeListType:
		if dt.Len() < 0 {
			return fmt.Errorf("lists of %d elements do not exist", dt.Len())
		}
	}
	if nested, ok := dt.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if err := checkField(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasUnion reports whether a union is anywhere in the schema: the Arrow library
// fails to write those from the middle of a batch.
func hasUnion(schema *arrow.Schema) bool {
	var find func(dt arrow.DataType) bool
	find = func(dt arrow.DataType) bool {
		if _, ok := dt.(arrow.UnionType); ok {
			return true
		}
		if nested, ok := dt.(arrow.NestedType); ok {
			for _, f := range nested.Fields() {
				if find(f.Type) {
					return true
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(schema.Fields(), func(f arrow.Field) bool { return find(f.Type) })
}

func decimalDigits(bits int) int32 {
	switch bits {
	case 32:
		return 9
	case 64:
		return 18
	case 128:
		return 38
	}
	return 76
}
