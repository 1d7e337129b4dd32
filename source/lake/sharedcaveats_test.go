package lake

import (
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestWhatFilesShareIsToldOnce: the files of a table have the same columns, so each doubt
// about a column is told once, and names the file that caused it.
func TestWhatFilesShareIsToldOnce(t *testing.T) {
	f := newFolder(t)
	f.write(t, "csv/a.csv", "id,v,d\n1,2,1\n2,3,2\n3,3,3\n4,3,4\n")
	f.write(t, "csv/b.csv", "id,v,d\n1,2,5\n2,oops,6\n3,4,#REF!\n")
	rows := strings.Repeat("1,2\n", 20)
	f.write(t, "headed/a.csv", "x,y\n"+rows)
	f.write(t, "headed/b.csv", "x,y\n1,2\nlat,lon\n"+rows)
	f.write(t, "json/a.jsonl", "{\"v\":1}\n{\"v\":2}\n{\"v\":3}\n")
	f.write(t, "json/b.jsonl", "{\"v\":1}\n{\"v\":3}\n{\"v\":4}\n{\"v\":\"n/a\"}\n")
	for path, want := range map[string][]string{
		"csv/[ab].csv": {
			`csv/b.csv: 1 error of a formula is null in column "d", the first in line 4: #REF!`,
			`csv/b.csv: column "v" is text because of 1 cell: all others are integer (line 3: "oops")`,
		},
		"headed/*.csv": {`headed/b.csv: columns "x" and "y" are text because of 2 cells: all others are integer (first in column "x", line 3: "lat")`},
		"json/b.jsonl": {`json/b.jsonl: column "v" is text because of 1 cell: all others are integer (such as "n/a")`},
		"json/*.jsonl": {`column "v" is text because of 1 cell: all others are integer (such as "n/a")`},
	} {
		if got := api.Texts(f.schema(t, path).Caveats); !slices.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
}
