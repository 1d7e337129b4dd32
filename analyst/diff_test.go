package analyst_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// put makes a snapshot of the rows of a SELECT.
func put(t *testing.T, a *analyst.Analyst, name, sql string) {
	t.Helper()
	claim, err := a.Store.Claim(name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	enginetest.Parquet(t, claim.Temp(), sql)
	meta, err := keep.Describe(t.Context(), enginetest.Conn(t), claim.Temp(), nil)
	if err != nil {
		t.Fatal(err)
	}
	meta.SetImport(name, "-")
	meta.FetchedAt = a.Now()
	meta.EffectiveAsOf = meta.FetchedAt
	if _, _, err := claim.Install(t.Context(), meta, nil); err != nil {
		t.Fatal(err)
	}
}

func TestDiff(t *testing.T) {
	a := alone(t)
	for name, c := range map[string]struct {
		before, after string
		key           []string
		want          string // the JSON without what is always the same
	}{
		"equal in another order": {"SELECT * FROM range(3) r(n)", "SELECT * FROM range(3) r(n) ORDER BY n DESC", nil,
			`{"columns":[],"rows_before":3,"rows_after":3,"added":0,"removed":0,"changed":0,"same":3,"examples":[]}`},
		"rows that occur several times": {"SELECT unnest([1, 1, 2, NULL]) AS n", "SELECT unnest([1, 2, 2, NULL]) AS n", nil,
			`{"columns":[],"rows_before":4,"rows_after":4,"added":1,"removed":1,"changed":0,"same":3,"examples":[{"change":"added","after":{"n":2}},{"change":"removed","before":{"n":1}}]}`},
		"names that are ours, and types that are nested": {"SELECT 1 AS side, [1, NULL] AS c0, {'a': 'x'} AS n, 'nan'::DOUBLE AS \"q\"\"uote\"", "SELECT 1 AS side, [1, NULL] AS c0, {'a': 'y'} AS n, 'nan'::DOUBLE AS \"q\"\"uote\"", []string{"side"},
			`{"columns":[],"key":["side"],"rows_before":1,"rows_after":1,"added":0,"removed":0,"changed":1,"same":0,"by_column":[{"column":"n","rows":1}],"examples":[{"change":"changed","key":{"side":1},"before":{"n":{"a":"x"}},"after":{"n":{"a":"y"}}}]}`},
		"a key that is NULL": {"SELECT * FROM (VALUES (NULL, 'a'), (1, 'b'), (2, NULL)) t(k, v)", "SELECT * FROM (VALUES (NULL, 'a2'), (2, NULL), (3, 'c')) t(k, v)", []string{"k"},
			`{"columns":[],"key":["k"],"rows_before":3,"rows_after":3,"added":1,"removed":1,"changed":1,"same":1,"by_column":[{"column":"v","rows":1}],"examples":[{"change":"changed","key":{"k":null},"before":{"v":"a"},"after":{"v":"a2"}},{"change":"added","after":{"k":3,"v":"c"}},{"change":"removed","before":{"k":1,"v":"b"}}]}`},
		"columns that differ": {"SELECT 1 AS id, 2::INTEGER AS n, 'x' AS gone", "SELECT 1 AS id, 2::BIGINT AS n, 'y' AS new", []string{"id"},
			`{"columns":[{"name":"n","before":"INTEGER","after":"BIGINT"},{"name":"gone","before":"VARCHAR"},{"name":"new","after":"VARCHAR"}],"key":["id"],"rows_before":1,"rows_after":1,"added":0,"removed":0,"changed":0,"same":1,"examples":[]}`},
		"no rows": {"SELECT 1 AS n WHERE false", "SELECT 1 AS n", nil,
			`{"columns":[],"rows_before":0,"rows_after":1,"added":1,"removed":0,"changed":0,"same":0,"examples":[{"change":"added","after":{"n":1}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, a, "before", c.before)
			put(t, a, "after", c.after)
			d, err := keep.Compare(t.Context(), a, keep.DiffRequest{Before: "before", After: "after", Key: c.key, Examples: 5})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Replace(string(text), `"before":"before","after":"after",`, "", 1)
			if got, _, _ = strings.Cut(got, `,"caveats":`); got+"}" != c.want {
				t.Errorf("got  %s}\nwant %s", got, c.want)
			}
		})
	}
}

func TestDiffsThatCannotBe(t *testing.T) {
	a := alone(t)
	put(t, a, "before", "SELECT unnest([1, 1, 2]) AS n, 1 AS x")
	put(t, a, "after", "SELECT unnest([1, 2, 3]) AS n, 'x' AS x")
	put(t, a, "other", "SELECT 1 AS z")
	for want, req := range map[string]keep.DiffRequest{
		"do not tell the rows of 'before' apart": {Before: "before", After: "after", Key: []string{"n"}},
		"'m' is not a column that both":          {Before: "before", After: "after", Key: []string{"m"}},
		"'x' is not a column that both":          {Before: "before", After: "after", Key: []string{"x"}},
		"no column in common":                    {Before: "before", After: "other"},
	} {
		if _, err := keep.Compare(t.Context(), a, req); !api.CodeUsage.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := keep.Compare(t.Context(), a, keep.DiffRequest{Before: "before", After: "nothere"}); !api.CodeUnknownSnapshot.Is(err) {
		t.Error(err)
	}
}

func TestDiffTolerance(t *testing.T) {
	a := alone(t)
	for name, c := range map[string]struct {
		before, after string
		tolerance     float64
		near          bool
	}{
		"a float as far apart as it looks":     {"1.0::DOUBLE", "1.01::DOUBLE", 0.01, true},
		"a short float as far apart":           {"3.0::FLOAT", "3.01::FLOAT", 0.01, true},
		"a float that is further apart":        {"1.0::DOUBLE", "1.0101::DOUBLE", 0.01, false},
		"decimals":                             {"1.00::DECIMAL(38,2)", "1.01::DECIMAL(38,2)", 0.01, true},
		"decimals that are further apart":      {"1.00::DECIMAL(18,2)", "1.02::DECIMAL(18,2)", 0.01, false},
		"more digits than the tolerance fits":  {"1.5::DECIMAL(38,37)", "9.5::DECIMAL(38,37)", 100.5, true},
		"decimals whose difference overflows":  {"(-9e37)::DECIMAL(38,0)", "9e37::DECIMAL(38,0)", 1, false},
		"small integers":                       {"(-128)::TINYINT", "127::TINYINT", 255, true},
		"unsigned integers that shrink":        {"5::UBIGINT", "4::UBIGINT", 1, true},
		"integers beyond what floats tell":     {"9007199254740993::BIGINT", "9007199254740992::BIGINT", 0.5, false},
		"the ends of the integers":             {"(-9223372036854775808)::BIGINT", "9223372036854775807::BIGINT", 1, false},
		"NULL is not near a number":            {"NULL::DOUBLE", "0::DOUBLE", 1, false},
		"NULL is NULL":                         {"NULL::DOUBLE", "NULL::DOUBLE", 1, true},
		"NaN is not near a number":             {"'nan'::DOUBLE", "0::DOUBLE", 1, false},
		"NaN is NaN":                           {"'nan'::DOUBLE", "'nan'::DOUBLE", 1, true},
		"infinity is near nothing":             {"'inf'::DOUBLE", "1::DOUBLE", 1, false},
		"infinities":                           {"'inf'::FLOAT", "'-inf'::FLOAT", 1, false},
		"floats whose difference is infinite":  {"-1.7e308::DOUBLE", "1.7e308::DOUBLE", 1, false},
		"text is compared exactly":             {"'1'", "'1.001'", 1, false},
		"numbers in a list are compared so as": {"[1.0::DOUBLE]", "[1.001::DOUBLE]", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, a, "before", "SELECT 1 AS id, "+c.before+" AS v")
			put(t, a, "after", "SELECT 1 AS id, "+c.after+" AS v")
			d, err := keep.Compare(t.Context(), a, keep.DiffRequest{Before: "before", After: "after", Key: []string{"id"}, Examples: 5, Tolerance: c.tolerance})
			if err != nil {
				t.Fatal(err)
			}
			if near := d.Changed == 0; near != c.near || len(d.Examples) != int(d.Changed) {
				t.Errorf("%s and %s are the same: %v, want %v: %+v", c.before, c.after, near, c.near, d)
			}
		})
	}
}

func TestDiffIgnores(t *testing.T) {
	a := alone(t)
	put(t, a, "before", "SELECT unnest([1, 2]) AS id, 'x' AS v, 1 AS at, 1 AS gone")
	put(t, a, "after", "SELECT unnest([2, 1]) AS id, 'x' AS v, 'now' AS at")
	for _, key := range [][]string{nil, {"id"}} {
		d, err := keep.Compare(t.Context(), a, keep.DiffRequest{Before: "before", After: "after", Key: key, Ignore: []string{"at", "gone"}, Examples: 5})
		if err != nil {
			t.Fatal(err)
		}
		if d.Rows() != 0 || d.Same != 2 || len(d.Columns) != 0 || len(d.Caveats) != 0 {
			t.Errorf("%+v", d)
		}
	}
	if _, err := keep.Compare(t.Context(), a, keep.DiffRequest{Before: "before", After: "after", Ignore: []string{"ta"}}); !api.CodeUsage.Is(err) || !strings.Contains(err.Error(), "'ta' is a column of neither") {
		t.Error(err)
	}
}
