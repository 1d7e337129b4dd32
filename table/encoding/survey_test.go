package encoding

import (
	"bytes"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// TestChunksMakeNoDifference surveys files whole and in chunks of random sizes:
// all findings must be the same, and so must the encoding.
func TestChunksMakeNoDifference(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	long := strings.Repeat("plain text without an end of line, ", 400)
	files := map[string]string{
		"empty":           "",
		"utf-8":           table(rnd, "cs", 2000),
		"latin":           strings.Repeat("id,caf\xe9,1\n2,plain,3\n", 9000),
		"long line":       long + "caf\xe9" + long + "d\xe9j\xe0\n" + long + "\nx\xe9",
		"cut at the end":  "a,b\n1," + long + "\xe2\x82",
		"stray":           "\xe2\x82A\xf0\x9f\x92,\xff\xfe\n\xc3",
		"escapes":         long + "\x1b$B8l\x1b(B\n" + long,
		"zeros":           "a\x00,\x00b\x00\n\x00\xe1\x00,\x002\x00\n\x00",
		"rare words":      strings.Repeat("1,plain\n", 20_000) + "\xec\xb9\xe8\n" + strings.Repeat("1,plain\n", 5000) + "\xf8",
		"more than fits":  strings.Repeat("\xf8\xe1d "+long[:90]+"\n", 3000),
		"one endless row": strings.Repeat("\xe9 "+long[:3000], 60),
	}
	for name, text := range files {
		whole := &Survey{}
		_, _ = whole.Write([]byte(text))
		want, telling := whole.Detect(), whole.telling
		for range 20 {
			s, most := &Survey{}, []int{1, 3, 17, 5000, 70_000}[rnd.Intn(5)]
			for rest := []byte(text); len(rest) > 0; {
				n := min(1+rnd.Intn(most), len(rest))
				_, _ = s.Write(bytes.Clone(rest[:n])) // the caller may use its buffer again
				rest = rest[n:]
			}
			if got := s.Detect(); !reflect.DeepEqual(got, want) || !bytes.Equal(s.telling, telling) {
				t.Fatalf("%s, in chunks of up to %d bytes: %+v with %d bytes of evidence; as a whole: %+v with %d", name, most, got, len(s.telling), want, len(telling))
			}
			if s.size != whole.size || s.high != whole.high || s.valid != whole.valid || s.invalid != whole.invalid || s.nul != whole.nul || s.esc != whole.esc || !bytes.Equal(s.head, whole.head) {
				t.Fatalf("%s, in chunks of up to %d bytes: other counts", name, most)
			}
		}
	}
}
