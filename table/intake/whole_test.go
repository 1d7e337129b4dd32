package intake

import (
	"strings"
	"testing"
)

// TestLateBackslashes has backslashes with a meaning, or without, only behind the
// sample that the dialect is judged by.
func TestLateBackslashes(t *testing.T) {
	many := func(row string) string { return strings.Repeat(row, 400_000/len(row)) }
	for name, c := range map[string]struct{ start, end, want string }{
		"first escape":     {"plain\t1\n", "a\\tb\\\\c\t2\n", "a\tb\\c|2"},
		"first null":       {"plain\t1\n", "\\N\t2\n\t3\n", "∅|2\n|3"},
		"escapes to paths": {"\\N\t1\n", "C:\\dir\t2\n", "C:\\dir|2"},
		"in a wide text":   {"p\t1\n", "in \\d+ lines\t2\n", "in \\d+ lines|2"},
	} {
		for _, enc := range []string{"utf-8", "utf-16le"} {
			text := "s\tn\n" + many(c.start) + c.end
			if enc != "utf-8" {
				text = "\xff\xfe" + strings.Join(append(strings.Split(text, ""), ""), "\x00")
			}
			_, rows := read(t, write(t, "late.tsv", []byte(text)), Options{})
			if !strings.HasSuffix(strings.TrimSuffix(rows, "\n"), "\n"+c.want) {
				t.Errorf("%s, %s: ends in %q, want %q", name, enc, rows[max(0, len(rows)-40):], c.want)
			}
		}
	}
}

// TestBinary names the file: it may be one of many of a folder.
func TestBinary(t *testing.T) {
	f, err := Open(write(t, "pic.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x02\x03,\x00\xff\xfe")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Profile(t.Context(), Options{}); err == nil || !strings.HasPrefix(err.Error(), "pic.csv holds binary data") {
		t.Errorf("%v", err)
	}
}
