package intake

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSharedHeader: the same first line in all files of a table is its header,
// though the values under it look like it.
func TestSharedHeader(t *testing.T) {
	for i, c := range []struct{ files, names, rows string }{
		{"foo,bar,baz\nfoo,kim,baz\n|foo,bar,baz\nfoo,,baz\n|foo,bar,baz\n|", "foo bar baz", "2"},
		{"|a,b\na,x\n|a,b\na,y\n", "a b", "2"},
		{"a,b\na,x\n", "column_1 column_2", "2"},
		{"a,b\na,x\n|a,c\na,y\n", "column_1 column_2", "4"},
		{"a,a\na,x\n|a,a\na,y\n", "column_1 column_2", "4"},
		{"a,7\na,x\n|a,7\na,y\n", "column_1 column_2", "4"},
	} {
		var paths []string
		for j, text := range strings.Split(c.files, "|") {
			paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", j)))
			if err := os.WriteFile(paths[j], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range []Options{{}, {NoHeader: true}} {
			profiles, err := ProfileAll(t.Context(), len(paths), func(i int) (*File, error) { return Open(paths[i]) }, o)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			rows, shared := int64(0), false
			for _, p := range profiles {
				if rows += p.Rows; len(p.Columns) > 0 && names == nil {
					for _, column := range p.Columns {
						names = append(names, column.Name)
					}
				}
				shared = shared || p.Shared
			}
			found := !o.NoHeader && !strings.HasPrefix(c.names, "column_")
			if got := strings.Join(names, " "); got != c.names && !o.NoHeader || shared != found || fmt.Sprint(rows) != c.rows && !o.NoHeader {
				t.Errorf("%d: %s, %d rows, shared %v; no header given: %v", i, got, rows, shared, o.NoHeader)
			}
		}
	}
}

// TestDoubtsAreOfTheirFile holds that what is doubtful about a column of several files is told
// of one file: the one that has the line.
func TestDoubtsAreOfTheirFile(t *testing.T) {
	whole := "id,v,d\n" + strings.Repeat("1,7,2024-01-15\n", 20)
	odd := whole + "2,x,05/06/2024\n"
	for _, c := range []struct {
		files []string
		want  string // file, line and misfits of the columns v and d
	}{
		{[]string{whole, odd, whole}, "1: 22 1, 22 1"},
		{[]string{"", odd, whole, odd}, "1: 22 2, 22 2"},
		{[]string{whole, whole, whole + "3,8,x\n"}, "2: 22 1"},
		{[]string{whole, whole}, ""},
	} {
		var paths []string
		for i, text := range c.files {
			paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", i)))
			if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		profiles, err := ProfileAll(t.Context(), len(paths), func(i int) (*File, error) { return Open(paths[i]) }, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, p := range profiles {
			var near []string
			misfits := p.Problems.Misfit
			for _, column := range p.Columns {
				if n := column.Near; n != nil {
					near, misfits = append(near, fmt.Sprint(n.Places[0].Line, " ", n.Misfit)), misfits-n.Misfit
				}
			}
			if len(near) > 0 {
				got = append(got, fmt.Sprintf("%d: %s", i, strings.Join(near, ", ")))
			}
			if misfits != 0 {
				t.Errorf("%d files: file %d has %d misfits more than its columns", len(c.files), i, misfits)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%d files: %v, want %s", len(c.files), got, c.want)
		}
	}
}
