package lake

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// failed is the error that a scan ends in.
func (f *folder) failed(t *testing.T, scan source.Scan) error {
	t.Helper()
	r, err := f.lake.Scan(t.Context(), scan)
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	return err
}

// TestMistakesOfTheCaller: what a function says of its arguments is no broken
// file, and quotes a cell only to callers who see all of them.
func TestMistakesOfTheCaller(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT 'secret' AS origin, DATE '2020-01-01' AS date FROM range(1000)")
	for _, where := range []string{"strptime(origin, '%Y') = date", "strftime(date, '%') = 'x'", "CAST(origin AS INTEGER) = 1"} {
		scan := f.scan(t, "a.parquet", where)
		refused(t, f, f.failed(t, scan), api.CodeQueryFailed, "as the request asks: ")
		scan.Relation.Columns = []string{"origin", "date"}
		err := f.failed(t, scan)
		refused(t, f, err, api.CodeQueryFailed, "as the request asks")
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows a value: %v", where, err)
		}
		r, err := f.lake.Query(t.Context(), "SELECT count(*) FROM a WHERE "+where, map[string]source.Relation{"a": {Name: "a.parquet"}})
		if err == nil {
			_, err = enginetest.Rows(r)
		}
		refused(t, f, err, api.CodeQueryFailed, "as the request asks: ")
	}
}

// TestBrokenPages: a scan that computes nothing of the caller's meets broken
// pages only where the file is broken.
func TestBrokenPages(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT range AS id, md5(range::VARCHAR) AS name FROM range(20000)")
	data, err := os.ReadFile(filepath.Join(f.dir, "a.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int{"header": 4, "page": len(data) / 2} {
		broken := bytes.Clone(data)
		copy(broken[at:], bytes.Repeat([]byte{0xff}, 50))
		f.write(t, name+".parquet", string(broken))
		refused(t, f, f.failed(t, f.scan(t, name+".parquet", "")), api.CodeSource, "cannot be read")
	}
	refused(t, f, f.failed(t, f.scan(t, "page.parquet", "name LIKE '%x'")), api.CodeQueryFailed, "page.parquet", "or is damaged")
}
