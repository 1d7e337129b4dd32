package intake

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/api"
)

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMembers reads a file of several gzip members, as they come from logs that
// are put together; each starts with a header.
func TestMembers(t *testing.T) {
	packed := append(gzipped(t, []byte("id,name\n1,a\n2,b\n")), gzipped(t, []byte("id,name\n3,c\n"))...)
	p, got := read(t, write(t, "x.csv.gz", packed), Options{})
	if want := "id:integer|name:string\n1|a\n2|b\n3|c\n"; got != want || p.Problems.Repeats != 1 {
		t.Errorf("%s, want %s; %+v", got, want, p.Problems)
	}
}

// TestBomb ends the unpacking of files that were made to take time and space.
func TestBomb(t *testing.T) {
	text := bytes.Repeat([]byte("1,2\n"), freeInflation/4+freeInflation/16)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string][]byte{"bomb.csv.gz": gzipped(t, text), "bomb.csv.zst": enc.EncodeAll(text, nil)} {
		f, err := Open(write(t, name, packed))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Profile(context.Background(), Options{})
		f.Close()
		if !api.CodeReadFailed.Is(err) || !strings.Contains(err.Error(), "times its size") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Much of the same is not a bomb yet.
	rows := strings.Repeat("2024-01-31,north,1.50\n", 100_000)
	f, err := Open(write(t, "same.csv.gz", gzipped(t, []byte(rows))))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := f.Profile(context.Background(), Options{}); err != nil || p.Rows != 100_000 {
		t.Errorf("%v, %v", p, err)
	}
}
