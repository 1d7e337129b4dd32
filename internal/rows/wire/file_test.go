package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
)

// fileOf is a file of these bytes.
func fileOf(schema *arrow.Schema, data string) *api.File {
	return &api.File{
		Stream: &api.Stream{Batches: api.NoRows(schema), End: func() api.End {
			return api.End{Rows: 7, Bytes: 56, FileBytes: int64(len(data)), BodyXXH3: hashOf([]byte(data))}
		}},
		Data:     strings.NewReader(data),
		Progress: func() (rows, bytes int64) { return 7, 56 },
	}
}

func encodeFile(t *testing.T, f *api.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := EncodeFile(t.Context(), &b, func() {}, f, time.Minute); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readFile(r io.Reader) (data []byte, schema *arrow.Schema, end api.End, err error) {
	f, err := DecodeFile(r)
	if err != nil {
		return nil, nil, api.End{}, err
	}
	data, err = io.ReadAll(f)
	return data, f.Schema(), f.End(), err
}

func TestAFileArrivesAsItWasSent(t *testing.T) {
	schema := api.SchemaWith(manySchema().Fields(), api.CaveatsOf(api.CaveatOther, "a warning"))
	for _, data := range []string{"", "P", strings.Repeat("some bytes ", 200_000)} {
		body := encodeFile(t, fileOf(schema, data))
		for _, r := range []io.Reader{bytes.NewReader(body), iotest.HalfReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body))} {
			got, gotSchema, end, err := readFile(r)
			if err != nil || string(got) != data || end.Rows != 7 || end.FileBytes != int64(len(data)) || end.BodyXXH3 != hashOf(got) {
				t.Errorf("%d bytes arrived of %d, %+v, %v", len(got), len(data), end, err)
			}
			if warnings := api.Texts(api.SchemaCaveats(gotSchema)); !gotSchema.Equal(schema) || len(warnings) != 1 {
				t.Errorf("schema %v", gotSchema)
			}
		}
	}
}

// TestDamageToAFileIsSeen: a cut anywhere is an error, and a changed byte is one,
// or is seen by the hash, or changes nothing that counts.
func TestDamageToAFileIsSeen(t *testing.T) {
	want := strings.Repeat("data ", 20)
	body := encodeFile(t, fileOf(numbers(0).Schema(), want))
	for at := range body {
		if _, _, _, err := readFile(bytes.NewReader(body[:at])); !api.CodeStreamCut.Is(err) {
			t.Fatalf("cut at %d of %d: %v", at, len(body), err)
		}
		for _, mask := range []byte{1, 0x80} {
			damaged := bytes.Clone(body)
			damaged[at] ^= mask
			got, schema, end, err := readFile(bytes.NewReader(damaged))
			switch {
			case api.CodeStreamCut.Is(err), end.BodyXXH3 != hashOf(got):
			case err != nil || string(got) != want || !schema.Equal(numbers(0).Schema()) || end.Rows != 7:
				t.Fatalf("byte %d ^ %#x: %q, %+v, %v", at, mask, got, end, err)
			}
		}
	}
	if _, _, _, err := readFile(bytes.NewReader(append(body, 0))); !api.CodeStreamCut.Is(err) {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestFramesThatNoServerSends(t *testing.T) {
	frame := func(kind byte, size uint32, payload ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte{kind}, size), payload...)
	}
	schema, err := schemaBytes(numbers(0).Schema())
	if err != nil {
		t.Fatal(err)
	}
	begun := append(frame(frameSchema, uint32(len(schema))), schema...)
	for what, body := range map[string][]byte{
		"data first":              frame(frameData, 4, 1, 2, 3, 4),
		"a schema of 4 GiB":       frame(frameSchema, 1<<32-1, schema...),
		"a schema of 8 MiB":       frame(frameSchema, MaxMetadata, schema...),
		"a schema with a batch":   append(frame(frameSchema, uint32(len(numbersBody(t)))), numbersBody(t)...),
		"two schemas":             append(bytes.Clone(begun), begun...),
		"data of 4 GiB":           append(bytes.Clone(begun), frame(frameData, 1<<32-1, 1)...),
		"an end record of 4 GiB":  append(bytes.Clone(begun), frame(frameEnd, 1<<32-1, '{')...),
		"progress of 4 GiB":       append(bytes.Clone(begun), frame(frameProgress, 1<<32-1)...),
		"a frame of another kind": append(bytes.Clone(begun), frame('X', 0)...),
		"no data for ever":        append(bytes.Clone(begun), bytes.Repeat(frame(frameData, 0), 1000)...),
	} {
		n := allocated(func() { _, _, _, err = readFile(bytes.NewReader(body)) })
		if !api.CodeStreamCut.Is(err) || n > 20<<20 {
			t.Errorf("%s: took %d MB, %v", what, n>>20, err)
		}
		// Of a body that ends early the rest may be had, of others not.
		if ended := errors.Is(err, io.ErrUnexpectedEOF); api.ConnectionLost(err) != ended {
			t.Errorf("%s: it is gone on with: %v", what, err)
		}
	}
}

// TestASilentSourceShowsLife has a file wait until the client has heard of it.
func TestASilentSourceShowsLife(t *testing.T) {
	from, to := io.Pipe()
	f := fileOf(numbers(0).Schema(), "late")
	f.Data = from
	heard := 0
	flush := func() {
		if heard++; heard == 3 {
			go func() {
				_, _ = io.WriteString(to, "late")
				_ = to.Close()
			}()
		}
	}
	var body bytes.Buffer
	if _, err := EncodeFile(t.Context(), &body, flush, f, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if data, _, _, err := readFile(&body); string(data) != "late" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestAFileThatFailsIsACut(t *testing.T) {
	gone := errors.New("the source is gone")
	f := fileOf(numbers(0).Schema(), "")
	f.Data = io.MultiReader(strings.NewReader("some"), iotest.ErrReader(gone))
	var body bytes.Buffer
	if _, err := EncodeFile(t.Context(), &body, func() {}, f, time.Minute); !errors.Is(err, gone) {
		t.Fatal(err)
	}
	if _, _, _, err := readFile(&body); !api.CodeStreamCut.Is(err) {
		t.Error(err)
	}
}
