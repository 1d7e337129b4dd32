package infer

import (
	"fmt"
	"strings"
	"testing"
)

func column(cells string) *Column {
	c := &Column{}
	for i, s := range strings.Split(cells, "|") {
		c.Add([]byte(s), false, int64(i+2))
	}
	return c
}

func decide(cells string, h Hints) Decision {
	c := column(cells)
	own := GatherHints([]*Column{c})
	h.DecimalComma = h.DecimalComma || own.DecimalComma
	return c.Decide(h)
}

func (d Decision) short() string {
	s := string(d.Type)
	switch d.Type {
	case Decimal:
		s += fmt.Sprintf("(%d,%d)", d.Precision, d.Scale)
	case Integer:
		if d.Precision > 18 {
			s += "128"
		}
	case Date, Timestamp, TimestampTZ:
		s += " " + d.Order.String()
	}
	if d.Format > Dot {
		s += " " + d.Format.String()
	}
	if d.Currency != "" {
		s += " " + d.Currency
	}
	if d.Ambiguous != "" {
		s += " ambiguous"
	}
	if d.Near != nil {
		s += fmt.Sprintf(" near %s but %d", d.Near.Type, d.Near.Misfit)
	}
	return s
}

func TestDecide(t *testing.T) {
	for _, c := range []struct{ cells, want string }{
		{"1|2|3", "integer"},
		{"1||-3", "integer"},
		{"1|NA|3|N/A", "integer"},
		{"1|#NUM!|#NAME?|#SPILL!|#CALC!|#FIELD!|#BLOCKED!|#CONNECT!|#UNKNOWN!|#BUSY!|3", "integer"},
		{"1|Err:502|Err:508|3", "integer"},
		{"1|Err:50|3", "string"},
		{" 1 |2", "integer"},
		{"007|010", "string"},
		{"0|10", "integer"},
		{"9223372036854775807|1", "integer"},
		{"9223372036854775808|1", "integer128"},
		{"-9223372036854775808|1", "integer"},
		{"123456789012345678901234567890|1", "integer128"},
		{strings.Repeat("9", 40) + "|1", "string"},
		{"1.10|20.05", "decimal(18,2)"},
		{"1.5|2.25|3", "decimal(18,2)"},
		{"50.087811|14.42046", "float"},
		{"12345678901234.5678912|1.5", "decimal(38,7)"},
		{"0.1234567890123456|1.5", "float"},
		{"0.00441265074628045|-0.157853502778310", "float"},
		{"0.000331139107656992|1.5e-05|2|3", "float"},
		{"0,00441265074628045|1,5", "float 1.234,5"},
		{"0.00123456789012345678|1.5", "decimal(38,20)"},
		{"1.5e10|2.5", "float"},
		{"1e-05|2", "float"},
		{"12E4|13E5", "string"},
		{"1012.5|NA|1e3|990", "float"}, // as R writes 1000
		{"1|2|3|4|5|6|7|8|9|10|1e5", "float"},
		{"1e3|2e4|7", "string"},
		{"12e4|1.5|2.5|1.5|2", "string near decimal but 1"},
		{"1,5|2,25", "decimal(18,2) 1.234,5"},
		{"1.234,50|12,00", "decimal(18,2) 1.234,5"},
		{"1,234.50|12.00", "decimal(18,2) 1,234.5"},
		{"1,234,567|12", "integer 1,234.5"},
		{"1,234|5,678", "integer 1,234.5 ambiguous"},
		{"1.234|5.678", "decimal(18,3) ambiguous"},
		{"1 234,50|5,00", "decimal(18,2) 1 234,5"},
		{"1\u00a0234,50|5,00", "decimal(18,2) 1 234,5"},
		{"1'234.50|5.00", "decimal(18,2) 1'234.5"},
		{"12,34,567.00|1.00", "decimal(18,2) 1,234.5"},
		{"$1,234.50|$5.00|-$3.00", "decimal(18,2) 1,234.5 $"},
		{"1 234,50 Kč|5,00 Kč", "decimal(18,2) 1 234,5 Kč"},
		{"(1,234.50)|5.00", "decimal(18,2) 1,234.5"},
		{"$5|€6", "string"},
		{"$5|$7|$1|6", "string near decimal but 1"},
		{"$5|$7|$1|€6|$8", "string near decimal but 1"},
		{"5|7|1|$6|8", "string near decimal but 1"},
		{"5|7|1|$6|€8", "string"},
		{"+420777123456|+420777123457", "string"},
		{"true|FALSE|True", "boolean"},
		{"yes|no", "boolean"},
		{"yes|true", "string"},
		{"Y|N", "string"},
		{"2024-01-31|2024-02-01", "date Y-M-D"},
		{"31/01/2024|01/02/2024", "date D/M/Y"},
		{"01/31/2024|02/01/2024", "date M/D/Y"},
		{"01/02/2024|03/04/2024", "date D/M/Y ambiguous"},
		{"01/02/2024|01/09/2024|02/03/2024", "date M/D/Y ambiguous"},
		{"01/1/2023|04/1/2023|07/1/2023|10/1/2023|01/1/2024", "date M/D/Y ambiguous"}, // firsts of months
		{"10/1/24|01/1/23|04/1/23|07/1/23", "date M/D/Y ambiguous"},
		{"1/10/2024|1/7/2024|1/4/2024|1/1/2024|1/10/2023", "date D/M/Y ambiguous"},
		{"01/01/2023|02/01/2023|06/01/2023|01/01/2024|02/01/2024|06/01/2024", "date D/M/Y ambiguous"}, // holidays of January
		{"01/01/2024|02/01/2024|03/01/2024|04/01/2024|05/01/2024", "date D/M/Y ambiguous"},            // days of one year
		{"05/03/2024|05/04/2024|05/05/2024", "date D/M/Y ambiguous"},                                  // days of May, or one of each month
		{"10/01/2024|10/02/2024|10/03/2024|10/11/2024|10/12/2024", "date D/M/Y ambiguous"},
		{"03/05/2024|04/05/2024|05/05/2024", "date D/M/Y ambiguous"},
		{"05/01/2024|04/11/2024|05/02/2024|04/12/2024", "date M/D/Y ambiguous"},
		{"1.2.2024|3.4.2024", "date D/M/Y"},
		{"1. 2. 2024|3. 4. 2024", "date D/M/Y"},
		{"5 Oct 2024|6-Nov-2024", "date Y-M-D"},
		{"Oct 5, 2024|November 6, 2024", "date Y-M-D"},
		{"31/02/2024|01/02/2024", "string"},
		{"31/01/24|02/02/24", "date D/M/Y"},
		{"10:30|23:59:59.5", "time"},
		{"10:30 PM|1:05 am", "time"},
		{"25:10|10:00", "string"},
		{"2024-01-31 10:00:00|2024-02-01T11:30", "timestamp Y-M-D"},
		{"2024-01-31|2024-02-01 11:30", "timestamp Y-M-D"},
		{"2024-01-31T10:00:00Z|2024-02-01T11:30:00+02:00", "timestamptz Y-M-D"},
		{"2024-01-31T10:00:00Z|2024-02-01T11:30:00", "string"},
		{"31/01/2024 10:00|01/02/2024 11:00 PM", "timestamp D/M/Y"},
		{"20240131|20240201", "integer"},
		{`{"a":1}|[1,2]`, "json"},
		{`{"a":1}|{a}`, "string"},
		{"1.2.3|1.2.4", "string"},
		{"10.1.2.3|10.1.2.4", "string"},
		{"-|?|NULL", "string"},
		{"|", "string"},
		{"abc|1", "string"},
		{"1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|x", "string near integer but 1"},
		{"1-2|3-4", "string"},
		{"12.5%|3%", "string"},
		{"192.168|10.5", "decimal(18,3)"},
		{"1.5|inf|-Infinity|NaN|2.5", "float"},
		{"1|+inf|3", "float"},
		{"1|nan|3", "float"},
		{"inf|-inf|nan|1.25|inf|-inf|nan", "float"},
		{"inf|nan", "string"},
		{"1234567890123456|inf|2|3", "string near integer but 1"},
		{"1234567890123456|NaN|2|3|4", "string near integer but 1"},
		{"2024-01-01|2024-01-02|2024-01-03|infinity", "string near date but 1"},
		{"2024-01-01|NaN|2024-01-03", "date Y-M-D"},
		{"1e400|1.5|2.5|3.5", "string near decimal but 1"},
		{"1e-5|123456789012345678|2e-5|3e-5", "string near float but 1"},
		{"1.50|2,75|3.25|4.25", "string near decimal but 1"},
		{"5|abc|6|7", "string near integer but 1"},
		{"5|abc|6|def", "string"},
		{"123|456|789|012|345|678", "string"},
		{"2024-01-01|2024-01-02|31/01/2024|2024-01-04", "string near date but 1"},
		{"2024-01-01T10:00:00Z|2024-01-01T11:00:00Z|2024-01-01T12:00:00Z|2024-01-01T13:00:00", "string near timestamptz but 1"},
		{"5,5|5|5.555|5,5", "decimal(18,1) 1.234,5 ambiguous"},
		{"5,5|1.234,5|5.555|5,5", "decimal(18,1) 1.234,5"},
		{"5.5|1,234|7.5", "decimal(18,1) 1,234.5 ambiguous"},
	} {
		if got := decide(c.cells, Hints{}).short(); got != c.want {
			t.Errorf("%s: %s, want %s", c.cells, got, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	if got := decide("01/02/2024|03/04/2024", Hints{MonthFirst: true}).short(); got != "date M/D/Y" {
		t.Error(got)
	}
	if got := decide("1,234|5,678", Hints{DecimalComma: true}).short(); got != "decimal(18,3) 1.234,5 ambiguous" {
		t.Error(got)
	}
}

// TestWordsOfMissingValues: a word that stands for a missing value among numbers is told
// where it stays a text, also far below what decides that the column is text.
func TestWordsOfMissingValues(t *testing.T) {
	cells := strings.Repeat("N1|", 3000) + "NA|N2|NA"
	numbers := column("1|NA|3")
	text := column(cells)
	d := text.Decide(GatherHints([]*Column{numbers, text}))
	if d.Type != String || !strings.HasPrefix(d.Note, "'NA' is kept as text in 2 cells") || d.NoteAt.Text != "NA" {
		t.Errorf("%+v", d)
	}
	if d := text.Decide(GatherHints([]*Column{column("1|2"), text})); d.Note != "" {
		t.Error(d.Note)
	}
}

// TestGivenOrder gives an order of dates to columns that it fits, and to some
// that it doesn't, which keep their own.
func TestGivenOrder(t *testing.T) {
	for _, c := range []struct {
		cells string
		order DateOrder
		want  string
	}{
		{"01/02/2024|03/04/2024", MDY, "date M/D/Y"},
		{"2024-01-02|2024-01-03", DMY, "date Y-M-D"},
		{"2024-04-03 10:00:00|2024-04-04 10:00:00", DMY, "timestamp Y-M-D"},
		{"5 Oct 2024|6 Oct 2024", DMY, "date D/M/Y"},
		{"01/02/2024|13/02/2024", MDY, "date D/M/Y, not every date is M/D/Y: read as D/M/Y"},
		{"01/02/70|05/02/68", DMY, "date D/M/Y, years of two digits are read as 1969 to 2068"},
		{"5-Oct-70|6-Oct-68", 0, "date Y-M-D, years of two digits are read as 1969 to 2068"},
	} {
		d := decide(c.cells, Hints{Order: c.order})
		got := d.short()
		if d.Note != "" {
			got += ", " + d.Note
		}
		if got != c.want {
			t.Errorf("%s as %s: %s, want %s", c.cells, c.order, got, c.want)
		}
		for _, cell := range strings.Split(c.cells, "|") {
			if _, ok := d.Micros([]byte(cell)); !ok {
				t.Errorf("%s as %s: %s has no value", c.cells, c.order, cell)
			}
		}
	}
}

func TestNearPlaces(t *testing.T) {
	cells := strings.Repeat("1|", 30) + "oops"
	d := decide(cells, Hints{})
	if d.Near == nil || len(d.Near.Places) != 1 || d.Near.Places[0] != (CellRef{Line: 32, Text: "oops"}) {
		t.Errorf("%+v", d.Near)
	}
	d = decide(strings.Repeat("2024-01-02|", 30)+"31/01/2024|x", Hints{})
	if d.Near == nil || fmt.Sprint(d.Near.Places) != "[{0 32 31/01/2024} {0 33 x}]" {
		t.Errorf("%+v", d.Near)
	}
	// A code is as long as all others, a mistyped number is not.
	if d = decide(strings.Repeat("90210|", 30)+"00501", Hints{}); d.Type != String || d.Near != nil {
		t.Errorf("%+v", d)
	}
	if d = decide(strings.Repeat("90210|", 30)+"007", Hints{}); d.Near == nil || fmt.Sprint(d.Near.Places) != "[{0 32 007}]" {
		t.Errorf("%+v", d)
	}
}

func TestValues(t *testing.T) {
	show := func(v any, ok bool) string {
		if !ok {
			return "no"
		}
		return fmt.Sprint(v)
	}
	for _, c := range []struct {
		d    Decision
		cell string
		want string
	}{
		{Decision{Type: Integer}, "-12", "-12"},
		{Decision{Type: Integer}, "9223372036854775807", "9223372036854775807"},
		{Decision{Type: Integer}, "-9223372036854775808", "-9223372036854775808"},
		{Decision{Type: Integer}, "9223372036854775808", "no"},
		{Decision{Type: Integer, Format: CommaDot}, "1,234", "1234"},
		{Decision{Type: Integer}, "x", "no"},
		{Decision{Type: Decimal, Scale: 2, Format: DotComma}, "1.234,5", "{0 123450}"},
		{Decision{Type: Decimal, Scale: 2}, "(1.25)", "{-1 18446744073709551491}"},
		{Decision{Type: Decimal, Scale: 2}, "1.234", "no"},
		{Decision{Type: Decimal, Scale: 2}, "1.230", "{0 123}"},
		{Decision{Type: Decimal, Scale: 0}, "18446744073709551616", "{1 0}"},
		{Decision{Type: Float}, "1.5e-3", "0.0015"},
		{Decision{Type: Float, Format: SpaceComma}, "1 234,5", "1234.5"},
		{Decision{Type: Float}, "-inf", "-Inf"},
		{Decision{Type: Boolean}, "Yes", "true"},
		{Decision{Type: Date, Order: DMY}, "02/01/1970", "1"},
		{Decision{Type: Date, Order: MDY}, "02/01/1970", "31"},
		{Decision{Type: Date, Order: YMD}, "3 Jan 1970", "2"},
		{Decision{Type: Date, Order: YMD, Compact: true}, "19700103", "2"},
		{Decision{Type: Date, Order: DMY}, "1970-01-03", "2"},
		{Decision{Type: Timestamp, Order: YMD}, "1970-01-01 00:00:01.5", "1500000"},
		{Decision{Type: TimestampTZ, Order: YMD}, "1970-01-01T02:00:00+02:00", "0"},
		{Decision{Type: Time}, "12:00 AM", "0"},
		{Decision{Type: Time}, "1:00 pm", "46800000000"},
	} {
		var got string
		b := []byte(c.cell)
		switch c.d.Type {
		case Integer:
			v, ok := c.d.Int(b)
			got = show(v, ok)
		case Decimal:
			v, ok := c.d.Decimal(b)
			got = show(v, ok)
		case Float:
			v, ok := c.d.Float(b)
			got = show(v, ok)
		case Boolean:
			v, ok := c.d.Bool(b)
			got = show(v, ok)
		case Date:
			v, ok := c.d.Days(b)
			got = show(v, ok)
		case Time:
			v, ok := c.d.Clock(b)
			got = show(v, ok)
		default:
			v, ok := c.d.Micros(b)
			got = show(v, ok)
		}
		if got != c.want {
			t.Errorf("%s %q: %s, want %s", c.d.Type, c.cell, got, c.want)
		}
	}
}

// FuzzColumn checks that every cell of a column has a value, or is missing,
// under the type that the column was given.
func FuzzColumn(f *testing.F) {
	f.Add("1,5|2.345,1|x")
	f.Add("01/02/2024|5 Oct 24|2024-1-1 10:00")
	f.Add("$1|(2)|NaN|1e-7")
	f.Fuzz(func(t *testing.T, text string) {
		d := decide(text, Hints{})
		for _, s := range strings.Split(text, "|") {
			b := []byte(s)
			if d.Missing(b, false) {
				continue
			}
			ok := true
			switch d.Type {
			case Integer:
				if d.Precision > 18 {
					_, ok = d.Decimal(b)
				} else {
					_, ok = d.Int(b)
				}
			case Decimal:
				_, ok = d.Decimal(b)
			case Float:
				_, ok = d.Float(b)
			case Boolean:
				_, ok = d.Bool(b)
			case Date:
				_, ok = d.Days(b)
			case Time:
				_, ok = d.Clock(b)
			case Timestamp, TimestampTZ:
				_, ok = d.Micros(b)
			}
			if !ok {
				t.Errorf("%q has no value as %s in %q", s, d.short(), text)
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	cells := [][]byte{[]byte("123456"), []byte("2024-01-02"), []byte("some text here"), []byte("12.50"), []byte("true"), []byte("abc-1234"), []byte("2024-01-02 10:11:12")}
	cols := make([]Column, len(cells))
	for b.Loop() {
		for i := range cells {
			cols[i].Add(cells[i], false, 1)
		}
	}
}
