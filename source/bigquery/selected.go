package bigquery

import (
	"slices"
	"strings"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
)

// asSelected refuses a result whose columns differ by name or type from those
// selected. Then the table has changed since it was described, or a name in the
// statement has another meaning than intended, so the result may contain more than
// the caller may read. If selected is nil, any columns are accepted.
func asSelected(selected []*column, s *arrow.Schema) error {
	ok := len(selected) == s.NumFields() || selected == nil
	for i := 0; ok && i < len(selected); i++ {
		c, f := selected[i], s.Field(i)
		// BigQuery may rename a column that is selected twice.
		ok = strings.EqualFold(f.Name, c.Name) || slices.Contains(selected[:i], c)
		if c.warning != "" {
			ok = ok && isText(f.Type)
		} else {
			ok = ok && holds(f.Type, c.field, c.field.Repeated)
		}
	}
	if ok {
		return nil
	}
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindSchemaChanged,
		Message: "the columns of the result are not those that were selected: the table has changed",
		Hint:    "Try again: the table is described anew."}
}

// holds reports whether an Arrow type can hold the values of a field.
func holds(t arrow.DataType, f *bigquery.FieldSchema, repeated bool) bool {
	if repeated {
		list, ok := t.(arrow.ListLikeType)
		return ok && holds(list.Elem(), f, false)
	}
	switch f.Type {
	case bigquery.RecordFieldType:
		s, ok := t.(*arrow.StructType)
		ok = ok && s.NumFields() == len(f.Schema)
		for i := 0; ok && i < len(f.Schema); i++ {
			sub := f.Schema[i]
			ok = strings.EqualFold(s.Field(i).Name, sub.Name) && holds(s.Field(i).Type, sub, sub.Repeated)
		}
		return ok
	case bigquery.TimestampFieldType, bigquery.DateTimeFieldType:
		at, ok := t.(*arrow.TimestampType)
		return ok && (at.TimeZone == "") == (f.Type == bigquery.DateTimeFieldType)
	case bigquery.BytesFieldType:
		return arrow.IsBaseBinary(t.ID()) && !isText(t) || t.ID() == arrow.BINARY_VIEW
	}
	if id, ok := holders[f.Type]; ok {
		return t.ID() == id
	}
	return isText(t)
}

// holders are the Arrow types of BigQuery's types. All others are text.
var holders = map[bigquery.FieldType]arrow.Type{
	bigquery.IntegerFieldType: arrow.INT64, bigquery.FloatFieldType: arrow.FLOAT64, bigquery.BooleanFieldType: arrow.BOOL,
	bigquery.DateFieldType: arrow.DATE32, bigquery.TimeFieldType: arrow.TIME64, bigquery.NumericFieldType: arrow.DECIMAL128,
}

func isText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}
