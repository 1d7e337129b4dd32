package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// filed is a core with tables that are files; those that begin with "lost" are not there.
func filed(t *testing.T, ids ...string) *Core {
	t.Helper()
	dir := t.TempDir()
	var instance strings.Builder
	instance.WriteString("sources: { files: { type: lake, root: . } }\ntables:\n")
	for _, id := range ids {
		fmt.Fprintf(&instance, "  - { id: %s, source: files, path: %s.csv }\n", id, id)
		if strings.HasPrefix(id, "lost") {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, id+".csv"), []byte("giraffe_"+id+"\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return coreOf(t, dir, instance.String())
}

// knownNow is of how many tables a search knows the columns without reading any.
func (c *Core) knownNow(t *testing.T) int {
	t.Helper()
	s := c.As(LocalAdmin)
	v, err := s.readRights(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.search(t.Context(), v, api.SearchRequest{Query: "giraffe", Limit: 1}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.ColumnsKnown
}

// TestColumnsOfFilesAreLearntUnasked holds that a search knows the columns of all tables
// that are files before anybody has searched, but for those that cannot be read.
func TestColumnsOfFilesAreLearntUnasked(t *testing.T) {
	ids := []string{"lost"}
	for i := range learntAtOnce + 20 {
		ids = append(ids, fmt.Sprintf("t%d", i))
	}
	core := filed(t, ids...)
	if n := core.knownNow(t); n != 0 {
		t.Errorf("%d known before", n)
	}
	core.learn(t.Context())
	if n := core.knownNow(t); n != len(ids)-1 {
		t.Errorf("%d known, of %d", n, len(ids))
	}
}

// TestLearningFilesEndsAtFaults holds that a place without any of its files is left alone.
func TestLearningFilesEndsAtFaults(t *testing.T) {
	var ids []string
	for i := range learnFaults * learntAtOnce {
		ids = append(ids, fmt.Sprintf("lost%03d", i))
	}
	core := filed(t, append(ids, "there")...)
	core.LearnFiles(t.Context())
	if n := core.knownNow(t); n != 0 {
		t.Errorf("%d known", n)
	}
}

// TestExamplesHaveValues holds that no example only asks whether there is a value.
func TestExamplesHaveValues(t *testing.T) {
	for engineType, want := range map[string]string{
		"TIMESTAMP": "c >= TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP WITH TIME ZONE": "c >= TIMESTAMP '2026-01-01 00:00:00'",
		"DATE": "c >= DATE '2026-01-01'",
	} {
		got := whereExamples(predicate.DuckDB, &source.Schema{Columns: []api.Column{{Name: "c", Type: engineType}}})
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", engineType, got)
		}
	}
}

// TestASearchNamesAColumnOnce holds that a column that fits in two ways is listed once.
func TestASearchNamesAColumnOnce(t *testing.T) {
	core := filed(t, "films")
	core.keep(t, note, "n1", "local", api.Note{TableID: "films", Column: "giraffe_films", Text: "a giraffe"})
	page, err := core.As(LocalAdmin).TablePage(t.Context(), api.TablePageRequest{Query: "giraffe", Limit: 10})
	if err != nil || len(page.Tables) != 1 || strings.Join(page.Tables[0].Columns, ",") != "giraffe_films" {
		t.Errorf("%+v, %v", page, err)
	}
}
