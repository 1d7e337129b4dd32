package intake

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// TestArrowStreams reads streams whose schemas have all lengths, some more than
// 64 KB.
func TestArrowStreams(t *testing.T) {
	seen := map[byte]bool{}
	open := func(columns int, name string) {
		t.Helper()
		fields := make([]arrow.Field, columns)
		for i := range fields {
			fields[i] = arrow.Field{Name: fmt.Sprintf("%s%d", name, i), Type: arrow.PrimitiveTypes.Int64}
		}
		var b bytes.Buffer
		if err := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil))).Close(); err != nil {
			t.Fatal(err)
		}
		seen[b.Bytes()[4]] = true
		f, err := Open(write(t, "rows.arrow", b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Kind != Arrow {
			t.Errorf("%d columns, schema of % x: read as %s", columns, b.Bytes()[4:8], f.Kind)
		}
	}
	for n := range 32 {
		open(1, strings.Repeat("x", 1+8*n))
	}
	if !seen[0] {
		t.Error("no schema has a length with a low byte of 0")
	}
	open(2_000, "x")
	f, err := Open(write(t, "rows.csv", []byte("\xff\xff\xff\xff\t\t\t\t")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Kind != Text {
		t.Errorf("a text of letters and tabs is read as %s", f.Kind)
	}
}
