package summary

import (
	"context"
	"math/big"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
)

// Bins is the number of bins of a histogram.
const Bins = 10

// Column has the statistics of one column.
type Column struct {
	Values   int64 // that are not null
	Distinct int64
	// Min and Max are arrays of one value, of the column's type; nil if there are
	// no values, and for booleans, texts and what has no order here.
	Min, Max    arrow.Array
	Number      *Number // of numbers
	Text        *Text   // of texts
	True, False int64   // of booleans
}

// Number has the statistics of numbers alone. Figures that cannot be computed, or
// that no float can represent, are nil; so are all without values.
type Number struct {
	Quartiles []float64 // three, interpolated
	Histogram []int64   // of the finite values, in Bins bins of equal width
	Mean      *float64
	Stddev    *float64 // of the sample
	FloatSum  *float64 // of floats, added in the order of the rows
	// Sum is that of all others, in units of 10 to the power of -Scale.
	Sum   *big.Int
	Scale int32
}

// Text has the statistics of texts alone.
type Text struct {
	Shortest, Longest int64    // in characters
	Common            []Common // the commonest, ties by value
}

// Common is a text with how often it occurs.
type Common struct {
	Text  []byte
	Count int64
}

// Summary collects the values of columns.
type Summary struct {
	columns []gatherer
	spool   spool
	piece   int // bytes of a piece
	limits  limits
}

var standard = limits{held: 16 << 20, keys: 1 << 20, texts: 256 << 10, bytes: 16 << 20}

// gatherer collects the values of one column.
type gatherer interface {
	// add takes the next values, in the order of the rows.
	add(arr arrow.Array) error
	// finish computes the statistics. It can run beside that of other columns,
	// with a desk of its own.
	finish(ctx context.Context, d *buffers) (Column, error)
}

// New starts a summary of columns, which all must be Supported. It puts temporary
// files into dir, and removes them by Close.
func New(fields []arrow.Field, dir string) *Summary { return newSummary(fields, dir, standard) }

func newSummary(fields []arrow.Field, dir string, l limits) *Summary {
	s := &Summary{limits: l}
	s.spool = spool{dir: dir, limit: l.held}
	s.piece = max(leastPiece, min(mostPiece, allPieces/max(len(fields), 1)))
	for _, f := range fields {
		g, _ := s.gather(f)
		s.columns = append(s.columns, g)
	}
	return s
}

// Supported reports whether columns of a field's type can be summarised.
func Supported(f arrow.Field) bool {
	_, ok := (&Summary{}).gather(f)
	return ok
}

func (s *Summary) gather(f arrow.Field) (g gatherer, ok bool) {
	values := pieces{spool: &s.spool, size: s.piece}
	if k, ok := narrow(f.Type); ok {
		return &fixed[uint64]{kind: k, typ: f.Type, limits: &s.limits, values: values}, true
	}
	if k, ok := wideKind(f); ok {
		return &fixed[wide]{kind: k, typ: f.Type, limits: &s.limits, values: values}, true
	}
	switch f.Type.(type) {
	case *arrow.BooleanType:
		return &flags{}, true
	case *arrow.StringType:
		return &texts{plain: !f.HasMetadata(), limits: &s.limits, values: values}, true
	case *arrow.BinaryType:
		return &texts{limits: &s.limits, values: values}, true
	}
	return nil, false
}

// Add takes the next rows.
func (s *Summary) Add(rec arrow.RecordBatch) error {
	for i, g := range s.columns {
		if err := g.add(rec.Column(i)); err != nil {
			return err
		}
	}
	return nil
}

// Columns computes the statistics of all columns, on all cores. It can be called
// once.
func (s *Summary) Columns(ctx context.Context) ([]Column, error) {
	out, errs := make([]Column, len(s.columns)), make([]error, len(s.columns))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.columns)) {
		group.Go(func() {
			d := &buffers{}
			for i := range next {
				out[i], errs[i] = s.columns[i].finish(ctx, d)
				s.columns[i] = nil // its values are no longer needed
			}
		})
	}
	for i := range s.columns {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Close removes the temporary files.
func (s *Summary) Close() { s.spool.close() }
