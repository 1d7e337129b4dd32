package summary

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// flags counts booleans.
type flags struct{ yes, no int64 }

func (f *flags) add(arr arrow.Array) error {
	a := arr.(*array.Boolean)
	for i := range a.Len() {
		switch {
		case a.IsNull(i):
		case a.Value(i):
			f.yes++
		default:
			f.no++
		}
	}
	return nil
}

func (f *flags) finish(context.Context, *buffers) (Column, error) {
	return Column{Values: f.yes + f.no, Distinct: min(f.yes, 1) + min(f.no, 1), True: f.yes, False: f.no}, nil
}
