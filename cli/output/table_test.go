package output

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

func flights(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("date", arrow.FixedWidthTypes.Date32), field("delay", i64), field("distance", f64), field("origin", text), field("late", arrow.FixedWidthTypes.Boolean)},
		row(`"2001-01-10"`, "14", "2475.5", `"JFK"`, "true"),
		row(`"2001-01-31"`, "-5", "190", `"NULL"`, "false"),
		row(`null`, "null", "null", "null", "null"),
		row(`"2001-06-30"`, "9007199254740993", "0.1", `""`, "true"))
}

func unusual(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("name 名前", text), field("n", i64), field("note", text)},
		row(`"日本語テキスト"`, "1", `"wide"`),
		row(`"e\u0301le\u0300ve"`, "22", `"combining"`),
		row(`"👨\u200d👩\u200d👧 family"`, "333", `"joined emoji"`),
		row(`"🇨🇿 flag"`, "4", `"regional pair"`),
		row(`"שלום עולם"`, "5", `"right to left"`),
		row(`"مرحبا"`, "6", `"سلام"`),
		row(`"क्षि"`, "7", `"conjunct"`))
}

func hostile(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("a\x1b[31m|b", text), field("x", text)},
		row(`"\u001b[2J\u001b]0;owned\u0007"`, `"tab\there"`),
		row(`"line\nfeed\r\nand | pipe"`, `"abc\u202ecba"`),
		row(`"\u009b31m"`, `"![x](http://example.com/?q=1) <img src=x> **b** _i_ snake_case &amp; AT&T"`),
		row(`"back\\slash"`, `"\ud83c\udff4\udb40\udc67\udb40\udc7f `+"`code`"+`"`))
}

func long(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("id", i64), field("text", text), field("list", arrow.ListOf(i64))},
		row("1", `"short"`, "[1,2,3]"),
		row("2", `"`+strings.Repeat("a long text ", 20)+`"`, "["+strings.Repeat("100,", 60)+"7]"),
		row("3", `"`+strings.Repeat("日本", 100)+`"`, "null"))
}

func empty(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("a", i64), field("b", text)})
}

func TestTables(t *testing.T) {
	results := map[string]func(testing.TB) api.Rows{
		"flights": flights, "unusual": unusual, "hostile": hostile, "long": long, "wide": wide, "empty": empty,
	}
	for name, build := range results {
		for _, width := range []int{0, 80, 200} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				got, summary := render(t, build(t), Table, Options{Width: width, Terminal: width > 0})
				golden(t, fmt.Sprintf("%s.%d.txt", name, width), got)
				checkShape(t, got, width)
				if width == 0 && summary.Clipped > 0 {
					t.Errorf("%d cells were cut without a limit", summary.Clipped)
				}
				if clips := strings.Count(got, "…"); clips != summary.Clipped {
					t.Errorf("%d cells are cut, the summary says %d", clips, summary.Clipped)
				}
			})
		}
	}
}

// checkShape holds for every table: nothing for a terminal to act on, no line
// wider than it, and the lines of a box equally long.
func checkShape(t *testing.T, got string, width int) {
	t.Helper()
	boxWidth := 0
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(line, "\n")
		if harmless := strings.ReplaceAll(line, "\u200e", ""); printable.Line(harmless) != harmless {
			t.Errorf("a terminal would act on %q", line)
		}
		w := lineWidth(line)
		if width > 0 && w > width {
			t.Errorf("%d columns on a terminal of %d: %s", w, width, line)
		}
		if strings.HasPrefix(got, "┌") {
			if boxWidth == 0 {
				boxWidth = w
			}
			if w != boxWidth {
				t.Errorf("%d columns in a box of %d: %s", w, boxWidth, line)
			}
		}
	}
}

// lineWidth measures cell by cell: what a cell begins or ends with could else
// join with the space beside it.
func lineWidth(line string) int {
	width := 0
	for n, cell := range strings.Split(line, "│") {
		text := strings.Trim(cell, " ")
		width += textwidth.Of(text) + len(cell) - len(text)
		if n > 0 {
			width++
		}
	}
	return width
}

func TestTableWithoutUnicode(t *testing.T) {
	got, _ := render(t, flights(t), Table, Options{Width: 80, Terminal: true, ASCII: true})
	golden(t, "flights.ascii.txt", got)
	got, summary := render(t, long(t), Table, Options{Width: 60, Terminal: true, ASCII: true})
	golden(t, "long.ascii.txt", got)
	if summary.Clipped == 0 {
		t.Error("nothing was cut")
	}
}

