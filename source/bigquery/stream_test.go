package bigquery

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
)

// TestBrokenStreamsGoOn breaks streams in the middle: each row comes once.
func TestBrokenStreamsGoOn(t *testing.T) {
	h := newHouse(t)
	const rows = 120_000 // more than one stream, more than one batch each
	h.numbers(rows)
	h.server.BreakStreams(bqtest.Break{AfterRows: 10, Code: codes.Unavailable}, bqtest.Break{AfterRows: 30_000, Code: codes.Internal},
		bqtest.Break{Code: codes.Unavailable}, bqtest.Break{AfterRows: 5, Code: codes.Aborted})
	got, err := h.rows(h.scan("numbers", []string{"n"}, ""))
	if err != nil || len(got) != rows {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	seen := map[string]bool{}
	for _, n := range got {
		seen[n] = true
	}
	if len(seen) != rows {
		t.Errorf("%d different rows of %d", len(seen), rows)
	}
}

// TestStreamsDie holds that a stream which brings no more is an error, never an
// end.
func TestStreamsDie(t *testing.T) {
	again := make([]bqtest.Break, 3*maxResumes)
	for i := range again {
		again[i].Code = codes.Unavailable
	}
	for name, test := range map[string]struct {
		breaks []bqtest.Break
		code   api.Code
		kind   string
	}{
		"for ever":    {again, api.CodeSource, api.KindUnavailable},
		"data lost":   {[]bqtest.Break{{AfterRows: 10, Code: codes.DataLoss}}, api.CodeSource, api.KindUnavailable},
		"not allowed": {[]bqtest.Break{{AfterRows: 10, Code: codes.PermissionDenied}}, api.CodeSource, api.KindAccessDenied},
		"quota":       {[]bqtest.Break{{AfterRows: 10, Code: codes.ResourceExhausted}}, api.CodeQuota, api.KindWarehouseQuota},
		"expired":     {[]bqtest.Break{{AfterRows: 10, Code: codes.NotFound}}, api.CodeSource, api.KindNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.numbers(1000)
			scan := h.scan("numbers", []string{"n"}, "")
			h.server.BreakStreams(test.breaks...)
			got, err := h.rows(scan)
			h.fails(fmt.Sprintf("after %d rows", len(got)), err, test.code, test.kind)
		})
	}
}

// TestSilentStream holds that nobody waits for ever.
func TestSilentStream(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.StallTimeout = 300 * time.Millisecond })
	h.numbers(300_000)
	scan := h.scan("numbers", []string{"n", "text"}, "")
	all := int64(300_000) // in order, and so in one stream of several batches
	scan.Limit = &all
	h.server.Hold()
	got, err := h.rows(scan)
	h.fails(fmt.Sprintf("after %d rows", len(got)), err, api.CodeSource, api.KindNoAnswer)
}

// TestDeadServer holds that calls end by themselves: Google's client tries
// again for as long as it may.
func TestDeadServer(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.CallTimeout = 200 * time.Millisecond })
	h.numbers(3)
	scan := h.scan("numbers", []string{"n"}, "")
	h.server.Kill()
	_, err := h.rows(scan)
	if !api.CodeSource.Is(err) {
		t.Errorf("scan: %v", err)
	}
	_, err = h.source.Estimate(t.Context(), scan)
	if !api.CodeSource.Is(err) {
		t.Errorf("estimate: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.source.Scan(ctx, scan); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestMetadata holds that what was heard of a table serves the next request,
// that it is read again behind it, and that what has grown too old is not
// shown.
func TestMetadata(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := newHouse(t, func(o *Options) {
		o.Fresh, o.Stale = time.Minute, time.Hour
		o.Now = func() time.Time { return now }
	})
	h.numbers(3)
	scan := h.scan("numbers", []string{"n"}, "")
	calls := func() int { return h.server.Calls("tables.get") }
	look := func() *time.Time {
		s, err := h.source.Schema(t.Context(), scan.Relation)
		if err != nil {
			t.Fatal(err)
		}
		return &s.AsOf
	}
	first := look()
	for range 3 {
		look()
	}
	if calls() != 1 || !first.Equal(now) {
		t.Fatalf("%d calls for one table, as of %s", calls(), first)
	}
	now = now.Add(2 * time.Minute)
	if at := look(); !at.Equal(*first) {
		t.Errorf("old metadata was not shown at once, but as of %s", at)
	}
	h.source.tables.reading.Wait()
	if at := look(); calls() != 2 || !at.Equal(now) {
		t.Errorf("after %d calls it is as of %s", calls(), at)
	}
	now = now.Add(2 * time.Hour)
	if at := look(); calls() != 3 || !at.Equal(now) {
		t.Errorf("stale metadata: %d calls, as of %s", calls(), at)
	}
	// A statement that no longer fits makes it be read again.
	h.load("numbers", "m INT64", "SELECT 1")
	if _, err := h.rows(scan); !api.CodeQueryFailed.Is(err) {
		t.Errorf("the column is gone: %v", err)
	}
	if _, err := h.rows(scan); !api.CodeUnknownColumn.Is(err) {
		t.Errorf("then it is unknown: %v", err)
	}
}
