package lake

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// sent is a lake over a copy of a folder of testdata.
func sent(t *testing.T, name string) *folder {
	t.Helper()
	f := newFolder(t)
	if err := os.CopyFS(f.dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return f
}

// managedFolders are globs over tables of other formats, and what names them.
var managedFolders = map[string]struct {
	files, says []string
}{
	"delta/*.parquet":         {[]string{"delta/a.parquet", "delta/_delta_log/00000000000000000000.json"}, []string{"delta", "Delta", "_delta_log", "source of type delta reads"}},
	"delta2/*/*.parquet":      {[]string{"delta2/k=1/a.parquet", "delta2/_delta_log/00000000000000000000.json"}, []string{"delta2", "Delta"}},
	"iceberg/data/*.parquet":  {[]string{"iceberg/data/a.parquet", "iceberg/metadata/v1.metadata.json"}, []string{"iceberg", "Iceberg", "source of type iceberg reads"}},
	"iceberg2/**/*.parquet":   {[]string{"iceberg2/data/k=1/a.parquet", "iceberg2/metadata/v1.metadata.json"}, []string{"iceberg2", "Iceberg"}},
	"hudi/*/*.parquet":        {[]string{"hudi/2024/a.parquet", "hudi/.hoodie/hoodie.properties"}, []string{"hudi", "Hudi", "not read"}},
	"plain/**/*.parquet":      {[]string{"plain/metadata/a.parquet", "plain/metadata/readme.json"}, nil},
	"running/**/*.parquet":    {[]string{"running/a.parquet", "running/_temporary/0/a.parquet", "running/_committed.parquet"}, nil},
	"keys/**/*.parquet":       {[]string{"keys/_k=1/a.parquet"}, nil},
	"delta3/a.parquet":        {[]string{"delta3/a.parquet", "delta3/_delta_log/00000000000000000000.json"}, nil},
	"_named/_hidden*.parquet": {[]string{"_named/_hidden.parquet"}, nil},
}

// inManaged reads them through a lake whose files copy and put write.
func inManaged(t *testing.T, f *folder, put func(rel string)) {
	t.Helper()
	for name, m := range managedFolders {
		for _, rel := range m.files {
			if strings.HasSuffix(rel, ".parquet") {
				f.copy(t, rel, "SELECT 1 AS v")
			} else {
				f.write(t, rel, "{}")
			}
			put(rel)
		}
		s, err := f.lake.Schema(t.Context(), source.Relation{Name: name})
		if m.says != nil {
			refused(t, f, err, api.CodeSource, append(m.says, "plain parquet")...)
		} else if err != nil || *s.RowCount != 1 {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

func TestManagedFolders(t *testing.T) {
	inManaged(t, newFolder(t), func(string) {})
}

func TestManagedFoldersOfABucket(t *testing.T) {
	s := newShore(t)
	inManaged(t, s.folder, func(rel string) { s.put(t, "lake/"+rel, s.path(t, rel)) })
}

func TestDiscoverNamesManagedFolders(t *testing.T) {
	f := sent(t, "delta_table_folder")
	f.copy(t, "other/data/a.parquet", "SELECT 1 AS v")
	f.write(t, "other/metadata/v1.metadata.json", "{}")
	f.copy(t, "job/a.parquet", "SELECT 1 AS v")
	f.copy(t, "log/a.parquet", "SELECT 1 AS v")
	f.write(t, "log/.hoodie/hoodie.properties", "")
	f.copy(t, "job/_temporary/0/k=1/a.parquet", "SELECT 1 AS v")
	tables, skipped, err := Discover(t.Context(), f.dir)
	if err != nil || len(tables) != 3 || tables[0].Path != "job/*.parquet" || tables[1].Type != api.SourceIceberg || tables[1].Path != "other" || tables[2].Type != api.SourceDelta {
		t.Errorf("tables %v, %v", tables, err)
	}
	said := map[string]string{}
	for _, s := range skipped {
		said[s.Path] = s.Reason
	}
	if len(said) != 2 || !strings.Contains(said["log"], "a Hudi table") || !strings.Contains(said["job/_temporary"], "underscore") {
		t.Errorf("left out %v", said)
	}
	_, err = f.lake.Schema(t.Context(), source.Relation{Name: "sales/*.parquet"})
	refused(t, f, err, api.CodeSource, "sales", "a Delta table")
}

func TestHiddenNames(t *testing.T) {
	f := sent(t, "underscore_file_in_glob")
	same(t, sorted(f.rows(t, f.scan(t, "*.csv", ""))), "1|2", "3|4")
	same(t, f.rows(t, f.scan(t, "_committed.csv", "")), "9|9")
}
