package postgres

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/source"
)

// TestDecimals holds numbers of every scale, as a column and inside of a list,
// which travel in different forms, before the engine's own texts.
func TestDecimals(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	var items, names, want []string
	for n := range 120 {
		precision := 1 + random.IntN(38)
		scale := random.IntN(precision + 1)
		digits := new(big.Int)
		for range random.IntN(precision + 1) {
			digits.Mul(digits, big.NewInt(10)).Add(digits, big.NewInt(int64(random.IntN(10)*random.IntN(2))))
		}
		if random.IntN(2) == 0 {
			digits.Neg(digits)
		}
		typ := fmt.Sprintf("numeric(%d,%d)", precision, scale)
		value := fmt.Sprintf("'%s'::%s", plain(digits, scale), typ)
		items = append(items, fmt.Sprintf("%s AS v%d, ARRAY[%s]::%s[] AS l%d", value, n, value, typ, n))
		names = append(names, fmt.Sprintf("v%d", n), fmt.Sprintf("l%d", n))
		want = append(want, plain(digits, scale))
	}
	d.exec(t, "CREATE TABLE decimals AS SELECT "+strings.Join(items, ", "))
	r, err := d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "decimals"}, Select: names})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for n, w := range want {
		column := r.RecordBatch().Column(2 * n).(*array.Decimal128)
		list := r.RecordBatch().Column(2*n + 1).(*array.List).ListValues().(*array.Decimal128)
		scale := int(column.DataType().(interface{ GetScale() int32 }).GetScale())
		for _, c := range []*array.Decimal128{column, list} {
			if got := plain(c.Value(0).BigInt(), scale); got != w {
				t.Errorf("%s: %s, want %s (seed %d)", c.DataType(), got, w, seed)
			}
		}
	}
}

// TestTextsOfNumbers reads texts that the engine does not write for a column of
// three places, and is not to be believed about.
func TestTextsOfNumbers(t *testing.T) {
	for text, want := range map[string]string{"1": "1.000", "-0.5": "-0.500", "0": "0.000", "12345678901234567890123456789012345.678": "12345678901234567890123456789012345.678",
		"1.2345": "", "": "", "-": "", ".5": "", "1.2.3": "", "1e5": "", "--1": "", "1 ": "", "NaN": "", "-Infinity": "", "1234567890123456789012345678901234567890": ""} {
		v, err := readDecimalText(3)([]byte(text))
		if (err == nil) != (want != "") || err == nil && plain(v.BigInt(), 3) != want {
			t.Errorf("%q: %s, %v", text, plain(v.BigInt(), 3), err)
		}
	}
}

// plain writes a number that has so many places.
func plain(digits *big.Int, scale int) string {
	text := fmt.Sprintf("%0*s", scale+1, new(big.Int).Abs(digits))
	if scale > 0 {
		text = text[:len(text)-scale] + "." + text[len(text)-scale:]
	}
	if digits.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// TestNullsStayInTheirPlaces reads more than a batch of columns of every
// layout, in which other rows are NULL.
func TestNullsStayInTheirPlaces(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	const rows = 2*batchRows + 1000
	kinds := []string{"i", "i::text", "i::numeric(12,0)", "i::text::bytea", "ARRAY[i]", "i % 2 = 0"}
	items, names := []string{"i AS id"}, []string{"id"}
	for n, kind := range kinds {
		items = append(items, fmt.Sprintf("CASE WHEN i %% %d <> 0 THEN %s END AS v%d", n+2, kind, n))
		names = append(names, fmt.Sprintf("v%d", n))
	}
	d.exec(t, fmt.Sprintf("CREATE TABLE holes AS SELECT %s FROM generate_series(0, %d) AS i", strings.Join(items, ", "), rows-1))
	r, err := d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "holes"}, Select: names})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	seen, batches := 0, 0
	for r.Next() {
		b := r.RecordBatch()
		ids := b.Column(0).(*array.Int32)
		for row := range int(b.NumRows()) {
			i := int(ids.Value(row))
			want := []string{fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i), fmt.Sprintf("[%d]", i), fmt.Sprint(i%2 == 0)}
			for n := range kinds {
				column := b.Column(n + 1)
				if column.IsNull(row) != (i%(n+2) == 0) {
					t.Fatalf("row %d of %s: NULL %t", i, kinds[n], column.IsNull(row))
				}
				got := column.ValueStr(row)
				if c, ok := column.(*array.Binary); ok {
					got = string(c.Value(row))
				}
				if column.IsValid(row) && got != want[n] {
					t.Fatalf("row %d of %s: %s", i, kinds[n], got)
				}
			}
		}
		seen += int(b.NumRows())
		batches++
	}
	if r.Err() != nil || seen != rows || batches < 3 {
		t.Errorf("%d rows of %d in %d batches, %v", seen, rows, batches, r.Err())
	}
}

// TestTextsOfWholeNumbers reads the ends of each type, and texts that the engine
// does not write.
func TestTextsOfWholeNumbers(t *testing.T) {
	type result struct {
		v   int64
		err error
	}
	wide := func(text string) result { v, err := readIntText[int64]([]byte(text)); return result{v, err} }
	small := func(text string) result { v, err := readIntText[int16]([]byte(text)); return result{int64(v), err} }
	for _, c := range []struct {
		read func(string) result
		text string
		want int64
	}{{wide, "0", 0}, {wide, "-7", -7}, {wide, "9223372036854775807", math.MaxInt64}, {wide, "-9223372036854775808", math.MinInt64}, {small, "32767", math.MaxInt16}, {small, "-32768", math.MinInt16}} {
		if got := c.read(c.text); got.err != nil || got.v != c.want {
			t.Errorf("%q: %d, %v", c.text, got.v, got.err)
		}
	}
	for _, text := range []string{"", "-", "--1", "+1", "1 ", "1.0", "1e5", "9223372036854775808", "-9223372036854775809", "9999999999999999999", "18446744073709551616", "99999999999999999999"} {
		if got := wide(text); got.err == nil {
			t.Errorf("%q is %d", text, got.v)
		}
	}
	for _, text := range []string{"32768", "-32769", "65536"} {
		if got := small(text); got.err == nil {
			t.Errorf("%q is %d", text, got.v)
		}
	}
}
