package sourcetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// PrintedAlike holds that what a source prints of a statement means the same to its engine
// as the statement: random ones run both as they are and as Query prints them, over whole
// tables and under rules that admit every row. DA_PRINTED is how many, DA_SEED which.
func PrintedAlike(t *testing.T, f Fixture, direct func(ctx context.Context, sql string) (array.RecordReader, error)) {
	q := f.Source.(source.Querier)
	count, err := strconv.Atoi(os.Getenv("DA_PRINTED"))
	if err != nil {
		count = 15
	}
	seed, err := strconv.ParseUint(os.Getenv("DA_SEED"), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("DA_SEED=%d", seed)
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	plain, ruled := map[string]source.Relation{}, map[string]source.Relation{}
	for range 2 {
		columns := []Column{{Name: "a", Kind: Int}, {Name: "b", Kind: Int}, {Name: "s", Kind: Text}}
		var rows [][]any
		for i := range 12 {
			rows = append(rows, []any{int64(i % 5), w.one(any(nil), int64(-3), int64(0), int64(i)), w.one(any(nil), "", "x", "it's", "ž\\")})
		}
		name := f.Load(t, Table{Columns: columns, Rows: rows})
		rel := source.Relation{Name: name}
		schema, err := q.Schema(t.Context(), rel)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := predicate.NewSchema(q.Dialect(), schema.Columns)
		if err != nil {
			t.Fatal(err)
		}
		id := name[strings.LastIndexByte(name, '.')+1:]
		plain[id] = rel
		if rel.Rule, err = predicate.Parse(q.Dialect(), "a >= 0 OR s = 'none'", typed); err != nil {
			t.Fatal(err)
		}
		ruled[id] = rel
		w.tables = append(w.tables, id)
	}
	ran := 0
	for range count {
		sql := w.query(2)
		want, err := sorted(direct(t.Context(), sql))
		if err != nil {
			continue // the engine refuses it
		}
		ran++
		for _, tables := range []map[string]source.Relation{plain, ruled} {
			s, err := q.Inspect(t.Context(), sql)
			named := map[string]source.Relation{}
			for _, name := range s.Tables {
				named[name] = tables[name]
			}
			var got []string
			if err == nil {
				got, err = sorted(q.Query(t.Context(), sql, named))
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s\n%q, %v\nwant\n%q", sql, got, err, want)
			}
		}
	}
	if ran*4 < count {
		t.Errorf("the engine has run %d of %d statements", ran, count)
	}
}

func sorted(r array.RecordReader, err error) ([]string, error) {
	text, err := enginetest.Text(r, err)
	rows := strings.Split(text, "\n")
	slices.Sort(rows)
	return rows, err
}

// writer writes statements whose columns are always a, b and s.
type writer struct {
	*rand.Rand
	tables []string
	named  int
}

func (w *writer) one(of ...any) any { return of[w.IntN(len(of))] }

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) name() string {
	w.named++
	return fmt.Sprint("q", w.named)
}

// query is a statement with so many queries inside of one another.
func (w *writer) query(depth int) string {
	if depth > 0 && w.IntN(4) == 0 {
		name := w.pick(w.name(), strings.ToUpper(w.name()), w.tables[0])
		return "WITH " + name + " AS (" + w.query(depth-1) + ") " + w.selects(depth-1, name)
	}
	if depth > 0 && w.IntN(5) == 0 {
		return w.selects(depth-1, "") + w.pick(" UNION ALL ", " UNION DISTINCT ", " INTERSECT ", " EXCEPT ") + w.selects(depth-1, "")
	}
	return w.selects(depth, "")
}

// selects is one SELECT; from is what it reads, if that is given.
func (w *writer) selects(depth int, from string) string {
	row := w.name()
	from = w.from(depth, from) + w.pick(" ", " AS ") + row
	if other := w.name(); w.IntN(3) == 0 {
		on := fmt.Sprintf("%s.%s = %s.%s", row, w.pick("a", "b"), other, w.pick("a", "b"))
		from += w.pick(" JOIN ", " INNER JOIN ", " LEFT JOIN ") + w.from(depth, "") + " AS " + other + " ON " + on
	}
	where := ""
	if w.IntN(2) == 0 {
		where = " WHERE " + w.condition(row, depth)
	}
	switch w.IntN(4) {
	case 0:
		return fmt.Sprintf("SELECT %[1]s.a AS a, %[2]s(%[1]s.b) AS b, max(%[1]s.s) AS s FROM %[3]s%[4]s GROUP BY %[1]s.a%[5]s", row, w.pick("sum", "min", "count", "MAX"), from, where,
			w.pick("", " HAVING count(*) > 1"))
	case 1:
		return fmt.Sprintf("SELECT %[1]s.a AS a, max(%[1]s.b) OVER (PARTITION BY %[1]s.a) AS b, %[1]s.s AS s FROM %[2]s%[3]s", row, from, where)
	}
	return fmt.Sprintf("%s %s AS a, %s AS b, %s AS s FROM %s%s", w.pick("SELECT", "select", "SELECT DISTINCT"), w.number(row, 2), w.number(row, 2), w.text(row), from, where)
}

func (w *writer) from(depth int, given string) string {
	switch {
	case given != "":
		return given
	case depth > 0 && w.IntN(2) == 0:
		return "(" + w.query(depth-1) + ")"
	}
	return w.pick(w.tables...)
}

func (w *writer) number(row string, depth int) string {
	if depth == 0 {
		return w.pick(row+".a", row+".b", "1", "-2", "0")
	}
	x, y := w.number(row, depth-1), w.number(row, depth-1)
	return w.pick(x, fmt.Sprintf("(%s %s %s)", x, w.pick("+", "-", "*"), y), fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", w.condition(row, 0), x, y),
		fmt.Sprintf("coalesce(%s, %s)", x, y), fmt.Sprintf("abs(%s)", x), "length("+w.text(row)+")")
}

func (w *writer) text(row string) string {
	return w.pick(row+".s", `'it\'s'`, "upper("+row+".s)", "concat("+row+".s, '-- x')", "coalesce("+row+".s, '/*')", `'a\\b'`)
}

func (w *writer) condition(row string, depth int) string {
	inner := w.name()
	list := []string{w.number(row, min(depth, 1)) + w.pick(" = ", " <> ", " < ", ">=") + w.number(row, 0), row + ".b IS " + w.pick("", "NOT ") + "NULL", row + ".s LIKE '%" + w.pick("x", "t", "_") + "%'",
		row + ".a " + w.pick("", "NOT ") + "IN (1, 2, 3)", row + ".b BETWEEN -1 AND 4"}
	if depth > 0 {
		list = append(list, "NOT ("+w.condition(row, depth-1)+")", "("+w.condition(row, depth-1)+w.pick(" AND ", " OR ")+w.condition(row, depth-1)+")",
			row+".a IN (SELECT "+inner+".a FROM "+w.from(0, "")+" AS "+inner+" WHERE "+inner+".b > 0)",
			row+".a > (SELECT min("+inner+".a) FROM "+w.from(0, "")+" "+inner+")",
			w.pick("", "NOT ")+"EXISTS (SELECT 1 FROM "+w.from(0, "")+" "+inner+" WHERE "+inner+".a = "+row+".a)")
	}
	return w.pick(list...)
}
