package scaledjpeg

import (
	"bytes"
	"errors"
	"io"
)

// ErrOther is the error for files that are damaged, or of a kind that this package
// does not know.
var ErrOther = errors.New("not a JPEG of the usual kinds")

// Plane is one component of a picture: brightness or a color.
type Plane struct {
	Pix    []byte
	Stride int
	// Across and Down are how many pixels of the picture a sample covers.
	Across, Down int
}

// Decode reads a picture that will be shown with width × height pixels. Its planes
// have somewhat more samples than that, or as many as the file has. They are
// brightness alone, or brightness and two colors.
func Decode(r io.ReaderAt, size int64, width, height int) ([]Plane, error) {
	d := &decoder{source: source{r: r, size: size}, wanted: [2]int{width, height}}
	if err := d.decode(); err != nil {
		return nil, err
	}
	return d.planes()
}

// decoder is the state of reading a file.
type decoder struct {
	source source
	bits   bits
	wanted [2]int
	frame
	quant    [4][64]int32 // factors of coefficients, in the order of the file
	tables   [2][4]*table // for means, and for the other frequencies
	interval int          // units from one restart to the next; 0 if the picture has no restarts
	scans    int
	ended    int // in progressive scans: how many of the next blocks have nothing more in the band
}

// Markers begin the parts of a file.
const (
	markBaseline    = 0xc0 // a frame
	markSequential  = 0xc1
	markProgressive = 0xc2
	markHuffman     = 0xc4
	markRestart     = 0xd0 // to 0xd7, in turn
	markLastRestart = 0xd7
	markStart       = 0xd8
	markEnd         = 0xd9
	markScan        = 0xda
	markQuant       = 0xdb
	markInterval    = 0xdd
	markApp         = 0xe0 // to 0xef
	markAdobe       = 0xee
	markLastApp     = 0xef
	markComment     = 0xfe
)

func (d *decoder) decode() error {
	if start, err := d.source.take(2); err != nil || start[0] != 0xff || start[1] != markStart {
		return ErrOther
	}
	for {
		marker, err := d.marker()
		if err != nil || marker == markEnd {
			return err
		}
		body, err := d.segment()
		if err == nil {
			err = d.read(marker, body)
		}
		if err != nil {
			return err
		}
	}
}

// marker finds the next marker. Bytes before it are passed over.
func (d *decoder) marker() (byte, error) {
	for {
		b, err := d.source.take(1)
		for err == nil && b[0] != 0xff {
			d.source.data = d.source.data[max(bytes.IndexByte(d.source.data, 0xff), 0):]
			b, err = d.source.take(1)
		}
		if err == nil {
			b, err = d.source.take(1)
		}
		if err == nil && b[0] == 0 { // it is data
			continue
		}
		for err == nil && b[0] == 0xff { // it may be filled up
			b, err = d.source.take(1)
		}
		if err != nil {
			return 0, err
		}
		if b[0] < markRestart || b[0] > markLastRestart {
			return b[0], nil
		}
	}
}

// segment returns what follows a marker.
func (d *decoder) segment() ([]byte, error) {
	b, err := d.source.take(2)
	if err != nil {
		return nil, err
	}
	n := int(b[0])<<8 | int(b[1])
	if n < 2 {
		return nil, ErrOther
	}
	return d.source.take(n - 2)
}

func (d *decoder) read(marker byte, b []byte) error {
	switch {
	case marker == markBaseline, marker == markSequential, marker == markProgressive:
		d.baseline, d.progressive = marker == markBaseline, marker == markProgressive
		return d.begin(b)
	case marker == markHuffman:
		return d.huffman(b)
	case marker == markQuant:
		return d.quantization(b)
	case marker == markScan:
		return d.scan(b)
	case marker == markInterval && len(b) == 2:
		d.interval = int(b[0])<<8 | int(b[1])
	case marker == markApp && len(b) >= 5:
		d.jfif = string(b[:5]) == "JFIF\x00"
	case marker == markAdobe && len(b) >= 12 && string(b[:5]) == "Adobe":
		d.other = b[11] == 0
	case marker >= markApp && marker <= markLastApp, marker == markComment:
	default:
		return ErrOther
	}
	return nil
}

// quantization reads what coefficients are multiplied with.
func (d *decoder) quantization(b []byte) error {
	for len(b) > 0 {
		wide, to := int(b[0]>>4), b[0]&15
		if b = b[1:]; wide > 1 || to > 3 || len(b) < 64*(1+wide) {
			return ErrOther
		}
		for i := range d.quant[to] {
			if wide == 0 {
				d.quant[to][i] = int32(b[i])
			} else {
				d.quant[to][i] = int32(b[2*i])<<8 | int32(b[2*i+1])
			}
		}
		b = b[64*(1+wide):]
	}
	return nil
}

// huffman reads tables of codes.
func (d *decoder) huffman(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 {
			return ErrOther
		}
		class, to, count := b[0]>>4, b[0]&15, 0
		for _, n := range b[1:17] {
			count += int(n)
		}
		if class > 1 || to > 3 || d.baseline && to > 1 || count == 0 || count > 256 || len(b) < 17+count {
			return ErrOther
		}
		t := new(table)
		if err := t.define([16]byte(b[1:17]), b[17:17+count]); err != nil {
			return err
		}
		d.tables[class][to] = t
		b = b[17+count:]
	}
	return nil
}
