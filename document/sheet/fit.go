package sheet

import (
	"encoding/json"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// maxShown is the maximum length of each text in an answer with many cells, in
// bytes.
const maxShown = 2000

// textsCut says that the texts of n cells were cut.
func textsCut(sheet string, n int64) api.Caveat {
	return api.Caveat{Kind: api.CaveatCut, About: api.Subject{Sheet: sheet}, Count: &api.Count{N: n, Of: "cells"}, Text: "texts of more than 2,000 bytes are cut: read one cell to see all of it"}
}

// Fit shortens values to about maxBytes of JSON: first long texts, then rows from
// the end; the first row is always kept. Truncated and the caveats say what was cut.
func (v *Values) Fit(maxBytes int) {
	size := 0
	for i, row := range v.Values {
		if n := shorten(row); n > 0 {
			v.Tell(textsCut(v.Sheet, n))
		}
		if size += sizeOf(row); size > maxBytes && i > 0 {
			a, err := areaOf(v.Range)
			if err != nil { // there are no cells
				return
			}
			a.to.row = a.from.row + i - 1
			v.Values, v.Range, v.Truncated, v.Next = v.Values[:i], a.String(), true, a.to.row+1
			return
		}
	}
}

// Fit shortens a summary to about maxBytes of JSON: first long texts, then the
// last columns.
func (s *Summary) Fit(maxBytes int) {
	rows := slices.Concat([][]any{s.Header}, s.First, s.Last)
	long, size, width := int64(0), 0, 0
	for _, row := range rows {
		long += shorten(row)
		size += sizeOf(row)
		width = max(width, len(row))
	}
	if long > 0 {
		s.Tell(textsCut(s.Sheet, long))
	}
	if size <= maxBytes {
		return
	}
	most := max(width*maxBytes/size, 1)
	s.Tell(api.Caveat{Kind: api.CaveatCut, About: api.Subject{Sheet: s.Sheet}, Count: &api.Count{N: int64(width - most), Of: "columns"},
		Text: "only the first " + humanize.Plural(int64(most), "column is", "columns are") + " shown: read a range to see the others"})
	cut := func(rows [][]any) {
		for i, row := range rows {
			rows[i] = row[:min(len(row), most)]
		}
	}
	s.Header = s.Header[:min(len(s.Header), most)]
	cut(s.First)
	cut(s.Last)
}

// shorten cuts the long texts of a row, and counts them.
func shorten(row []any) (cut int64) {
	for i, v := range row {
		if s, ok := v.(string); ok && len(s) > maxShown {
			row[i] = clip(s)
			cut++
		}
	}
	return cut
}

// clip cuts a text at a character boundary.
func clip(s string) string {
	end := 0
	for i := range s {
		if i > maxShown {
			break
		}
		end = i
	}
	return s[:end] + "…"
}

func sizeOf(row []any) int {
	doc, _ := json.Marshal(row) // cannot fail for texts, numbers and booleans
	return len(doc)
}
