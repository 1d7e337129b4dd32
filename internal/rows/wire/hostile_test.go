package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

// allocated returns how many bytes f allocated.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// frame puts a message's prefix before its metadata, and its body behind.
func frame(meta, body []byte) []byte {
	for len(meta)%8 != 0 {
		meta = append(meta, 0)
	}
	b := append([]byte{}, eosMark[:4]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(meta)))
	return append(append(b, meta...), body...)
}

// firstBatch returns where the metadata of the first record batch lies.
func firstBatch(t *testing.T, body []byte) (from, to int) {
	t.Helper()
	schema := int(binary.LittleEndian.Uint32(body[4:]))
	at := 8 + schema
	return at + 8, at + 8 + int(binary.LittleEndian.Uint32(body[at+4:]))
}

// numbersBody is a body with one batch of plain numbers.
func numbersBody(t *testing.T) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	rec := b.NewRecordBatch()
	return encode(t, streamOf(t, schema, rec))
}

// setBatch changes a 64-bit field in the first batch's metadata.
func setBatch(t *testing.T, change func(m *metadata, message, batch int)) []byte {
	t.Helper()
	body := numbersBody(t)
	from, to := firstBatch(t, body)
	m := &metadata{buf: body[from:to]}
	message := int(binary.LittleEndian.Uint32(m.buf))
	batch, ok := m.follow(message, slotHeader)
	if !ok {
		t.Fatal("no batch")
	}
	change(m, message, batch)
	return body
}

func put(m *metadata, at int, v uint64) { binary.LittleEndian.PutUint64(m.buf[at:], v) }

func TestAbsurdLengthsAreRefusedWithoutMemory(t *testing.T) {
	bodyOf := func(n uint64) []byte {
		return setBatch(t, func(m *metadata, message, _ int) {
			at, _ := m.field(message, slotBodyLength)
			put(m, at, n)
		})
	}
	element := func(slot, i int, v uint64) []byte {
		return setBatch(t, func(m *metadata, _, batch int) {
			at, _ := m.elements(batch, slot)
			put(m, at+8*i, v)
		})
	}
	rows := func(n uint64) []byte {
		return setBatch(t, func(m *metadata, _, batch int) {
			at, _ := m.field(batch, slotBatchLength)
			put(m, at, n)
		})
	}
	count := func(slot int, n uint32) []byte {
		return setBatch(t, func(m *metadata, _, batch int) {
			at, _ := m.elements(batch, slot)
			binary.LittleEndian.PutUint32(m.buf[at-4:], n)
		})
	}
	cases := map[string][]byte{
		"metadata of 2 GiB":           {0xff, 0xff, 0xff, 0xff, 0xf8, 0xff, 0xff, 0x7f},
		"metadata of a negative size": {0xff, 0xff, 0xff, 0xff, 0xf8, 0xff, 0xff, 0xff},
		"metadata of 8 MB, claimed":   {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x80, 0x00, 1, 2, 3},
		"the format before 0.15":      {0x10, 0, 0, 0, 0, 0, 0, 0},
		"the short mark":              {0, 0, 0, 0},
		"body of 2^62":                bodyOf(1 << 62),
		"body of a negative size":     bodyOf(1 << 63),
		"body of 1 GiB, claimed":      bodyOf(1 << 30),
		"2^40 rows":                   rows(1 << 40),
		"more rows than there are":    rows(1000),
		"negative rows":               rows(1 << 63),
		"2^32-1 nodes":                count(slotBatchNodes, 1<<32-1),
		"2^32-1 buffers":              count(slotBatchBuffers, 1<<32-1),
		"a column of 2^50 rows":       element(slotBatchNodes, 0, 1<<50),
		"a column of 900 rows":        element(slotBatchNodes, 0, 900),
		"a negative column":           element(slotBatchNodes, 0, 1<<63),
		"a wrong null count":          element(slotBatchNodes, 1, 3),
		"a buffer behind the body":    element(slotBatchBuffers, 2, 1<<20),
		"a buffer before the body":    element(slotBatchBuffers, 2, 1<<64-8),
		"a buffer of 2^62":            element(slotBatchBuffers, 3, 1<<62),
		"a buffer off its alignment":  element(slotBatchBuffers, 2, 1),
		"a buffer that is too short":  element(slotBatchBuffers, 3, 8),
	}
	for name, body := range cases {
		var err error
		n := allocated(func() { _, _, err = drain(bytes.NewReader(body)) })
		if !api.CodeStreamCut.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
		if n > 20<<20 {
			t.Errorf("%s: took %d MB", name, n>>20)
		}
	}
}

