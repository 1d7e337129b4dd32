package intake

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// TestZerosBehindGzip: they fill a block, between members or behind them; other bytes
// are damage.
func TestZerosBehindGzip(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.Bytes()
	}
	zeros := make([]byte, 512)
	for _, c := range []struct {
		parts [][]byte
		want  string
		fails bool
	}{
		{[][]byte{pack("a,b\n1,2\n"), zeros}, "a,b\n1,2\n", false},
		{[][]byte{pack("a,b\n"), pack("1,2\n")}, "a,b\n1,2\n", false},
		{[][]byte{pack("a,b\n"), zeros, pack("1,2\n"), zeros}, "a,b\n1,2\n", false},
		{[][]byte{pack("a,b\n"), []byte("rest of another file")}, "", true},
		{[][]byte{pack("a,b\n1,2\n")[:20]}, "", true},
	} {
		f := &File{Compression: "gzip"}
		r, err := f.unpack(bytes.NewReader(bytes.Join(c.parts, nil)))
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
		}
		if (err != nil) != c.fails || !c.fails && string(got) != c.want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestZerosBehindRows: a crash leaves the rest of a block unwritten behind a log's last row.
func TestZerosBehindRows(t *testing.T) {
	for text, want := range map[string]int64{
		"a,b\n1,2\n3,4\n" + strings.Repeat("\x00", 4):             2,
		"a,b\n1,2\n3,4\n5,6\n" + strings.Repeat("\x00", 5) + "\n": 3,
		"a,b\n1,2\n3,4\n" + strings.Repeat("\x00", 4096):          2, // of a page that was not filled
		"a,b\n1,2\n\x00,4\n":                                      2, // a record
	} {
		p, _ := read(t, write(t, "log.csv", []byte(text)), Options{})
		if p.Rows != want || (len(p.Footer) > 0) != strings.HasSuffix(strings.TrimSpace(text), "\x00") {
			t.Errorf("%.30q: %d rows, and behind them %q", text, p.Rows, p.Footer)
		}
	}
}
