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

// counter counts reads.
type counter struct {
	*bytes.Reader
	n int
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	c.n++
	return c.Reader.ReadAt(p, at)
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

// TestLargeFile has its directory at the end of a file so large that the header does
// not list all parts of the allocation table.
func TestLargeFile(t *testing.T) {
	const sector, list, part = 14_000, 3, 4
	at := func(n int) int { return (n + 1) * compoundtest.Sector }
	small := compoundtest.File([]string{"a", "b", "c", "d", "WordDocument"})
	large := changed(append(small[:directory:directory], make([]byte, at(sector)-directory)...), map[int]uint32{
		48: sector, 68: list, at(list): part, at(part) + 4*(sector%128): sector + 1,
	})
	large = append(large, small[directory:]...)
	if got, err := compound.Detect(bytes.NewReader(large)); err != nil || got != compound.Text {
		t.Errorf("%q, %v", got, err)
	}
	endless := changed(large, map[int]uint32{48: 0x7ffffff0, at(list) + 508: list})
	if got, err := compound.Detect(bytes.NewReader(endless)); !errors.Is(err, compound.ErrDamaged) {
		t.Errorf("a list that runs in circles: %q, %v", got, err)
	}
}

// TestHostileFiles: nothing in a file leads to endless reading.
func TestHostileFiles(t *testing.T) {
	whole := compoundtest.File([]string{"a", "b", "c", "d", "e"})
	const right = directory + 128 + 72 // of the first entry
	for name, c := range map[string]struct {
		data    []byte
		damaged bool
	}{
		"only the start":              {[]byte(compound.Magic), true},
		"cut":                         {whole[:directory+128], true},
		"an entry that is its own":    {changed(whole, map[int]uint32{right: 1}), false},
		"an entry beyond the end":     {changed(whole, map[int]uint32{right: 1_000_000}), true},
		"a directory in circles":      {changed(whole, map[int]uint32{right: 0x7ffffff0, table + 4: 1}), true},
		"a table out of the file":     {changed(whole, map[int]uint32{76: 0xfffffff0}), true},
		"a directory out of the file": {changed(whole, map[int]uint32{48: 0x0ffffff0}), true},
		"sectors of no size":          {changed(whole, map[int]uint32{28: 0}), true},
		"a name that is too long":     {changed(whole, map[int]uint32{directory + 128 + 64: 0xffff}), false},
	} {
		r := &counter{Reader: bytes.NewReader(c.data)}
		got, err := compound.Detect(r)
		if got != compound.Other || errors.Is(err, compound.ErrDamaged) != c.damaged || r.n > 10_000 {
			t.Errorf("%s: %q, %v after %d reads", name, got, err, r.n)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add(compoundtest.File([]string{"a", "Workbook"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &counter{Reader: bytes.NewReader(data)}
		if _, err := compound.Detect(r); err != nil && !errors.Is(err, compound.ErrDamaged) {
			t.Error(err)
		}
		if r.n > 10_000 {
			t.Errorf("%d reads", r.n)
		}
	})
}
