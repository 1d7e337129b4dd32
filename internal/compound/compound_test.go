package compound_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/agnes-data/da/internal/compound"
	"github.com/agnes-data/da/internal/testing/compoundtest"
)

// TestDetect names documents by what is directly below the root, and not by what
// they have inside.
func TestDetect(t *testing.T) {
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprint("stream ", i))
	}
	for _, c := range []struct {
		names, inside []string
		want          compound.Kind
	}{
		{[]string{"Workbook"}, nil, compound.Workbook},
		{[]string{"\x05SummaryInformation", "Book"}, nil, compound.Workbook},
		{[]string{"1Table", "\x01CompObj", "WordDocument"}, nil, compound.Text},
		{[]string{"ObjectPool", "WordDocument"}, []string{"Workbook"}, compound.Text},
		{[]string{"MBD0001", "Workbook"}, []string{"WordDocument", "PowerPoint Document"}, compound.Workbook},
		{[]string{"Current User", "PowerPoint Document"}, nil, compound.Presentation},
		{[]string{"__nameid_version1.0", "__substg1.0_0037001F"}, nil, compound.Mail},
		{[]string{"VisioDocument"}, nil, compound.Drawing},
		{[]string{"\x06DataSpaces", "EncryptionInfo", "EncryptedPackage"}, nil, compound.Encrypted},
		{[]string{"WORKBOOK"}, nil, compound.Workbook},
		{[]string{"something"}, nil, compound.Other},
		{append(many, "WordDocument"), nil, compound.Text},
	} {
		got, err := compound.Detect(bytes.NewReader(compoundtest.File(c.names, c.inside...)))
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.names, got, err, c.want)
		}
	}
}

// changed returns the file with numbers put at offsets.
func changed(data []byte, at map[int]uint32) []byte {
	out := bytes.Clone(data)
	for i, to := range at {
		binary.LittleEndian.PutUint32(out[i:], to)
	}
	return out
}

const (
	table     = compoundtest.Sector // where File puts it
	directory = 2 * compoundtest.Sector
)

// TestHostileFiles: damaged files are errors, and nothing in them leads in circles.
func TestHostileFiles(t *testing.T) {
	whole := compoundtest.File([]string{"a", "b", "c", "d", "e"})
	const right = directory + 128 + 72 // of the first entry
	for name, data := range map[string][]byte{
		"only the start":              []byte(compound.Magic),
		"cut":                         whole[:directory+128],
		"an entry that is its own":    changed(whole, map[int]uint32{right: 1}),
		"an entry beyond the end":     changed(whole, map[int]uint32{right: 1_000_000}),
		"a directory in circles":      changed(whole, map[int]uint32{table + 8: 1}),
		"a table out of the file":     changed(whole, map[int]uint32{76: 0xfffffff0}),
		"a directory out of the file": changed(whole, map[int]uint32{48: 0x0ffffff0}),
		"sectors of no size":          changed(whole, map[int]uint32{28: 0}),
	} {
		if got, err := compound.Detect(bytes.NewReader(data)); got != compound.Other || !errors.Is(err, compound.ErrDamaged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add(compoundtest.File([]string{"a", "Workbook"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := compound.Detect(bytes.NewReader(data)); err != nil && !errors.Is(err, compound.ErrDamaged) {
			t.Error(err)
		}
	})
}
