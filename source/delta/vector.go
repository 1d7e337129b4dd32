package delta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/agnes-data/da/source/listed"
)

// vector says which rows of a file are deleted.
type vector struct {
	StorageType    string `json:"storageType"`
	PathOrInlineDv string `json:"pathOrInlineDv"`
	Offset         *int64 `json:"offset"`
	SizeInBytes    int64  `json:"sizeInBytes"`
	Cardinality    int64  `json:"cardinality"`
}

// alphabet are the digits of Z85.
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

func decode85(s string) ([]byte, error) {
	if len(s)%5 != 0 {
		return nil, errors.New("a text in Z85 has a wrong length")
	}
	var out []byte
	for i := 0; i < len(s); i += 5 {
		var v uint64
		for _, c := range []byte(s[i : i+5]) {
			digit := strings.IndexByte(alphabet, c)
			if digit < 0 {
				return nil, errors.New("a text in Z85 has a wrong digit")
			}
			v = v*85 + uint64(digit) //nolint:gosec // not negative
		}
		if v > 1<<32-1 {
			return nil, errors.New("a text in Z85 has a wrong digit")
		}
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out, nil
}

// file is the path of the file that holds the vector, below the table's folder or
// absolute; empty if the log itself holds it.
func (v *vector) file() (string, error) {
	switch v.StorageType {
	case "i":
		return "", nil
	case "p":
		return v.PathOrInlineDv, nil
	case "u":
		n := len(v.PathOrInlineDv) - 20
		if n < 0 {
			return "", errors.New("the name of a deletion vector is too short")
		}
		u, err := decode85(v.PathOrInlineDv[n:])
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("deletion_vector_%x-%x-%x-%x-%x.bin", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
		if n > 0 {
			name = v.PathOrInlineDv[:n] + "/" + name
		}
		return name, nil
	}
	return "", listed.Refused(fmt.Sprintf("a deletion vector of storage type %q", v.StorageType))
}

// rows reads the vector from its file, or from the log.
func (v *vector) rows(root *listed.Root, file string) (iter.Seq[uint64], error) {
	var raw []byte
	var err error
	if file == "" {
		if raw, err = decode85(v.PathOrInlineDv); err == nil && int64(len(raw)) < v.SizeInBytes {
			err = errors.New("a deletion vector is cut")
		}
		if err == nil {
			raw = raw[:max(0, v.SizeInBytes)]
		}
	} else {
		at := int64(1) // behind the version of the file's form
		if v.Offset != nil {
			at = *v.Offset
		}
		raw, err = listed.ReadVector(root, file, at, v.SizeInBytes)
	}
	if err != nil {
		return nil, err
	}
	return listed.Bitmap(raw, v.Cardinality)
}
