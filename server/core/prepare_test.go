package core

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/source"
)

// preparing is a source that records in which order it is asked.
type preparing struct {
	source.Source
	mu    sync.Mutex
	calls []string
	asked atomic.Int64 // for versions
}

func (p *preparing) Prepare(_ context.Context, rels []source.Relation) {
	var names []string
	for _, rel := range rels {
		names = append(names, rel.Name)
	}
	slices.Sort(names)
	p.calls = append(p.calls, "prepare "+strings.Join(names, " "))
}

// deaf never answers who tries it.
type deaf struct{ *preparing }

func (deaf) Probe(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func (p *preparing) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	p.mu.Lock()
	p.calls = append(p.calls, "schema")
	p.mu.Unlock()
	return p.Source.Schema(ctx, rel)
}

func (p *preparing) Version(ctx context.Context, rel source.Relation) (string, error) {
	p.asked.Add(1)
	return p.Source.Version(ctx, rel)
}

// TestTheCatalogPreparesTables holds that the catalog has a lake describe all
// tables together before it asks for each, and only those that are not known.
func TestTheCatalogPreparesTables(t *testing.T) {
	core, _ := testCore(t, "{}")
	numbers := core.byID["numbers"]
	p := &preparing{Source: numbers.source}
	for _, entry := range core.byID {
		entry.source = p
	}
	admin := core.As(LocalAdmin)
	if _, err := core.schema(t.Context(), numbers, numbers.unrestricted()); err != nil {
		t.Fatal(err)
	}
	p.calls = nil
	list, err := admin.Tables(t.Context())
	if err != nil || len(list.Tables) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	if len(p.calls) < 2 || p.calls[0] != "prepare words.csv words.csv" || strings.HasPrefix(p.calls[1], "prepare") {
		t.Errorf("the source was asked: %q", p.calls)
	}
	p.calls = nil
	if _, err := admin.Tables(t.Context()); err != nil || len(p.calls) > 0 {
		t.Errorf("the source was asked again: %q, %v", p.calls, err)
	}

	// A source that does not answer is tried, and asked for none of its tables.
	core.tryTime = 0
	for _, entry := range core.byID {
		entry.source = &deaf{preparing: p}
	}
	core.known.clear()
	asked := p.asked.Load()
	list, err = admin.Tables(t.Context())
	if err != nil || len(list.Tables) != 3 || len(p.calls) > 0 || p.asked.Load() != asked {
		t.Errorf("the silent source was asked: %q, %+v, %v", p.calls, list, err)
	}
}
