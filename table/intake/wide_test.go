package intake

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/jsonrows"
)

// ending is a context that ends when it is asked for the n-th time.
type ending struct {
	context.Context
	left atomic.Int64
	end  context.CancelFunc
}

func endingAt(n int64) *ending {
	ctx, end := context.WithCancel(context.Background())
	e := &ending{Context: ctx, end: end}
	e.left.Store(n)
	return e
}

// Err implements context.Context.
func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		e.end()
	}
	return e.Context.Err()
}

// sparse is a workbook with cells in its first and last columns only.
func sparse(t *testing.T) []byte {
	t.Helper()
	w := excelize.NewFile()
	for _, cell := range []string{"A1", "XFD1", "A2", "XFD2", "A3", "XFD3"} {
		if err := w.SetCellStr("Sheet1", cell, cell); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReadingEndsWithItsContext ends it at every point at which it asks.
func TestReadingEndsWithItsContext(t *testing.T) {
	for name, data := range map[string][]byte{
		"a.csv":    []byte(strings.Repeat("a,b;c|d\n1,2;3|4\n", 50_000)),
		"wide.csv": []byte(strings.Repeat(strings.Repeat("a,", 10_000)+"a\n", 20)),
		"a.xlsx":   sparse(t),
	} {
		f, err := Open(write(t, name, data))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for n := int64(0); ; n++ {
			_, err := f.Profile(endingAt(n), Options{})
			if err == nil {
				if n < 8 {
					t.Errorf("%s: asked %d times only", name, n)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, ended at %d: %v", name, n, err)
			}
		}
	}
}

// TestSameRowsOfManyColumns: to compare all rows once for each column would take
// hours.
func TestSameRowsOfManyColumns(t *testing.T) {
	path := write(t, "same.csv", []byte(strings.Repeat(strings.Repeat("a,", 40_000)+"a\n", 25)))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := f.Profile(context.Background(), Options{})
	if err != nil || len(p.Columns) != 40_001 || p.Rows != 25 {
		t.Fatalf("%v, %d columns, %d rows", err, len(p.Columns), p.Rows)
	}
}

// TestTooManyColumnsAreRefused tells where they are.
func TestTooManyColumnsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"header": strings.Repeat("a,", 100_000) + "b\n1,2\n",
		"line":   strings.Repeat("a,", 4_000_000),
		"row":    "a,b\n1,2\n" + strings.Repeat("1,", 100_000) + "1\n",
	} {
		f, err := Open(write(t, name+".csv", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.Profile(context.Background(), Options{})
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != "too_wide" || e.Hint == "" || e.Details["fields"].(int) <= dialect.MaxColumns {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTooManyKeysAreRefused in every layout of JSON.
func TestTooManyKeysAreRefused(t *testing.T) {
	var rows []string
	for i := range jsonrows.MaxKeys + 1 {
		rows = append(rows, `{"id":1,"k\"`+strings.Repeat("x", i%50)+strings.Repeat("y", i/50)+`":{"a":[1,"b"]}}`)
	}
	for name, text := range map[string]string{
		"a.jsonl": strings.Join(rows, "\n"),
		"a.json":  "[" + strings.Join(rows, ",") + "]",
		"geo.json": `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":` +
			strings.Join(rows, `},{"type":"Feature","geometry":null,"properties":`) + "}]}",
	} {
		f, err := Open(write(t, name, []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.JSONLines(context.Background(), t.TempDir())
		var e *jsonrows.Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, "different keys") || !strings.Contains(e.Jq, "to_entries[]") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
