package output

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"
)

// longList has more rows than are held at once. The widest values, and the first
// that is no number, are in the last part.
func longList() List {
	l := List{Columns: []string{"id", "n", "mixed", "none", "size"}, Spare: []string{"none"}}
	for i := range 2*listPart + 7 {
		l.Rows = append(l.Rows, []any{fmt.Sprint("table ", i), i, i, nil, Figure("1 B")})
	}
	l.Rows[len(l.Rows)-1] = []any{strings.Repeat("wide ", 20), 7, "seven", nil, Figure("1 000 000 MB")}
	return l
}

// TestAListInPartsIsTheSame: rows that come one by one are shown as those in memory, and
// the parts that they are drawn in cannot be seen.
func TestAListInPartsIsTheSame(t *testing.T) {
	for _, o := range []Options{{}, {Width: 80, Terminal: true}, {Width: 30, Terminal: true}, {Records: true}} {
		for _, f := range append([]Format{Table}, textFormats...) {
			l := longList()
			want, summary := list(t, l, f, o)
			rows := l.Rows
			l.Rows, l.Each = nil, func(yield func([]any, error) bool) {
				for _, row := range rows {
					if !yield(row, nil) {
						return
					}
				}
			}
			got, other := list(t, l, f, o)
			if got != want || fmt.Sprint(summary) != fmt.Sprint(other) || summary.Rows != int64(len(rows)) {
				t.Errorf("%s %+v: %+v and %+v", f, o, summary, other)
			}
			if f == Table && !o.Records && o.Width != 30 {
				checkParts(t, got, len(rows))
			}
		}
	}
	// All values are read before the first is written.
	broken := List{Columns: []string{"a"}, Each: func(yield func([]any, error) bool) {
		_ = yield([]any{1}, nil) && yield(nil, errors.New("gone"))
	}}
	for _, f := range []Format{Table, CSV} {
		var b bytes.Buffer
		if _, err := WriteList(t.Context(), &b, broken, f, Options{}); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %q", f, err, b.String())
		}
	}
}

func checkParts(t *testing.T, text string, rows int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != rows+1 || strings.Count(text, "mixed") != 1 {
		t.Errorf("%d lines", len(lines))
	}
	at := strings.Index(lines[0], "size")
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "1 000 000 MB") || at < 0 {
		t.Errorf("%q", last)
	}
}

// TestAJSONListInParts: it has the bytes of the same list in memory.
func TestAJSONListInParts(t *testing.T) {
	type item struct {
		A string `json:"a"`
		B []int  `json:"b"`
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, items := range [][]item{{}, {{"<x>\x1b", []int{1, 2}}}, {{"a", nil}, {"b", []int{}}}} {
		for _, o := range []Options{{}, {Terminal: true}} {
			var want, got bytes.Buffer
			if err := WriteJSON(&want, struct {
				Items []item    `json:"items"`
				At    time.Time `json:"at"`
			}{items, at}, o); err != nil {
				t.Fatal(err)
			}
			var each iter.Seq2[item, error] = func(yield func(item, error) bool) {
				for _, i := range items {
					if !yield(i, nil) {
						return
					}
				}
			}
			if err := WriteJSONList(&got, "items", each, "at", at, o); err != nil || got.String() != want.String() {
				t.Errorf("%v\n%s\n%s", err, got.String(), want.String())
			}
		}
	}
}
