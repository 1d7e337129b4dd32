package lake

import "strings"

// format is how the rows of a file are written.
type format int

const (
	parquet format = iota
	csv
	tsv
	jsonRows
)

func (f format) String() string { return [...]string{"parquet", "csv", "tsv", "jsonl"}[f] }

// extensions determine the format. Compressed files have an additional ".gz".
var extensions = []struct {
	suffix string
	format format
}{
	{".parquet", parquet},
	{".csv", csv}, {".csv.gz", csv},
	{".tsv", tsv}, {".tsv.gz", tsv},
	{".jsonl", jsonRows}, {".jsonl.gz", jsonRows},
	{".ndjson", jsonRows}, {".ndjson.gz", jsonRows},
	{".json", jsonRows}, {".json.gz", jsonRows},
	{".geojson", jsonRows}, {".geojson.gz", jsonRows},
}

// delimited reports whether files of the format are delimited text.
func (f format) delimited() bool { return f == csv || f == tsv }

// formatOf derives the format of a file from its name.
func formatOf(rel string) (format, bool) {
	lower := strings.ToLower(rel)
	for _, e := range extensions {
		if strings.HasSuffix(lower, e.suffix) {
			return e.format, true
		}
	}
	return 0, false
}