// schemaMessage builds, by hand, the metadata of a schema with one field whose
// list of children is what children returns for it: the number of elements
// claimed and the offset of each, from where it is written.
func schemaMessage(children func(fieldAt, elemAt int) (claimed uint32, offsets []uint32)) []byte {
	var b []byte
	u16 := func(v ...uint16) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
	}
	u32 := func(v ...uint32) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
	}
	u32(16)              // root table at 16
	u16(10, 12, 0, 4, 8) // its vtable at 4: nothing, header type at +4, header at +8
	u16(0)               // padding to 16
	u32(12)              // table at 16: vtable 12 before
	u32(kindSchema)      // +4
	u32(12)              // +8: schema table at 36
	u16(8, 8, 0, 4)      // vtable at 28
	u32(8, 4)            // table at 36: vtable 8 before; fields vector at 40+4 = 44
	u32(1, 24)           // one field, its table at 48+24 = 72
	u16(18, 16, 0, 0, 4) // vtable at 52: name, nullable, type tag at +4,
	u16(8, 0, 12, 0, 0)  // type at +8, dictionary, children at +12, metadata
	u32(20)              // table at 72: vtable 20 before
	u32(13)              // +4: struct
	u32(0)               // +8: type table, set below
	claimed, offsets := children(72, 72+16+4)
	u32(4)       // +12: children vector at 88
	u32(claimed) // 88
	u32(offsets...)
	typeAt := len(b) + 4
	u16(4, 4)
	u32(4)
	binary.LittleEndian.PutUint32(b[80:], uint32(typeAt-80))
	return b
}

func TestSchemasThatUnfoldForEverAreRefused(t *testing.T) {
	noChildren := schemaMessage(func(_, _ int) (uint32, []uint32) { return 0, nil })
	if _, err := new(inspector).inspect(noChildren); err != nil {
		t.Fatalf("the message built by hand is not sound: %v", err)
	}
	cases := map[string][]byte{
		"a field that is its own child": schemaMessage(func(field, elem int) (uint32, []uint32) {
			return 1, []uint32{uint32(field - elem)} // wraps around, as offsets are added modulo 2^32
		}),
		"four billion children": schemaMessage(func(_, _ int) (uint32, []uint32) { return 1<<32 - 1, nil }),
		"a child outside":       schemaMessage(func(_, _ int) (uint32, []uint32) { return 1, []uint32{1 << 30} }),
	}
	for name, meta := range cases {
		var err error
		n := allocated(func() { _, _, err = drain(bytes.NewReader(frame(meta, nil))) })
		if !api.CodeStreamCut.Is(err) || n > 8<<20 {
			t.Errorf("%s: %v, %d bytes", name, err, n)
		}
	}
}

func TestABatchBeforeTheSchemaIsRefused(t *testing.T) {
	body := numbersBody(t)
	from, _ := firstBatch(t, body)
	if _, _, err := drain(bytes.NewReader(body[from-8:])); !api.CodeStreamCut.Is(err) {
		t.Errorf("%v", err)
	}
	if _, _, err := drain(bytes.NewReader(body[bytes.LastIndex(body, eosMark[:]):])); !api.CodeStreamCut.Is(err) {
		t.Errorf("only the end: %v", err)
	}
}

