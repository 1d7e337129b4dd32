package plot

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/textwidth"
)

var update = flag.Bool("update", false, "write the drawings of testdata anew")

// column is a named column of a result; nil is NULL.
type column struct {
	name   string
	typ    arrow.DataType
	values []any
}

// result is a reader of batches of two rows each, so that what is kept from one
// to the next is seen.
func result(t *testing.T, columns ...column) api.Rows {
	t.Helper()
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var batches []arrow.RecordBatch
	for i := range len(columns[0].values) {
		for j, c := range columns {
			if c.values[i] == nil {
				b.Field(j).AppendNull()
			} else if err := b.Field(j).AppendValueFromString(fmt.Sprint(c.values[i])); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 == 1 || i == len(columns[0].values)-1 {
			batches = append(batches, b.NewRecordBatch())
		}
	}
	rdr, err := array.NewRecordReader(schema, batches)
	if err != nil {
		t.Fatal(err)
	}
	return api.WithCaveats(rdr, nil)
}

var (
	text    = arrow.BinaryTypes.String
	float   = arrow.PrimitiveTypes.Float64
	whole   = arrow.PrimitiveTypes.Int64
	day     = arrow.FixedWidthTypes.Date32
	instant = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
)

// numbersOf makes values from a function.
func numbersOf(n int, value func(i int) any) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = value(i)
	}
	return values
}

