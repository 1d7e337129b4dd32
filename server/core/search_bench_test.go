package core

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// BenchmarkSearchOfThePage lists and searches 100,000 tables as the page does while somebody
// types, for who may read all, and for who may read half of them only in part.
func BenchmarkSearchOfThePage(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.csv"), []byte("id,delay\n1,2\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	c := coreOf(b, dir, "sources: { files: { type: lake, root: . } }\n")
	versions, err := c.state.Versions(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	tables := map[string]*table{}
	for i := range 100_000 {
		id := fmt.Sprintf("part%d_sensor_%06d", i%40, i)
		tables[id] = c.declared(config.Table{ID: id, Name: id, Source: "files", Relation: "one.csv", QueryMode: api.ModeRemote,
			Description: fmt.Sprintf("Measurements of a sensor in hall %d", i%900), Public: true})
	}
	c.registered.Store(&registered{versions.Tables, tables, slices.SortedFunc(maps.Values(tables), func(a, b *table) int { return strings.Compare(a.ID, b.ID) })})
	all, err := c.tables(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	part := &standing{grantsOf: versions.Grants, all: all, tables: all.tables, sorted: all.sorted, grants: map[string][]api.Grant{}, reads: all.sorted,
		facets: func() (types, groups []api.PageFacet) { return nil, nil }}
	for i, t := range all.sorted {
		if t.Public = i%2 == 0; !t.Public {
			part.grants[t.ID] = []api.Grant{{TableID: t.ID, Columns: []string{"id"}, Rows: "delay > 1"}}
		}
	}
	c.standings.Put("0", part, 1)
	for name, s := range map[string]*Session{"all": c.As(LocalAdmin), "part": c.As(Principal{Local: true})} {
		if _, err := s.Search(b.Context(), api.SearchRequest{Query: "hall", Limit: 1}); err != nil { // learns all columns
			b.Fatal(err)
		}
		for _, words := range []string{"", "sensor_004711", "hall 77", "measurement", "sensr"} {
			b.Run(name+"/"+words, func(b *testing.B) {
				begin := processorTime(b)
				for b.Loop() {
					if _, err := s.TablePage(b.Context(), api.TablePageRequest{Query: words, Limit: 60}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-begin).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// processorTime is what this process has used; on a machine with other work it says more
// than the time that has passed.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
