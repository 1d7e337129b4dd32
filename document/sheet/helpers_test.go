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

// replacePart is a package with another content of a part.
func replacePart(t testing.TB, data []byte, name, text string) []byte {
	t.Helper()
	p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	p.Set(name, []byte(text))
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
