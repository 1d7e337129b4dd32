package lake

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
)

// running says which engines are open: that for any order, and the ordered one.
func (f *folder) running() [2]bool { return f.lake.engines.Running() }

// TestRestClosesOnlyIdleEngines holds that an engine is closed when no request uses
// it, and is there for the next one.
func TestRestClosesOnlyIdleEngines(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT range AS n FROM range(10000)")
	scan := f.scan(t, "a.parquet", "n < 5000")
	want := f.rows(t, scan)
	slices.Sort(want)

	rows, err := f.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	ordered, err := f.lake.engines.Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	ordered.Done(false) // closed, since its statement has failed
	f.lake.Idle()
	if got := f.running(); got != [2]bool{true, false} {
		t.Errorf("with a scan that is being read, the engines that run are %v", got)
	}
	got, err := enginetest.Rows(rows)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the scan gave %d rows, %v", len(got), err)
	}
	f.lake.Idle()
	if got := f.running(); got != [2]bool{} {
		t.Errorf("with nothing to do, the engines that run are %v", got)
	}
	got = f.rows(t, scan)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("afterwards the scan gave %d rows", len(got))
	}
}

// TestRestWhileRequestsRun scans from many goroutines while engines are closed.
func TestRestWhileRequestsRun(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT range AS n FROM range(3000)")
	scans := []func() error{}
	for i := range 4 {
		scan := f.scan(t, "a.parquet", fmt.Sprintf("n < %d", 1000+i))
		if i%2 == 1 {
			limit := int64(100)
			scan.Limit = &limit
		}
		scans = append(scans, func() error {
			rows, err := f.lake.Scan(t.Context(), scan)
			if err != nil {
				return err
			}
			got, err := enginetest.Rows(rows)
			if want := map[bool]int{true: 100, false: 1000 + i}[scan.Limit != nil]; err == nil && len(got) != want {
				err = fmt.Errorf("%d rows, want %d", len(got), want)
			}
			return err
		})
	}
	var resting, reading sync.WaitGroup
	over := make(chan struct{})
	resting.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				f.lake.Idle()
			}
		}
	})
	errs := make([]error, len(scans))
	for i, scan := range scans {
		reading.Go(func() {
			for range 10 {
				errs[i] = errors.Join(errs[i], scan())
			}
		})
	}
	reading.Wait()
	close(over)
	resting.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
