package intake

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestBig(t *testing.T) {
	path := os.Getenv("DA_BIG_CSV")
	if path == "" {
		t.Skip("DA_BIG_CSV names no file")
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Now()
	p, err := f.Profile(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("profile %v, %d rows", time.Since(t0), p.Rows)
	for _, c := range p.Columns {
		t.Logf("%s %s %d %d", c.Name, c.Type, c.NonNull, c.Scale)
	}
	t0 = time.Now()
	r, err := f.Load(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	t.Logf("load %v, %d rows, %v", time.Since(t0), n, r.Err())
	r.Release()
}
