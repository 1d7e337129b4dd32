package parquetwriter

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// flags is a column of booleans.
type flags struct {
	leaf
	validity
	n, set int
	values []byte // a bit each
}

func (f *flags) add(arr arrow.Array, from, end int) error {
	f.validity.add(arr, from, end)
	a := arr.(*array.Boolean)
	eachValidRange(arr, from, end, func(from, end int) {
		for i := from; i < end; i++ {
			if f.n%8 == 0 {
				f.values = append(f.values, 0)
			}
			if a.Value(i) {
				bitutil.SetBit(f.values, f.n)
				f.set++
			}
			f.n++
		}
	})
	return nil
}

func (f *flags) encode(s *scratch, c *chunk) {
	if f.n > 0 {
		c.least, c.most = []byte{0}, []byte{1}
		if f.set == f.n {
			c.least = c.most
		} else if f.set == 0 {
			c.most = c.least
		}
	}
	c.fill(s, &f.leaf, &f.validity, encoded{encoding: plain, values: f.values})
}

func (f *flags) reset(*int) {
	f.validity.clear()
	f.n, f.set, f.values = 0, 0, f.values[:0]
}
