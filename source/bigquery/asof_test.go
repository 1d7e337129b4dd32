package bigquery

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestAsOf reads a table as it was before it got other rows and another column.
func TestAsOf(t *testing.T) {
	h := newHouse(t)
	h.numbers(3)
	then := time.Now().UTC().Truncate(time.Microsecond).Add(time.Microsecond).Format(time.RFC3339Nano)
	h.load("numbers", "n INT64; more STRING", "SELECT 42, 'x'")
	was, err := h.source.At("numbers", then)
	if err != nil {
		t.Fatal(err)
	}
	rel := source.Relation{Name: was}
	schema, err := h.source.Schema(t.Context(), rel)
	if err != nil || len(schema.Columns) != 2 || schema.Columns[1].Name != "text" || schema.RowCount != nil {
		t.Fatalf("the schema then: %+v, %v", schema, err)
	}
	version, err := h.source.VersionNow(t.Context(), rel)
	if err != nil || version == "" || version != schema.Version {
		t.Errorf("the version then is %q, %q, %v", version, schema.Version, err)
	}
	scan := h.scan(was, []string{"n", "text"}, "n > 0")
	r, err := h.source.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := enginetest.Rows(r)
	if err != nil || strings.Join(rows, "; ") != "1|text 1; 2|text 2" && strings.Join(rows, "; ") != "2|text 2; 1|text 1" {
		t.Errorf("rows then: %q, %v", rows, err)
	}
	e, err := h.source.Estimate(t.Context(), scan)
	if err != nil || e.ScanBytes == nil || *e.ScanBytes != 3*8+3*(2+6) || *e.BilledBytes != 10<<20 {
		t.Errorf("the price then: %+v, %v", e, err)
	}
	both := map[string]source.Relation{"things": {Name: "numbers"}, "things@7": rel}
	out, err := h.source.Query(t.Context(), "SELECT COUNT(*) AS n FROM `things@7` AS a JOIN things AS b ON a.n < b.n", both)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := enginetest.Rows(out); err != nil || strings.Join(rows, "; ") != "3" {
		t.Errorf("then beside now: %q, %v", rows, err)
	}
	_, err = h.source.Sample(t.Context(), rel, 1)
	h.fails("a sample", err, api.CodeQueryFailed, api.KindView)
	for _, at := range []string{"2020-01-01T00:00:00Z", "1577836800000", "2990-01-01T00:00:00Z"} {
		_, err = h.source.Schema(t.Context(), source.Relation{Name: "numbers@" + at})
		h.fails("as of "+at, err, api.CodeSource, api.KindNotFound)
	}
	for _, at := range []string{"main", "12:00", "", "2026-01-31' OR '1"} {
		_, err := h.source.At("numbers", at)
		h.fails("as of "+at, err, api.CodeBadRequest, api.KindAsOf)
	}
	_, err = h.source.At(was, then)
	h.fails("twice", err, api.CodeBadRequest, api.KindAsOf)
	h.load("seen", "n INT64", "", func(t *bqtest.Table) { t.View = "SELECT n FROM numbers" })
	_, err = h.source.Schema(t.Context(), source.Relation{Name: "seen@" + then})
	h.fails("a view", err, api.CodeSource, api.KindNotFound)
}
