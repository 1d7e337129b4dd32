package spark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/brickstest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/internal/testing/sparktest"
	"github.com/agnes-data/da/source"
)

func bricks(t testing.TB, b *brickstest.Warehouse, token string, timeout time.Duration) *Warehouse {
	t.Helper()
	w, err := OpenWarehouse(WarehouseOptions{Options: Options{URI: b.URL, Token: token, Timeout: timeout}, ID: brickstest.ID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestWarehouse runs the suite before Sail.
func TestWarehouse(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		server := sparktest.Sail(t)
		b := brickstest.New(t, server)
		f := fixture(t, server)
		f.Source = bricks(t, b, brickstest.Token, 0)
		f.Denied = func(t testing.TB) (source.Source, string) { return bricks(t, b, "wrong-secret", 0), "wrong-secret" }
		f.Impatient = func(t testing.TB) source.Source { return bricks(t, b, brickstest.Token, 200*time.Millisecond) }
		f.Guarded = func(t testing.TB, _ string) sourcetest.Guarded {
			return sourcetest.Guarded{Source: bricks(t, b, brickstest.Token, 0), Secret: brickstest.Token, Expire: func() { b.Break("token") }, Renew: func() { b.Break("") }}
		}
		f.Kill = func(testing.TB) { b.Kill() }
		f.Without = append(f.Without, sourcetest.Asking, sourcetest.Comments)
		return f
	})
}

// TestSparkWarehouse has the parser that Databricks has, too, read each statement.
func TestSparkWarehouse(t *testing.T) {
	server := sparktest.Spark(t)
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := fixture(t, server)
		f.Source = bricks(t, brickstest.New(t, server), brickstest.Token, 0)
		f.Impatient = nil
		f.Without = append(f.Without, sourcetest.Asking, sourcetest.Comments, sourcetest.Credentials, sourcetest.Patience, sourcetest.Mortality)
		return f
	})
}

// TestWarehouseTellsWhatIsMissing takes no part of the rows for all of them, and sends the
// token to nobody else.
func TestWarehouseTellsWhatIsMissing(t *testing.T) {
	server := sparktest.Sail(t)
	exec(t, server, "CREATE TABLE default.many AS SELECT id AS n, md5(CAST(id AS STRING)) AS h FROM range(40000)")
	scan := source.Scan{Relation: source.Relation{Name: "default.many"}, Select: []string{"n", "h"}}
	for fault, says := range map[string]string{"": "", "closed": "CLOSED", "truncated": "cut", "cut": "no end mark", "more": "follows the end", "broken": "unexpected EOF", "short": "as many rows as it says",
		"expired": "has expired", "elsewhere": "302", "zone": "Asia/Tokyo"} {
		b := brickstest.New(t, server)
		b.Break(fault)
		src := bricks(t, b, brickstest.Token, 0)
		rows, err := drained(src.Scan(t.Context(), scan))
		if fault == "" && (err != nil || rows != 40000) {
			t.Errorf("%d rows, %v", rows, err)
		}
		if said := fmt.Sprintf("%v: %v", err, errors.Unwrap(err)); fault != "" && (!api.CodeSource.Is(err) || !strings.Contains(said, says)) {
			t.Errorf("%s: %v (%d rows)", fault, said, rows)
		}
	}
}

// TestWarehouseEndsStatements ends what nobody reads any more, also before it has rows.
func TestWarehouseEndsStatements(t *testing.T) {
	server := sparktest.Sail(t)
	b := brickstest.New(t, server)
	src := bricks(t, b, brickstest.Token, 0)
	slow := fixture(t, server).Slow(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := src.Scan(ctx, source.Scan{Relation: source.Relation{Name: slow}, Select: []string{"n"}}); !api.CodeTimeout.Is(err) {
		t.Errorf("%v", err)
	}
	if got := b.Ended(); !slices.Equal(got, []string{"RUNNING"}) {
		t.Errorf("ended: %v", got)
	}
}

// TestWarehousesThatAreNot says what is wrong with a configuration.
func TestWarehousesThatAreNot(t *testing.T) {
	b := brickstest.New(t, sparktest.Sail(t))
	w, err := OpenWarehouse(WarehouseOptions{Options: Options{URI: b.URL, Token: brickstest.Token}, ID: "other"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err = w.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "no such warehouse") {
		t.Errorf("another warehouse: %v", err)
	}
	if _, err := OpenWarehouse(WarehouseOptions{Options: Options{URI: "http://dbc.example.com", Token: "t"}, ID: "w"}); !api.CodeConfig.Is(err) {
		t.Errorf("a token without TLS: %v", err)
	}
}
