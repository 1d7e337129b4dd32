package image

import (
	"bytes"
	"encoding/binary"
	"io"
)

// metadata is the content of a file besides the picture.
type metadata struct {
	exif     []byte // in TIFF format
	profile  []byte // color profile, as JPEG segments; not nil if there is one
	animated bool

	// What of a PNG takes memory.
	transparent, interlaced bool
	// What of a JPEG does: its samples for each pixel; 0: not known.
	samples     float64
	progressive bool
}

const maxMetadata = 4 << 20

// scan looks for metadata. It skips the picture itself, and stops where the file
// is damaged: decoding will report that.
func scan(r io.ReaderAt, size int64, format string) metadata {
	var m metadata
	s := &scanner{r: r, size: size}
	switch format {
	case "jpeg":
		m.jpeg(s)
	case "png":
		m.png(s)
	case "webp":
		m.webp(s)
	case "gif":
		m.gif(s)
	case "tiff":
		m.exif = s.bytes(0, min(size, maxMetadata))
	}
	return m
}

// scanner reads pieces of a file; missing pieces are nil.
type scanner struct {
	r    io.ReaderAt
	size int64
}

func (s *scanner) bytes(at, n int64) []byte {
	if at < 0 || n < 0 || n > maxMetadata || at+n > s.size {
		return nil
	}
	b := make([]byte, n)
	if got, err := s.r.ReadAt(b, at); err != nil && int64(got) < n {
		return nil
	}
	return b
}

func (m *metadata) jpeg(s *scanner) {
	for at := int64(2); ; {
		head := s.bytes(at, 4)
		if head == nil || head[0] != 0xff || head[1] == 0xda || head[1] == 0xd9 {
			return
		}
		if head[1] == 0xff { // a filling byte
			at++
			continue
		}
		n := int64(binary.BigEndian.Uint16(head[2:]))
		body := s.bytes(at+4, n-2)
		switch {
		case head[1] == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) && m.exif == nil:
			m.exif = body[6:]
		case (head[1] == 0xc0 || head[1] == 0xc1 || head[1] == 0xc2) && m.samples == 0:
			m.progressive = head[1] == 0xc2
			m.samples = samples(body)
		case head[1] == 0xe2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")) && len(m.profile) < maxMetadata:
			m.profile = append(append(m.profile, head...), body...)
		}
		at += 2 + n
	}
}

// samples reads in the frame of a JPEG how many samples it has for each pixel.
func samples(frame []byte) (n float64) {
	if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
		return 0
	}
	across, down, all := 1, 1, 0
	for i := range int(frame[5]) {
		h, v := int(frame[7+3*i]>>4), int(frame[7+3*i]&15)
		across, down, all = max(across, h), max(down, v), all+h*v
	}
	return float64(all) / float64(across*down)
}

func (m *metadata) png(s *scanner) {
	for at := int64(8); ; {
		head := s.bytes(at, 8)
		if head == nil {
			return
		}
		n := int64(binary.BigEndian.Uint32(head))
		switch string(head[4:]) {
		case "eXIf":
			m.exif = s.bytes(at+8, n)
		case "iCCP":
			m.profile = []byte{}
		case "IHDR":
			b := s.bytes(at+8, 13)
			m.interlaced = b != nil && b[12] != 0
		case "tRNS":
			m.transparent = true
		case "acTL":
			m.animated = true
		case "IEND":
			return
		}
		at += 12 + n
	}
}

func (m *metadata) webp(s *scanner) {
	for at := int64(12); ; {
		head := s.bytes(at, 8)
		if head == nil {
			return
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		switch string(head[:4]) {
		case "EXIF":
			m.exif = bytes.TrimPrefix(s.bytes(at+8, n), []byte("Exif\x00\x00"))
		case "ICCP":
			m.profile = []byte{}
		case "ANIM":
			m.animated = true
		}
		at += 8 + n + n%2
	}
}

// gif counts pictures: more than one is an animation.
func (m *metadata) gif(s *scanner) {
	head := s.bytes(0, 13)
	if head == nil {
		return
	}
	table := func(flags byte) int64 {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	at, frames := 13+table(head[10]), 0
	for {
		kind := s.bytes(at, 10)
		switch {
		case kind == nil:
			return
		case kind[0] == 0x2c:
			if frames++; frames > 1 {
				m.animated = true
				return
			}
			at += 11 + table(kind[9])
		case kind[0] == 0x21:
			at += 2
		default:
			return
		}
		for { // blocks of data
			n := s.bytes(at, 1)
			if n == nil {
				return
			}
			at += 1 + int64(n[0])
			if n[0] == 0 {
				break
			}
		}
	}
}

const (
	tagOrientation = 0x0112
	tagLocation    = 0x8825
)

// entry finds an entry of the first directory of the EXIF data: where its value is.
func (m metadata) entry(tag uint16) (order binary.ByteOrder, at int, ok bool) {
	b := m.exif
	if len(b) < 8 {
		return nil, 0, false
	}
	order = binary.BigEndian
	if b[0] == 'I' {
		order = binary.LittleEndian
	}
	dir := int(order.Uint32(b[4:]))
	if dir < 8 || dir > len(b)-2 {
		return nil, 0, false
	}
	for i := range int(order.Uint16(b[dir:])) {
		e := dir + 2 + 12*i
		if e+12 > len(b) {
			break
		}
		if order.Uint16(b[e:]) == tag {
			return order, e + 8, true
		}
	}
	return nil, 0, false
}

// orientation returns how the stored picture is rotated or mirrored, or 0 if
// unknown.
func (m metadata) orientation() int {
	order, at, ok := m.entry(tagOrientation)
	if !ok {
		return 0
	}
	if v := int(order.Uint16(m.exif[at:])); v <= 8 {
		return v
	}
	return 0
}

func (m metadata) located() bool {
	_, _, ok := m.entry(tagLocation)
	return ok
}

// upright is the EXIF data of the picture once it has been turned.
func (m metadata) upright() []byte {
	b := bytes.Clone(m.exif)
	if order, at, ok := m.entry(tagOrientation); ok {
		order.PutUint16(b[at:], 1)
	}
	return b
}