// cases are results and how they are drawn.
func cases(t *testing.T) map[string]*Chart {
	t.Helper()
	charts := map[string]*Chart{}
	add := func(name string, s Spec, columns ...column) {
		c, err := Read(t.Context(), result(t, columns...), s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		charts[name] = c
	}
	labelled := column{"origin", text, []any{"ATL", "JFK", "東京国際空港羽田の名前がとても長い空港なのだ", nil, "שלום", "a\x1b[31mb", "a label longer than the third of a terminal of eighty columns, and longer than a third of two hundred"}}
	add("bar", Spec{Kind: Bar}, labelled, column{"n", float, []any{1234.0, 230.5, 12.0, 0.25, nil, 0.0, 600.0}})
	add("bar_negative", Spec{Kind: Bar}, labelled, column{"n", whole, []any{1234, -230, -12, -1, nil, 0, 600}})
	add("bar_columns", Spec{Kind: Bar}, column{"k", text, []any{"a", "b", "c"}}, column{"x", whole, []any{1, 2, 3}}, column{"y", whole, []any{-1, nil, 5}})
	add("bar_one", Spec{Kind: Bar}, column{"n", whole, []any{7}})
	add("line", Spec{Kind: Line}, column{"x", float, numbersOf(100, func(i int) any { return float64((i*37)%100) / 10 })},
		column{"sine", float, numbersOf(100, func(i int) any { return math.Sin(float64((i*37)%100) / 10) })})
	add("line_days", Spec{Kind: Line}, column{"day", day, numbersOf(400, func(i int) any { return time.Unix(0, 0).UTC().AddDate(54, 0, i).Format("2006-01-02") })},
		column{"a", float, numbersOf(400, func(i int) any {
			if i > 100 && i < 140 {
				return nil
			}
			return 100 * math.Sin(float64(i)/30)
		})}, column{"b", float, numbersOf(400, func(i int) any { return 50 * math.Cos(float64(i)/30) })})
	add("line_labels", Spec{Kind: Line}, column{"k", text, []any{"mon", "tue", "wed", "thu"}}, column{"n", whole, []any{3, 1, 4, 1}})
	add("scatter", Spec{Kind: Scatter}, column{"at", instant, numbersOf(60, func(i int) any { return time.Date(2026, 1, 2, 3, 4*i, 0, 0, time.UTC).Format(time.RFC3339) })},
		column{"n", whole, numbersOf(60, func(i int) any { return i * 37 % 100 })})
	add("scatter_one", Spec{Kind: Scatter, X: "x", Y: []string{"y"}}, column{"y", whole, []any{5}}, column{"x", whole, []any{0}})
	add("hist", Spec{Kind: Hist}, column{"v", float, numbersOf(5000, func(i int) any { return float64(i*i%997)/10 - 20 })})
	add("hist_whole", Spec{Kind: Hist, X: "v"}, column{"k", text, numbersOf(100, func(int) any { return "k" })}, column{"v", whole, numbersOf(100, func(i int) any { return i * i % 7 })})
	return charts
}

// TestText compares drawings with those of before: at 80 and 200 columns, and
// where nothing beyond ASCII is shown.
func TestText(t *testing.T) {
	for name, c := range cases(t) {
		for way, o := range map[string]TextOptions{
			"80": {}, "200": {Width: 200, Height: 24}, "ascii": {ASCII: true}, "color": {Width: 80, Height: 8, Color: true, Terminal: true},
		} {
			var b strings.Builder
			cut, err := c.Text(&b, o)
			if err != nil {
				t.Fatal(err)
			}
			got := b.String() + fmt.Sprintf("-- cut %d, notes %q\n", cut, api.Texts(c.Caveats))
			compare(t, name+"-"+way, got)
			for _, line := range strings.Split(b.String(), "\n") {
				if w := textwidth.Of(line); w > max(o.Width, 80) && !o.Color {
					t.Errorf("%s-%s: a line of %d columns: %s", name, way, w, line)
				}
			}
			if o.ASCII && strings.ContainsFunc(strings.NewReplacer("שלום", "", "東京国際空港羽田の名前", "", "\u2009", "").Replace(b.String()), func(r rune) bool { return r > 126 }) {
				t.Errorf("%s: not ASCII:\n%s", name, b.String())
			}
		}
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛")
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nnot\n%s(if that is right: go test ./plot -update)", name, got, want)
	}
}

// TestImages reads the images back: a PNG has the pixels of its marks, an SVG
// is XML with its labels as text.
func TestImages(t *testing.T) {
	for name, c := range cases(t) {
		var b bytes.Buffer
		notes, err := c.PNG(&b)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		painted := 0
		pix := img.(*image.RGBA).Pix
		for i := 0; i < len(pix); i += 4 {
			if pix[i] == colors[0].R && pix[i+1] == colors[0].G && pix[i+2] == colors[0].B {
				painted++
			}
		}
		if painted < 40 {
			t.Errorf("%s: %d pixels have the colour of the first column", name, painted)
		}
		if missing := len(notes) > 0; missing != (name == "bar" || name == "bar_negative") {
			t.Errorf("%s: notes %q", name, notes)
		}
		var s bytes.Buffer
		if err := c.SVG(&s); err != nil {
			t.Fatal(err)
		}
		all := textOf(t, name, s.Bytes())
		if !strings.Contains(all, c.x) || strings.HasPrefix(name, "bar") && name != "bar_one" && !strings.Contains(all, c.labels[1]) {
			t.Errorf("%s: the text is %s", name, all)
		}
	}
}

// textOf is the text of an SVG image.
func textOf(t *testing.T, name string, image []byte) string {
	t.Helper()
	var all strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(image)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, image)
		}
		if chars, ok := token.(xml.CharData); ok {
			all.Write(chars)
		}
	}
}

func TestLabelsOfImagesAreNoMarkup(t *testing.T) {
	c, err := Read(t.Context(), result(t, column{"<k>", text, []any{`</text><script>x</script>&"`}}, column{"n", whole, []any{1}}), Spec{Kind: Bar})
	if err != nil {
		t.Fatal(err)
	}
	var s bytes.Buffer
	if err := c.SVG(&s); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, "markup", s.Bytes()); strings.Contains(s.String(), "<script") || !strings.Contains(got, `</text><script>x</script>&"`) {
		t.Errorf("got %s", s.String())
	}
}

