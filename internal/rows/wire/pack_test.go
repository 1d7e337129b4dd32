package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/api"
)

func TestTheSameRowsMakeTheSameCompressedBytes(t *testing.T) {
	first, again := manyBodyAs(t, 3, 700, Zstd), manyBodyAs(t, 3, 700, Zstd)
	if !bytes.Equal(first, again) {
		t.Error("two bodies of the same rows differ")
	}
	if plain := manyBody(t, 3, 700); len(first) > len(plain)/2 {
		t.Errorf("%d bytes compressed, %d plain", len(first), len(plain))
	}
}

// packedBody is a body with one batch, whose second buffer is pack(values).
func packedBody(t *testing.T, codec byte, pack func(values []byte) []byte) []byte {
	t.Helper()
	body := numbersBody(t)
	from, to := firstBatch(t, body)
	b, ok := batchOf(body[from:to])
	if !ok {
		t.Fatal("no batch")
	}
	s := b.buffers[1]
	raw := make([]byte, 8, 64)
	binary.LittleEndian.PutUint64(raw, 1<<64-1)
	raw = append(raw, body[to+int(b.buffers[0].offset):][:8]...)
	values := pack(body[to+int(s.offset):][:s.length])
	b.buffers = []span{{0, 16}, {16, int64(len(values))}}
	b.packed, b.codec = true, codec
	raw = append(raw, values...)
	raw = append(raw, make([]byte, -len(raw)&7)...)
	return append(append([]byte{}, body[:from-8]...), frame(b.build(int64(len(raw))), raw)...)
}

// TestCompressedBuffersThatNoServerSends: they are refused, and take little
// memory before.
func TestCompressedBuffersThatNoServerSends(t *testing.T) {
	compress := func(data []byte) []byte {
		enc, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return enc.EncodeAll(data, nil)
	}
	claim := func(n uint64, data []byte) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, n), data...)
	}
	zeros := make([]byte, unpackLimit+8)
	bomb := compress(zeros)
	for what, c := range map[string]struct {
		codec byte
		pack  func(values []byte) []byte
	}{
		"another codec":               {0, func(v []byte) []byte { return claim(24, compress(v)) }},
		"an unknown codec":            {9, func(v []byte) []byte { return claim(24, compress(v)) }},
		"a buffer without its length": {1, func([]byte) []byte { return []byte{1, 2, 3} }},
		"a negative length":           {1, func(v []byte) []byte { return claim(1<<63, compress(v)) }},
		"more than it holds":          {1, func(v []byte) []byte { return claim(1<<20, compress(v)) }},
		"less than it holds":          {1, func(v []byte) []byte { return claim(16, compress(v)) }},
		"no zstd":                     {1, func(v []byte) []byte { return claim(24, v) }},
		"1 GiB, claimed":              {1, func(v []byte) []byte { return claim(1<<30, compress(v)) }},
		"200 MB, claimed by a little": {1, func(v []byte) []byte { return claim(200<<20, compress(v)) }},
		"a bomb":                      {1, func([]byte) []byte { return claim(uint64(len(zeros)), bomb) }},
		"a bomb that is said small":   {1, func([]byte) []byte { return claim(24, bomb) }},
	} {
		body := packedBody(t, c.codec, c.pack)
		var err error
		n := allocated(func() { _, _, err = drain(bytes.NewReader(body)) })
		if !api.CodeStreamCut.Is(err) || strings.Contains(err.Error(), "ended early") {
			t.Errorf("%s: %v", what, err)
		}
		if n > 20<<20 {
			t.Errorf("%s: took %d MB", what, n>>20)
		}
	}
	// What is sound ends where the record is missing.
	_, _, err := drain(bytes.NewReader(packedBody(t, codecZstd, func(v []byte) []byte { return claim(uint64(len(v)), compress(v)) })))
	if !api.CodeStreamCut.Is(err) || !strings.Contains(err.Error(), "ended early") {
		t.Errorf("a sound batch: %v", err)
	}
}

// TestOtherLibrariesMayPack reads what Arrow's own writer compresses.
func TestOtherLibrariesMayPack(t *testing.T) {
	rec := manyRows(t, memory.DefaultAllocator, 0, 500)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	s, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Batches.Next() || s.Batches.RecordBatch().NumRows() != 500 {
		t.Errorf("%v", s.Batches.Err())
	}
}

// TestVeryLargeMessagesAreNotCompressed: readers take no more than so much
// memory for what is.
func TestVeryLargeMessagesAreNotCompressed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few hundred MB")
	}
	rec := numbersAnd(strings.Repeat("x", packLimit+1), 1)
	rows, _, err := drain(bytes.NewReader(encodeAs(t, streamOf(t, rec.Schema(), rec), Zstd)))
	if rows != 1 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func BenchmarkPack(b *testing.B) {
	rec := numbers(122_880)
	b.SetBytes(api.BatchBytes(rec))
	for b.Loop() {
		if _, err := Encode(discard{}, func() {}, streamOf(b, rec.Schema(), []arrow.RecordBatch{rec}...), Zstd); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
