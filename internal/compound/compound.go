// Package compound tells what is in a compound file, the container in which office
// programs stored their documents before 2007 and still wrap encrypted ones.
//
// It reads only the names at the top of the container, with a bounded number of
// reads, and trusts nothing in the file. It must not read any document.
package compound

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// Magic is how every compound file starts.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Kind is what a compound file holds.
type Kind string

// The kinds of contents. Other is for contents without a constant here.
const (
	Other        Kind = ""
	Encrypted    Kind = "encrypted" // a document of today's format, with a password
	Workbook     Kind = "workbook"
	Text         Kind = "text" // of a word processor
	Presentation Kind = "presentation"
	Mail         Kind = "mail"
	Drawing      Kind = "drawing"
)

// kindOf returns the kind that an entry at the top of a container shows.
func kindOf(name string) Kind {
	name = strings.ToLower(name)
	switch name {
	case "encryptedpackage":
		return Encrypted
	case "workbook", "book":
		return Workbook
	case "worddocument":
		return Text
	case "powerpoint document":
		return Presentation
	case "visiodocument":
		return Drawing
	}
	if strings.HasPrefix(name, "__substg1.0_") || name == "__properties_version1.0" {
		return Mail
	}
	return Other
}

// ErrDamaged means that the container's directory cannot be read.
var ErrDamaged = errors.New("the compound file is damaged or incomplete")

const (
	maxReads   = 8192 // of a file: more than any real directory takes
	entrySize  = 128
	headerSize = 512
	inHeader   = 109        // sectors of the allocation table that the header lists
	lastSector = 0xfffffffa // above it, numbers have other meanings
)

// file is a compound file that is open for reading.
type file struct {
	r         io.ReaderAt
	header    [headerSize]byte
	sector    int64 // bytes of one
	reads     int
	directory []uint32 // its sectors so far
}

// Detect returns what the compound file r holds. The error is ErrDamaged, or that of r.
func Detect(r io.ReaderAt) (Kind, error) {
	f := &file{r: r}
	if err := f.read(f.header[:], 0); err != nil {
		return Other, err
	}
	shift := binary.LittleEndian.Uint16(f.header[30:])
	if string(f.header[:len(Magic)]) != Magic || shift < 7 || shift > 16 {
		return Other, ErrDamaged
	}
	f.sector = 1 << shift
	f.directory = []uint32{binary.LittleEndian.Uint32(f.header[48:])}
	root, err := f.entry(0)
	if err != nil {
		return Other, err
	}
	return f.top(root.child)
}

// top looks through the entries of the tree at id, which are those directly below
// the root: documents can have others inside.
func (f *file) top(id uint32) (Kind, error) {
	seen := map[uint32]bool{}
	for open := []uint32{id}; len(open) > 0; {
		id, open = open[len(open)-1], open[:len(open)-1]
		if id > lastSector || seen[id] {
			continue
		}
		seen[id] = true
		e, err := f.entry(id)
		if err != nil {
			return Other, err
		}
		if k := kindOf(e.name); k != Other {
			return k, nil
		}
		open = append(open, e.left, e.right)
	}
	return Other, nil
}

// entry is one of the directory: left and right are its neighbours in the folder.
type entry struct {
	name               string
	left, right, child uint32
}

func (f *file) entry(id uint32) (entry, error) {
	perSector := uint32(f.sector / entrySize)
	for uint32(len(f.directory)) <= id/perSector {
		next, err := f.next(f.directory[len(f.directory)-1])
		if err != nil {
			return entry{}, err
		}
		f.directory = append(f.directory, next)
	}
	var b [entrySize]byte
	if err := f.readSector(b[:], f.directory[id/perSector], int64(id%perSector)*entrySize); err != nil {
		return entry{}, err
	}
	units := make([]uint16, 0, 32)
	for i := 0; i < 64 && i+2 < int(binary.LittleEndian.Uint16(b[64:])); i += 2 { // the size counts a zero at the end
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return entry{
		name: string(utf16.Decode(units)), left: binary.LittleEndian.Uint32(b[68:]),
		right: binary.LittleEndian.Uint32(b[72:]), child: binary.LittleEndian.Uint32(b[76:]),
	}, nil
}

// next returns the sector that follows another, from the allocation table.
func (f *file) next(sector uint32) (uint32, error) {
	perSector := uint32(f.sector / 4)
	table, err := f.tableSector(sector / perSector)
	if err != nil {
		return 0, err
	}
	return f.number(table, int64(sector%perSector)*4)
}

// tableSector returns where part i of the allocation table is. The header lists the
// first parts. A chain of sectors, each with the number of the next at its end, lists
// the others.
func (f *file) tableSector(i uint32) (uint32, error) {
	if i < inHeader {
		return binary.LittleEndian.Uint32(f.header[76+4*i:]), nil
	}
	i -= inHeader
	perSector := uint32(f.sector/4) - 1
	list := binary.LittleEndian.Uint32(f.header[68:])
	for ; i >= perSector; i -= perSector {
		next, err := f.number(list, int64(perSector)*4)
		if err != nil {
			return 0, err
		}
		list = next
	}
	return f.number(list, int64(i)*4)
}

func (f *file) number(sector uint32, at int64) (uint32, error) {
	var b [4]byte
	err := f.readSector(b[:], sector, at)
	return binary.LittleEndian.Uint32(b[:]), err
}

func (f *file) readSector(b []byte, sector uint32, at int64) error {
	if sector > lastSector {
		return ErrDamaged
	}
	return f.read(b, (int64(sector)+1)*f.sector+at) // the header takes the place of one
}

func (f *file) read(b []byte, at int64) error {
	if f.reads++; f.reads > maxReads {
		return ErrDamaged
	}
	n, err := f.r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case errors.Is(err, io.EOF):
		return ErrDamaged
	}
	return err
}
