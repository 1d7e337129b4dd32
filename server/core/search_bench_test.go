package core

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// BenchmarkSearchOfThePage searches 100,000 tables, whose columns are not known, as the
// page does while somebody types.
func BenchmarkSearchOfThePage(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.csv"), []byte("id,delay\n1,2\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	c := coreOf(b, dir, "sources: { files: { type: lake, root: . } }\n")
	version, err := c.state.RegisteredVersion(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	tables := map[string]*table{}
	for i := range 100_000 {
		id := fmt.Sprintf("part%d.sensor_%06d", i%40, i)
		tables[id] = c.declared(config.Table{ID: id, Name: id, Source: "files", Relation: "one.csv", QueryMode: api.ModeRemote,
			Description: fmt.Sprintf("Measurements of a sensor in hall %d", i%900), Public: true})
	}
	c.registered.Store(&registered{version, tables, slices.SortedFunc(maps.Values(tables), func(a, b *table) int { return strings.Compare(a.ID, b.ID) })})
	s := c.As(LocalAdmin)
	for _, words := range []string{"sensor_004711", "hall 77", "measurement", "sensr"} {
		b.Run(words, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.TablePage(b.Context(), api.TablePageRequest{Query: words, Limit: 60}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
