package sheet_test

import (
	"bytes"
	"testing"

	"github.com/agnes-data/da/document/ooxml"
)

// partOf is the content of a part.
func partOf(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
