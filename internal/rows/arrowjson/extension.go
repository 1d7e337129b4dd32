package arrowjson

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// The extension types that are shown otherwise than their storage.
const (
	extBool8  = "arrow.bool8"
	extUUID   = "arrow.uuid"
	extJSON   = "arrow.json"
	extOpaque = "arrow.opaque"

	opaqueHugeint  = "hugeint"
	opaqueUhugeint = "uhugeint"
	opaqueBignum   = "bignum"
	opaqueBit      = "bit"
	opaqueTimeTZ   = "time_tz"
)

// extension names an extension type; opaque is DuckDB's name for a type that only
// DuckDB has.
type extension struct{ name, opaque string }

// extensionOf returns the extension type of a field, and its storage type. A type
// that has crossed the C interface, or that is not registered, is identified only
// by the field's metadata.
func extensionOf(field arrow.Field) (extension, arrow.DataType) {
	name, _ := field.Metadata.GetValue("ARROW:extension:name")
	meta, _ := field.Metadata.GetValue("ARROW:extension:metadata")
	storage := field.Type
	if x, ok := storage.(arrow.ExtensionType); ok {
		name, meta, storage = x.ExtensionName(), x.Serialize(), x.StorageType()
	}
	ext := extension{name: name}
	if name == extOpaque {
		var opaque struct {
			Type   string `json:"type_name"`
			Vendor string `json:"vendor_name"`
		}
		if json.Unmarshal([]byte(meta), &opaque) == nil && opaque.Vendor == "DuckDB" {
			ext.opaque = opaque.Type
		}
	}
	return ext, storage
}

// bindExtension returns nil if the storage type shows the value well enough, or
// is not what the extension type requires.
func bindExtension(ext extension, arr arrow.Array) appender {
	switch ext.name {
	case extBool8:
		if a, ok := arr.(*array.Int8); ok {
			return bool8(a)
		}
	case extUUID:
		if a, ok := arr.(*array.FixedSizeBinary); ok && width(a) == 16 {
			return func(dst []byte, i int) ([]byte, Kind) { return appendUUID(dst, a.Value(i)), Text }
		}
	case extJSON:
		if a, ok := arr.(array.StringLike); ok {
			return func(dst []byte, i int) ([]byte, Kind) { return appendCompact(dst, a.Value(i)) }
		}
	case extOpaque:
		return bindOpaque(ext.opaque, arr)
	}
	return nil
}

// bindOpaque reads the types that DuckDB's lossless conversion hands out in its
// own storage format.
func bindOpaque(name string, arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.FixedSizeBinary:
		switch {
		case name == opaqueHugeint && width(a) == 16, name == opaqueUhugeint && width(a) == 16:
			return func(dst []byte, i int) ([]byte, Kind) { return appendHuge(dst, a.Value(i), name == opaqueHugeint) }
		case name == opaqueTimeTZ && width(a) == 8:
			return func(dst []byte, i int) ([]byte, Kind) { return appendTimeTZ(dst, a.Value(i)), Text }
		}
	case *array.Binary:
		switch name {
		case opaqueBignum:
			return func(dst []byte, i int) ([]byte, Kind) { return appendBignum(dst, a.Value(i)) }
		case opaqueBit:
			return func(dst []byte, i int) ([]byte, Kind) { return appendBits(dst, a.Value(i)), Text }
		}
	}
	return nil
}

func width(a *array.FixedSizeBinary) int {
	return a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
}

func bool8(a *array.Int8) appender {
	return func(dst []byte, i int) ([]byte, Kind) {
		if a.Value(i) != 0 {
			return append(dst, "true"...), Bool
		}
		return append(dst, "false"...), Bool
	}
}

func appendUUID(dst, v []byte) []byte {
	for i, group := range [][]byte{v[:4], v[4:6], v[6:8], v[8:10], v[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, group)
	}
	return dst
}

// appendCompact puts JSON on one line. DuckDB validates what it casts to JSON,
// but other senders may not.
func appendCompact(dst []byte, text string) ([]byte, Kind) {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return append(dst, text...), Text
	}
	return appendHarmless(dst, b.Bytes()), JSON
}

// appendHuge reads a 128-bit integer, least significant byte first.
func appendHuge(dst, v []byte, isSigned bool) ([]byte, Kind) {
	low, high := binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[8:])
	n := new(big.Int).SetUint64(high)
	if isSigned {
		n.SetInt64(int64(high))
	}
	n.Lsh(n, 64)
	return appendBigInt(dst, n.Add(n, new(big.Int).SetUint64(low)))
}

// appendBignum reads three bytes of header, whose first bit says whether the
// number is positive, and the magnitude, most significant byte first. All bits
// of a negative number are inverted.
func appendBignum(dst, v []byte) ([]byte, Kind) {
	const header = 3
	if len(v) <= header {
		return dst, Null
	}
	magnitude := bytes.Clone(v[header:])
	negative := v[0]&0x80 == 0
	if negative {
		for i := range magnitude {
			magnitude[i] = ^magnitude[i]
		}
	}
	n := new(big.Int).SetBytes(magnitude)
	if negative {
		n.Neg(n)
	}
	return appendBigInt(dst, n)
}

// appendBits reads a byte that says how many of the first bits are padding, and
// then the bits.
func appendBits(dst, v []byte) []byte {
	if len(v) == 0 {
		return dst
	}
	for bit := int(v[0]); bit < 8*(len(v)-1); bit++ {
		dst = append(dst, '0'+v[1+bit/8]>>(7-bit%8)&1)
	}
	return dst
}

// appendTimeTZ reads microseconds of the local day in the upper 40 bits, and in
// the lower 24 the offset from UTC in seconds, subtracted from the largest one.
func appendTimeTZ(dst, v []byte) []byte {
	const maxOffset = 16*3600 - 1
	bits := int64(binary.LittleEndian.Uint64(v))
	dst = appendTime(dst, bits>>24, 1_000_000)
	offset := maxOffset - bits&0xFFFFFF
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(dst, sign)
	dst = append(appendPadded(dst, offset/3600, 10), ':')
	dst = appendPadded(dst, offset/60%60, 10)
	if offset%60 != 0 {
		dst = appendPadded(append(dst, ':'), offset%60, 10)
	}
	return dst
}
