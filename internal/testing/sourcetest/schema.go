package sourcetest

import (
	"slices"

	"github.com/agnes-data/da/source"
)

// testDeclared says what the fixture leaves out, and holds that it says so of
// everything that it does.
func testDeclared(s suite) {
	for _, k := range s.Lacks {
		s.t.Logf("cannot hold: %s", k)
	}
	for _, a := range s.Without {
		s.t.Logf("not tested: %s", a)
	}
	if s.Source == nil || s.Load == nil || s.Series == nil || s.Missing == "" {
		s.t.Error("the fixture lacks what every source needs")
	}
	for _, need := range []struct {
		ability Ability
		given   bool
	}{
		{Asking, s.Running != nil && s.Slow != nil}, {Mortality, s.Kill != nil}, {Credentials, s.Denied != nil}, {Patience, s.Impatient != nil && s.Slow != nil},
	} {
		if need.given != s.can(need.ability) {
			s.t.Errorf("%s: declared %t, given %t", need.ability, s.can(need.ability), need.given)
		}
	}
}

func testSchema(s suite) {
	table := Table{Columns: []Column{{Name: "must", Kind: Int, Required: true, Comment: "the key; it's \"never\" NULL: žádné"}}}
	row := []any{int64(1)}
	for _, kind := range s.held() {
		table.Columns = append(table.Columns, Column{Name: "c" + string(rune('a'+kind)), Kind: kind})
		row = append(row, nil)
	}
	table.Rows = [][]any{row}
	name := s.Load(s.t, table)
	rel := source.Relation{Name: name}
	schema := s.schema(rel)
	if len(schema.Columns) != len(table.Columns) {
		s.t.Fatalf("%d columns of %d: %+v", len(schema.Columns), len(table.Columns), schema.Columns)
	}
	fields := s.typed(name).Columns()
	for i, want := range table.Columns {
		got := schema.Columns[i]
		if got.Name != want.Name || got.Type == "" {
			s.t.Errorf("column %d is %q of type %q, want %q", i, got.Name, got.Type, want.Name)
		}
		if fields[i].Type.Kind != expressions[want.Kind] {
			s.t.Errorf("column %q: predicates take %s for %s", got.Name, got.Type, want.Kind)
		}
		if want.Kind == Record && len(got.Fields) != 2 {
			s.t.Errorf("column %q has the fields %v", got.Name, got.Fields)
		}
		if s.can(Nullability) && got.Nullable == want.Required {
			s.t.Errorf("column %q: nullable is %t", got.Name, got.Nullable)
		}
		if s.can(Comments) && got.Description != want.Comment {
			s.t.Errorf("column %q is described as %q, want %q", got.Name, got.Description, want.Comment)
		}
	}
	if schema.RowCount != nil && *schema.RowCount != 1 {
		s.t.Errorf("%d rows, want 1 or none told", *schema.RowCount)
	}
	version, err := s.Source.Version(s.t.Context(), rel)
	if err != nil || version != schema.Version {
		s.t.Errorf("version %q, %v; the schema's is %q", version, err, schema.Version)
	}
}

// testPartition holds that a partitioned table says so, and that its rows are
// those of a table.
func testPartition(s suite) {
	if !s.can(Partitions) {
		return
	}
	table := Table{Columns: []Column{{Name: "n", Kind: Int}, {Name: "day", Kind: Date}}, PartitionBy: "day"}
	for i := range int64(6) {
		table.Rows = append(table.Rows, []any{i, utc(2001, 1, 1+int(i)/2, 0, 0, 0, 0)})
	}
	name := s.Load(s.t, table)
	if schema := s.schema(source.Relation{Name: name}); !slices.Equal(schema.PartitionBy, []string{"day"}) {
		s.t.Errorf("partitioned by %q", schema.PartitionBy)
	}
	s.wantInts("of one partition", s.scan(name, []string{"n"}, "day = DATE '2001-01-02'"), 2, 3)
	s.wantInts("of all", s.scan(name, []string{"n"}, "day >= DATE '2001-01-01'"), 0, 1, 2, 3, 4, 5)
	e := s.estimate(s.scan(name, []string{"n"}, "day = DATE '2001-01-02'"))
	if e.RowsUpperBound != nil && *e.RowsUpperBound < 2 {
		s.t.Errorf("2 rows, at most %d", *e.RowsUpperBound)
	}
}
