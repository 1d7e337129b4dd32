package ooxml_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/agnes-data/da/document/ooxml"
)

func TestMarkupIsFoundWhereItBegins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = "</row>!f"[r.IntN(8)]
		}
		for _, markup := range []string{"</w>", "</row>", "<!", "<f", "<r"} {
			if got, want := ooxml.IndexMarkup(b, []byte(markup)), bytes.Index(b, []byte(markup)); got != want {
				t.Fatalf("%q in %q: %d, not %d", markup, b, got, want)
			}
		}
	}
}
