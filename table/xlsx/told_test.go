package xlsx

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
)

// keep writes a workbook that keeps two texts.
func keep(t *testing.T, first, second string) []byte {
	t.Helper()
	var out bytes.Buffer
	b := NewBook(&out)
	defer b.Abort()
	if _, err := b.Add(t.Context(), api.WithCaveats(rows(t), nil), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"first": first, "second": second} {
		if err := b.Keep(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLongTextsAreKept reads kept texts with another program, and holds that a longer
// one takes no more work for each of its parts.
func TestLongTextsAreKept(t *testing.T) {
	long := strings.Repeat("a < b & \"c\"\n, čtvrť ", 500)
	f, err := excelize.OpenReader(bytes.NewReader(keep(t, long, "short")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.GetCustomProps()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range all {
		texts[p.Name], _ = p.Value.(string)
	}
	read := ""
	for i := 1; texts["first."+strconv.Itoa(i)] != ""; i++ {
		read += texts["first."+strconv.Itoa(i)]
	}
	if read != long || texts["second.1"] != "short" {
		t.Errorf("%d of %d characters, %q", len(read), len(long), texts["second.1"])
	}
	work := func(times int) float64 {
		return testing.AllocsPerRun(1, func() { keep(t, strings.Repeat(long[:2_000], times), "") })
	}
	empty := testing.AllocsPerRun(1, func() { keep(t, "", "") })
	if few, many := work(2)-empty, work(20)-empty; many > 20*few {
		t.Errorf("%.0f steps for a text, %.0f for one ten times as long", few, many)
	}
}
