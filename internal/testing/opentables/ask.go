package opentables

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// where finds the condition of a question.
var where = regexp.MustCompile(` WHERE (.*)$`)

// ask asks a relation a question in each way that a source has: as a whole
// statement, as a scan with its condition, and as an estimate of that. The error is
// the source's.
func ask(t testing.TB, src source.Querier, name string, q Question) (string, error) {
	t.Helper()
	rel := source.Relation{Name: name}
	got, err := row(t.Context(), src, rel, q.SQL)
	if err != nil || !strings.HasPrefix(q.SQL, "SELECT count(*)") {
		return got, err
	}
	condition := ""
	if m := where.FindStringSubmatch(q.SQL); m != nil {
		condition = m[1]
	}
	first, _, _ := strings.Cut(q.Wanted(), "|")
	rows, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return got, count(t, src, rel, condition, rows)
}

// row runs a statement that gives one row.
func row(ctx context.Context, src source.Querier, rel source.Relation, sql string) (string, error) {
	r, err := src.Query(ctx, sql, map[string]source.Relation{"t": rel})
	if err != nil {
		return "", err
	}
	rows, err := enginetest.Rows(r)
	if err != nil || len(rows) != 1 {
		return fmt.Sprintf("%d rows", len(rows)), err
	}
	return rows[0], nil
}

func line(values []*string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		if texts[i] = "(null)"; v != nil {
			texts[i] = *v
		}
	}
	return strings.Join(texts, "|")
}

// count holds that a scan has so many rows, and that its estimate allows them.
func count(t testing.TB, src source.Source, rel source.Relation, condition string, want int64) error {
	t.Helper()
	schema, err := src.Schema(t.Context(), rel)
	if err != nil {
		return err
	}
	scan := source.Scan{Relation: rel}
	for _, c := range schema.Columns {
		scan.Select = append(scan.Select, c.Name)
	}
	if condition != "" {
		typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
		if err != nil {
			t.Fatal(err)
		}
		if scan.Where, err = predicate.Parse(src.Dialect(), condition, typed); err != nil {
			t.Fatalf("%s: %v", condition, err)
		}
	} else if schema.RowCount != nil && *schema.RowCount != want {
		t.Errorf("%s: the schema says %d rows, there are %d", rel.Name, *schema.RowCount, want)
	}
	estimate, err := src.Estimate(t.Context(), scan)
	if err != nil {
		return err
	}
	r, err := src.Scan(t.Context(), scan)
	if err != nil {
		return err
	}
	defer r.Release()
	got := int64(0)
	for r.Next() {
		got += r.RecordBatch().NumRows()
	}
	if got != want {
		t.Errorf("%s WHERE %s: %d rows, want %d", rel.Name, condition, got, want)
	}
	if low, high := estimate.RowsLow, estimate.RowsHigh; low != nil && (*low > got || *high < got) {
		t.Errorf("%s WHERE %s: the estimate says %d to %d rows, there are %d", rel.Name, condition, *low, *high, got)
	}
	return r.Err()
}

// Refused are the tables that a reader must refuse, each with a word of the error:
// deletes and data that are not in parquet files, rows deleted by a float, and a
// partition that is not written as its schema says.
var Refused = map[string]string{"fmt_avro": "avro", "fmt_orc": "orc", "eq_nan": "DOUBLE", "part_fixed": "fixed"}

// Each visits every question about the tables of a kind, in a test of each table. name
// is that of the table, or of one of its versions: table@version.
func Each(t *testing.T, kind string, visit func(t *testing.T, name string, q Question)) {
	visitEach(t, Tables(t, kind), visit)
}

// Visitor is Each or Some.
type Visitor func(t *testing.T, kind string, visit func(t *testing.T, name string, q Question))

// Some is Each with two questions about each table, and its last version. That suffices
// for another way to a reader that is asked all of them. make lake-campaign asks all here, too.
func Some(t *testing.T, kind string, visit func(t *testing.T, name string, q Question)) {
	tables := Tables(t, kind)
	for i := range tables {
		if table := &tables[i]; os.Getenv("DA_LAKE_CAMPAIGN") == "" {
			if n := len(table.Queries); n > 2 {
				table.Queries = []Question{table.Queries[0], table.Queries[n-1]}
			}
			table.Versions, table.Snapshots = last(table.Versions), last(table.Snapshots)
		}
	}
	visitEach(t, tables, visit)
}

func last(of []Version) []Version { return of[max(0, len(of)-1):] }

func visitEach(t *testing.T, tables []Table, visit func(t *testing.T, name string, q Question)) {
	for _, table := range tables {
		t.Run(table.Table, func(t *testing.T) {
			for _, q := range table.Queries {
				visit(t, table.Table, q)
			}
			for _, v := range slices.Concat(table.Versions, table.Snapshots) {
				sql := "SELECT count(*), sum(id) FROM t"
				if len(v.Answer) == 1 {
					sql = "SELECT count(*) FROM t"
				}
				visit(t, table.Table+"@"+cmp.Or(v.Ref, v.ID, fmt.Sprint(v.Version)), Question{SQL: sql, Answer: v.Answer})
			}
		})
	}
}

// Hold says whether what a reader gave to a question is right, which may be that it
// refuses the table.
func Hold(t testing.TB, name string, q Question, got string, err error) {
	t.Helper()
	table := strings.FieldsFunc(name, func(r rune) bool { return r == '@' || r == ' ' })[0]
	word := Refused[table]
	switch want := q.Wanted(); {
	case word != "" && (!api.CodeSource.Is(err) || !strings.Contains(err.Error(), word)):
		t.Errorf("%s: %s: %v, want it to be refused for %q", name, q.SQL, err, word)
	case word != "":
	case err != nil:
		t.Errorf("%s: %s: %v", name, q.SQL, err)
	case got != want:
		t.Errorf("%s: %s: got %s, want %s", name, q.SQL, got, want)
	}
}

// Wanted is the row that answers the question, as enginetest.Rows has it.
func (q Question) Wanted() string {
	if q.Unpruned != nil {
		return line(q.Unpruned)
	}
	return line(q.Answer)
}

// Ask asks a source the questions about the tables of a kind that which visits: Each or
// Some. The source holds the unpacked folder; to it the names of tables begin with prefix.
func Ask(t *testing.T, which Visitor, src source.Querier, kind, prefix string) {
	which(t, kind, func(t *testing.T, name string, q Question) {
		t.Helper()
		got, err := ask(t, src, prefix+name, q)
		Hold(t, name, q, got, err)
	})
}