// TestRefusals holds that what cannot be drawn is refused, with what would help.
func TestRefusals(t *testing.T) {
	k, n := column{"k", text, []any{"a"}}, column{"n", whole, []any{1}}
	null := column{"n", whole, []any{nil}}
	none := column{"n", whole, nil}
	many := []column{k}
	for i := range 9 {
		many = append(many, column{fmt.Sprint("c", i), whole, []any{i}})
	}
	for _, tt := range []struct {
		spec    Spec
		columns []column
		code    api.Code
		says    string
	}{
		{Spec{Kind: Bar}, []column{n, k}, api.CodeUsage, "column 'k' holds text"},
		{Spec{Kind: Bar}, []column{k}, api.CodeUsage, "column 'k' holds text"},
		{Spec{Kind: Line}, []column{k, {"ok", arrow.FixedWidthTypes.Boolean, []any{true}}}, api.CodeUsage, "true and false"},
		{Spec{Kind: Line}, []column{k, {"d", day, []any{"2026-01-01"}}}, api.CodeUsage, "dates or times"},
		{Spec{Kind: Scatter}, []column{k, n}, api.CodeUsage, "points need an x of numbers or dates; column 'k'"},
		{Spec{Kind: Hist}, []column{k, n}, api.CodeUsage, "a histogram is drawn of numbers; column 'k'"},
		{Spec{Kind: Hist, Y: []string{"n"}}, []column{n}, api.CodeUsage, "no y columns"},
		{Spec{Kind: Bar, Y: []string{"m"}}, []column{k, n}, api.CodeUnknownColumn, "no column 'm'"},
		{Spec{Kind: Bar, X: "m"}, []column{k, n}, api.CodeUnknownColumn, "no column 'm'"},
		{Spec{Kind: Bar}, many, api.CodeUsage, "at most 8"},
		{Spec{Kind: Bar}, []column{none}, api.CodeUsage, "no rows"},
		{Spec{Kind: Hist}, []column{none}, api.CodeUsage, "no rows"},
		{Spec{Kind: Bar}, []column{null}, api.CodeUsage, "no row has a value"},
		{Spec{Kind: Hist}, []column{null}, api.CodeUsage, "no row has a value"},
	} {
		_, err := Read(t.Context(), result(t, tt.columns...), tt.spec)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Hint == "" && len(e.Next) == 0 {
			t.Errorf("%+v: got %v", tt.spec, err)
		}
	}
}

// TestNothingIsCutInSilence draws less than there is, and says so.
func TestNothingIsCutInSilence(t *testing.T) {
	numbers := func(n int) []column {
		return []column{{"x", whole, numbersOf(n, func(i int) any { return i })}, {"y", whole, numbersOf(n, func(i int) any { return i })}}
	}
	for _, tt := range []struct {
		spec  Spec
		rows  int
		drawn int
		note  string
	}{
		{Spec{Kind: Bar}, 100, 100, ""},
		{Spec{Kind: Bar}, 101, 100, "first 100 of 101 rows"},
		{Spec{Kind: Bar, Most: 3}, 5, 3, ""},
		{Spec{Kind: Bar, Most: 300}, 200, 100, "first 100 of 200 rows"},
		{Spec{Kind: Line}, 5000, 5000, ""},
		{Spec{Kind: Scatter, Most: 2}, 3, 2, ""},
	} {
		c, err := Read(t.Context(), result(t, numbers(tt.rows)...), tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.xs) != tt.drawn || c.Rows != int64(tt.rows) || c.Taken != int64(tt.drawn) || strings.Join(api.Texts(c.Caveats), "; ") != "" && tt.note == "" || !strings.Contains(strings.Join(api.Texts(c.Caveats), "; "), tt.note) {
			t.Errorf("%+v of %d rows: %d are drawn, notes %q", tt.spec, tt.rows, len(c.xs), c.Caveats)
		}
	}
	c, err := Read(t.Context(), result(t, column{"x", float, []any{nil, math.NaN(), 1.0, 2.0}}, column{"y", float, []any{1.0, 1.0, math.Inf(1), 5.0}}), Spec{Kind: Line})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(api.Texts(c.Caveats), "; "); got != "2 rows have no finite 'x', not drawn; 1 value is NULL or not finite, and not drawn" {
		t.Errorf("got %q", got)
	}
}

func TestReadStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, result(t, column{"n", whole, []any{1}}), Spec{Kind: Bar}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
