package text

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// TestEncodingsAreRecognisedAndKept reads and changes texts of one byte a letter.
func TestEncodingsAreRecognisedAndKept(t *testing.T) {
	for name, c := range map[string]struct {
		letters encoding.Encoding
		line    string
		added   string
	}{
		"windows-1251": {charmap.Windows1251, "Отчёт о продажах за май: всего продано больше товаров, чем в прошлом году.", "Итого"},
		"iso-8859-7":   {charmap.ISO8859_7, "Οι πωλήσεις του Μαΐου ήταν καλύτερες από εκείνες του προηγούμενου έτους.", "Σύνολο"},
		"windows-1250": {charmap.Windows1250, "Příliš žluťoučký kůň úpěl ďábelské ódy a šťastně skončil řádek s češtinou.", "Celkem řádků"},
	} {
		raw, err := c.letters.NewEncoder().Bytes([]byte(strings.Repeat(c.line+"\r\n", 40)))
		if err != nil {
			t.Fatal(err)
		}
		part, err := Read(bytes.NewReader(raw), int64(len(raw)), ReadOptions{Start: 40})
		if err != nil || part.Content != c.line+"\r\n" || !part.Guessed {
			t.Errorf("%s: read as %s: %q, %v", name, part.Encoding, part.Content, err)
			continue
		}
		var out bytes.Buffer
		if _, err := Insert(bytes.NewReader(raw), int64(len(raw)), &out, 1, c.added); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want, err := c.letters.NewEncoder().Bytes([]byte(c.line + "\r\n" + c.added + "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Bytes(); !bytes.HasPrefix(got, want) || !bytes.HasSuffix(got, raw[len(raw)/2:]) {
			t.Errorf("%s: the text became %q", name, got[:min(len(got), 300)])
		}
	}
}
