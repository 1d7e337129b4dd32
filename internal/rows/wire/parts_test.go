package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// messagesOf are the Arrow messages of a body, without mark and record.
func messagesOf(t testing.TB, rows int) []byte {
	body := encode(t, streamOf(t, manySchema(), manyRows(t, memory.DefaultAllocator, 0, rows)))
	return body[:bytes.LastIndex(body, eosMark[:])]
}

// readParts reads parts and touches every value in them.
func readParts(schema []byte, more ...[]byte) (rows int64, err error) {
	r, err := ReadParts(schema, func() ([]byte, error) {
		if len(more) == 0 {
			return nil, io.EOF
		}
		part := more[0]
		more = more[1:]
		return part, nil
	})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		b := r.RecordBatch()
		rows += b.NumRows()
		for _, col := range b.Columns() {
			for i := range col.Len() {
				_ = col.ValueStr(i)
			}
		}
	}
	return rows, r.Err()
}

func TestPartsAreRead(t *testing.T) {
	all := messagesOf(t, 12)
	if rows, err := readParts(all); err != nil || rows != 12 {
		t.Errorf("%d rows, %v", rows, err)
	}
	size := 8 + int(uint32(all[4])|uint32(all[5])<<8|uint32(all[6])<<16)
	if rows, err := readParts(all[:size], nil, all[size:]); err != nil || rows != 12 {
		t.Errorf("in parts: %d rows, %v", rows, err)
	}
	if rows, err := readParts(all[:size]); err != nil || rows != 0 {
		t.Errorf("the schema alone: %d rows, %v", rows, err)
	}
	for _, short := range []int{1, 8, 100} {
		if _, err := readParts(all[:size], all[size:len(all)-short]); err == nil {
			t.Errorf("a part without its last %d bytes is taken", short)
		}
	}
}

func TestPartsFail(t *testing.T) {
	all := messagesOf(t, 12)
	gone := errors.New("gone")
	r, err := ReadParts(all, func() ([]byte, error) { return nil, gone })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if !errors.Is(r.Err(), gone) {
		t.Errorf("the error is %v", r.Err())
	}
	if _, err := ReadParts(nil, func() ([]byte, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("of the schema: %v", err)
	}
}

// TestHostileParts damages messages anywhere: they are refused, or they are
// safe to read.
func TestHostileParts(t *testing.T) {
	whole := messagesOf(t, 12)
	rng := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for range 4000 {
		part := bytes.Clone(whole)
		for range 1 + rng.IntN(3) {
			part[rng.IntN(len(part))] ^= byte(1 << rng.IntN(8))
		}
		if n := allocated(func() {
			if _, err := readParts(part); err != nil {
				refused++
			}
		}); n > 64<<20 {
			t.Fatalf("%d MB allocated", n>>20)
		}
	}
	if refused == 0 || refused == 4000 {
		t.Errorf("%d of 4000 refused: the test damages nothing, or only what is checked at once", refused)
	}
}
