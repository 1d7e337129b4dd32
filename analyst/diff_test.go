package analyst

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// put makes a snapshot of the rows of a SELECT.
func put(t *testing.T, a *Analyst, name, sql string) {
	t.Helper()
	claim, err := a.Store.Claim(name, true)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	enginetest.Parquet(t, claim.Temp(), sql)
	meta, err := describe(t.Context(), enginetest.Conn(t), claim.Temp())
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
			d, err := a.Diff(t.Context(), DiffRequest{Before: "before", After: "after", Key: c.key, Examples: 5})
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
	for want, req := range map[string]DiffRequest{
		"do not tell the rows of 'before' apart": {Before: "before", After: "after", Key: []string{"n"}},
		"'m' is not a column that both":          {Before: "before", After: "after", Key: []string{"m"}},
		"'x' is not a column that both":          {Before: "before", After: "after", Key: []string{"x"}},
		"no column in common":                    {Before: "before", After: "other"},
	} {
		if _, err := a.Diff(t.Context(), req); !api.CodeUsage.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := a.Diff(t.Context(), DiffRequest{Before: "before", After: "nothere"}); !api.CodeUnknownSnapshot.Is(err) {
		t.Error(err)
	}
}