// TestColumnsThatNoReaderTakesAreRefused sends whole, sound bodies: only their
// schema is wrong.
func TestColumnsThatNoReaderTakesAreRefused(t *testing.T) {
	number := arrow.PrimitiveTypes.Int32
	bad := arrow.Field{Name: "a\xff", Type: number}
	half := arrow.Field{Name: "h", Type: arrow.FixedWidthTypes.Float16}
	for name, f := range map[string]arrow.Field{
		"a name":            bad,
		"a name in a list":  {Name: "l", Type: arrow.ListOfField(bad)},
		"a name in a rec":   {Name: "r", Type: arrow.StructOf(bad)},
		"a half":            half,
		"a half in a list":  {Name: "l", Type: arrow.ListOfField(half)},
		"a half in a map":   {Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, half.Type)},
		"a half in an enum": {Name: "e", Type: &arrow.DictionaryType{IndexType: number, ValueType: half.Type}},
	} {
		var b bytes.Buffer
		schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: number}, f}, nil)
		w := ipc.NewWriter(&b, ipc.WithSchema(schema))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body := sealed(t, bytes.TrimSuffix(b.Bytes(), eosMark[:]), 0)
		if _, _, err := drain(bytes.NewReader(body)); !api.CodeStreamCut.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sealed puts an end behind messages that fits them.
func sealed(t *testing.T, body []byte, rows int64) []byte {
	t.Helper()
	body = append(body, eosMark[:]...)
	msgs := newMessages(nil)
	_, _ = msgs.hash.Write(body)
	line, err := formatEnd(api.End{Rows: rows, BodyXXH3: bodyHash(msgs.hash)})
	if err != nil {
		t.Fatal(err)
	}
	return append(body, line...)
}

// TestRandomDamage changes a few words at a time to values that hurt, and
// gives each body an end record that fits, so that the hash saves nobody.
func TestRandomDamage(t *testing.T) {
	good := manyBody(t, 2, 6)
	mark := bytes.LastIndex(good, eosMark[:])
	rng := rand.New(rand.NewPCG(1, 2))
	words := []uint32{0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, 1 << 20, 64}
	accepted := 0
	for range 4000 {
		body := bytes.Clone(good[:mark])
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(body)/4) * 4
			if rng.IntN(2) == 0 {
				binary.LittleEndian.PutUint32(body[at:], words[rng.IntN(len(words))])
			} else {
				body[at+rng.IntN(4)] ^= byte(1 << rng.IntN(8))
			}
		}
		body = sealed(t, body, 12)
		var rows int64
		var err error
		n := allocated(func() { rows, err = readValues(bytes.NewReader(body)) })
		if err != nil && !api.CodeStreamCut.Is(err) {
			t.Fatalf("error %v", err)
		}
		if err == nil {
			accepted++
			if rows != 12 {
				t.Fatalf("%d rows accepted", rows)
			}
		}
		if n > 64<<20 {
			t.Fatalf("%d MB allocated", n>>20)
		}
	}
	if accepted == 0 || accepted == 4000 {
		t.Errorf("%d of 4000 accepted: the test damages nothing, or only what is checked at once", accepted)
	}
}

// readValues reads a body and touches every value in it.
func readValues(r io.Reader) (rows int64, err error) {
	s, err := Decode(r)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for s.Batches.Next() {
		batch := s.Batches.RecordBatch()
		rows += batch.NumRows()
		for _, col := range batch.Columns() {
			for i := range col.Len() {
				_ = col.ValueStr(i)
			}
		}
	}
	return rows, s.Batches.Err()
}

// FuzzDecode works on the messages; mark and end record always fit.
func FuzzDecode(f *testing.F) {
	for _, rows := range []int{0, 4} {
		body := encode(f, streamOf(f, manySchema(), manyRows(f, memory.DefaultAllocator, 0, rows)))
		f.Add(body[:bytes.LastIndex(body, eosMark[:])])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := readValues(bytes.NewReader(sealed(t, bytes.Clone(body), 4)))
		if err != nil && !api.CodeStreamCut.Is(err) {
			t.Errorf("%v", err)
		}
		if err == nil && rows != 4 {
			t.Errorf("%d rows accepted", rows)
		}
	})
}
