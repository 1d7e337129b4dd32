package summary

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// wide is a key of 128 bits.
type wide struct{ high, low uint64 }

// wideKind is the kind of a type whose values have 128 bits: long decimals, and
// the engine's integers, which are bytes to Arrow.
func wideKind(f arrow.Field) (k kind[wide], ok bool) {
	flip := uint64(signBit)
	switch t := f.Type.(type) {
	case *arrow.Decimal128Type:
		k.scale = t.Scale
		k.keys = keysOf((*array.Decimal128).Values, func(v decimal128.Num) wide { return wide{uint64(v.HighBits()) ^ signBit, v.LowBits()} })
	default:
		meta, _ := f.Metadata.GetValue("ARROW:extension:metadata")
		fixed, bytes16 := f.Type.(*arrow.FixedSizeBinaryType)
		unsigned := bytes.Contains([]byte(meta), []byte(`"uhugeint"`))
		if !bytes16 || fixed.ByteWidth != 16 || !unsigned && !bytes.Contains([]byte(meta), []byte(`"hugeint"`)) {
			return k, false
		}
		if unsigned {
			flip = 0
		}
		k.keys = hugeKeys(flip)
	}
	k.order, k.number, k.finite = wideOrder, true, always[wide]
	k.value = func(key wide) []byte { return littleEndian(key.low, key.high^flip, 16) }
	k.whole = func(key wide) [3]uint64 {
		high := key.high ^ flip
		rest := uint64(0)
		if flip != 0 {
			rest = extension(high)
		}
		return [3]uint64{key.low, high, rest}
	}
	k.real = func(key wide) float64 {
		if flip == 0 {
			return math.Ldexp(float64(key.high), 64) + float64(key.low)
		}
		return decimal128.New(int64(key.high^flip), key.low).ToFloat64(k.scale)
	}
	return k, true
}

func hugeKeys(flip uint64) func([]wide, arrow.Array) []wide {
	return func(dst []wide, arr arrow.Array) []wide {
		a := arr.(*array.FixedSizeBinary)
		for i := range a.Len() {
			if a.IsValid(i) {
				b := a.Value(i)
				dst = append(dst, wide{binary.LittleEndian.Uint64(b[8:]) ^ flip, binary.LittleEndian.Uint64(b)})
			}
		}
		return dst
	}
}
