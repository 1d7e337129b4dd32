package content

import (
	"bytes"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/workspace"
)

// TestBytes changes a file at random places, and the same bytes in memory.
func TestBytes(t *testing.T) {
	w, err := workspace.Open(t.TempDir()+"/files", workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx := t.Context()
	if _, err := w.Put(ctx, workspace.PutRequest{Name: "a.bin"}, strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test repeats itself
	var want []byte
	for range 40 {
		data := make([]byte, random.IntN(50))
		for i := range data {
			data[i] = byte(random.IntN(256))
		}
		at := int64(AtEnd)
		if random.IntN(2) == 0 {
			at = int64(random.IntN(len(want) + 1))
		}
		if _, err := WriteBytes(ctx, w, Target{File: "a.bin"}, at, base64.StdEncoding.EncodeToString(data)); err != nil {
			t.Fatal(err)
		}
		if at == AtEnd {
			want = append(want, data...)
		} else {
			want = append(want[:at:at], append(data, want[min(int(at)+len(data), len(want)):]...)...)
		}
	}
	var got []byte
	for {
		part, err := ReadBytes(ctx, w, "a.bin", int64(len(got)), 33)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, strings.NewReader(part.Data)))
		if err != nil || len(data) != part.Length {
			t.Fatal(part, err)
		}
		if got = append(got, data...); part.EOF {
			break
		}
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	if part, err := ReadBytes(ctx, w, "a.bin", 1<<40, 0); err != nil || part.Length != 0 || !part.EOF {
		t.Errorf("behind the end: %+v %v", part, err)
	}
	for name, err := range map[string]error{
		"behind the end":   second(WriteBytes(ctx, w, Target{File: "a.bin"}, int64(len(want))+1, "AA==")),
		"no base64":        second(WriteBytes(ctx, w, Target{File: "a.bin"}, 0, "?")),
		"a negative":       second(ReadBytes(ctx, w, "a.bin", -1, 1)),
		"too much":         second(ReadBytes(ctx, w, "a.bin", 0, MaxReadBytes+1)),
		"too much at once": second(WriteBytes(ctx, w, Target{File: "a.bin"}, 0, strings.Repeat("A", 2*MaxWriteBytes))),
	} {
		if !api.CodeValidation.Is(err) && !api.CodeTooLarge.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := WriteBytes(ctx, w, Target{File: "a.bin", IfVersion: 1}, 0, "AA=="); !api.CodeConflict.Is(err) {
		t.Errorf("an older version: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