func TestTableInColor(t *testing.T) {
	got, _ := render(t, flights(t), Table, Options{Width: 80, Terminal: true, Color: true})
	golden(t, "flights.color.txt", got)
	got, _ = render(t, flights(t), Table, Options{Width: 40, Terminal: true, Color: true})
	golden(t, "flights.records.color.txt", got)
}

func TestEveryWidthHolds(t *testing.T) {
	for width := 20; width <= 220; width++ {
		for name, build := range map[string]func(testing.TB) api.Rows{"flights": flights, "unusual": unusual, "hostile": hostile, "long": long, "wide": wide} {
			got, _ := render(t, build(t), Table, Options{Width: width, Terminal: true})
			if t.Failed() {
				t.Fatalf("%s at %d:\n%s", name, width, got)
			}
			checkShape(t, got, width)
		}
	}
}

func TestNumbersAndTimesAreNeverCut(t *testing.T) {
	for width := 30; width <= 120; width++ {
		got, _ := render(t, flights(t), Table, Options{Width: width})
		for _, whole := range []string{"9007199254740993", "2001-01-10", "2475.5", "-5"} {
			if !strings.Contains(got, whole) {
				t.Fatalf("%s is missing at width %d:\n%s", whole, width, got)
			}
		}
	}
}

func TestNullDiffersFromTheTextNULL(t *testing.T) {
	got, _ := render(t, result(t, []arrow.Field{field("a", text)}, `null`, `"NULL"`, `"\"NULL\""`), Table, Options{})
	want := "┌────────┐\n│ a      │\n├────────┤\n│ NULL   │\n│ \"NULL\" │\n│ \"NULL\" │\n└────────┘\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestSpreadServesSmallWishesFirst(t *testing.T) {
	got := fmt.Sprint(spread([]int{100, 20, 30, 5}, []int{16, 16, 16, 5}, 30))
	if want := "[29 20 29 5]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzTableIsHarmless(f *testing.F) {
	f.Add("a\x1b[2J\u202e\n", 30)
	f.Add("日本語👨\u200d👩\u0301", 24)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 20 + (width%200+200)%200
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.Append(s)
		b.Append(s + s + s + s)
		schema := arrow.NewSchema([]arrow.Field{field(s, text), field("b", text)}, nil)
		arr := b.NewArray()
		rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{arr, arr}, 2)})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := render(t, api.WithCaveats(rdr, nil), Table, Options{Width: width, Terminal: true})
		checkShape(t, got, width)
		rdr, _ = array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{arr, arr}, 2)})
		got, _ = render(t, api.WithCaveats(rdr, nil), Markdown, Options{})
		if lines := strings.Count(got, "\n"); lines != 4 {
			t.Errorf("%d lines of Markdown: %q", lines, got)
		}
		checkShape(t, got, 0)
	})
}

// TestLongCellsAreCutWithoutATerminalToo: every line of a table is as wide as
// its widest cell, so a text of megabytes would make each line one of those.
func TestLongCellsAreCutWithoutATerminalToo(t *testing.T) {
	const size = 8 << 20
	schema := arrow.NewSchema([]arrow.Field{field("t", text), field("b", arrow.BinaryTypes.Binary), field("l", arrow.ListOf(text))}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{strings.Repeat("é", size), strings.Repeat("é", maxCell)}, nil)
	b.Field(1).(*array.BinaryBuilder).AppendValues([][]byte{make([]byte, size), nil}, []bool{true, false})
	l := b.Field(2).(*array.ListBuilder)
	for _, s := range []string{strings.Repeat("y", size), "y"} {
		l.Append(true)
		l.ValueBuilder().(*array.StringBuilder).Append(s)
	}
	batch := b.NewRecordBatch()
	for _, o := range []Options{{}, {ASCII: true}} {
		rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{batch})
		if err != nil {
			t.Fatal(err)
		}
		got, summary := render(t, api.WithCaveats(rdr, nil), Table, o)
		if summary.Clipped != 3 || len(got) > 64<<10 {
			t.Fatalf("%d bytes, %d cells cut", len(got), summary.Clipped)
		}
		mark := boxed(o.ASCII).ellipsis
		for _, want := range []string{
			" " + strings.Repeat("é", maxCell) + mark + " ", " " + strings.Repeat("é", maxCell) + " ",
			" " + strings.Repeat("A", maxCell) + mark + " ", `["` + strings.Repeat("y", maxCell-2) + mark + " ", `["y"]`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%.20s… is missing", want)
			}
		}
	}
}
