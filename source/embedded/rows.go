package embedded

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Rows runs one of our statements and passes on its rows one by one, as strings,
// int64s, bools and nils, which are all that our statements return.
func (s *Session) Rows(ctx context.Context, sql string, each func([]any) error) error {
	r, err := s.Query(ctx, sql)
	if err != nil {
		return err
	}
	return Each(r, each)
}

// Each passes on such rows of a reader, and releases it.
func Each(r array.RecordReader, each func([]any) error) (err error) {
	defer r.Release()
	for r.Next() {
		b := r.RecordBatch()
		row := make([]any, b.NumCols())
		for i := range int(b.NumRows()) {
			for c := range row {
				if row[c], err = value(b.Column(c), i); err != nil {
					return err
				}
			}
			if err := each(row); err != nil {
				return err
			}
		}
	}
	return r.Err()
}

func value(a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	switch a := a.(type) {
	case *array.String:
		return a.Value(i), nil
	case *array.LargeString:
		return a.Value(i), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Boolean:
		return a.Value(i), nil
	}
	return nil, fmt.Errorf("a statement returned %s", a.DataType())
}
