package lake

import (
	"strings"

	"github.com/agnes-data/da/internal/rows/format"
)

// formatOf returns the format of a file that a lake reads, by its name; false if it
// reads none such. All JSON is one format.
func formatOf(rel string) (format.Format, bool) {
	f := format.Of(rel)
	if packing := format.Packing(rel); !f.InLakes || packing != "" && !strings.EqualFold(packing, ".gz") {
		return format.Format{}, false
	}
	if f.Kind == format.JSON {
		f = format.Of(".jsonl")
	}
	return f, true
}
