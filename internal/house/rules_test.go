package house

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// once says what stands in one place only, as part of a string or as a name:
// a rule that is written twice begins to differ.
var once = []struct {
	text string
	in   []string // folders
	why  string
}{
	{"PARQUET_VERSION", []string{"internal/engine/duckdb", "cli/demo/gen"}, "one place knows which encodings other readers accept: duckdb.ToParquet"},
	{"da.caveats", []string{"api"}, "one place knows how a schema carries caveats: api.SchemaWith, api.SchemaCaveats"},
	{"DESCRIBE SELECT", []string{"internal/engine/duckdb"}, "one place asks for the columns of a SELECT: duckdb.Conn.Describe"},
}

func TestRulesStandOnce(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			for _, o := range once {
				if strings.Contains(l.Value, o.text) && !contains(o.in, f.dir) {
					t.Errorf("%s: %q: %s", f.fset.Position(l.Pos()), o.text, o.why)
				}
			}
			return true
		})
	}
}

func contains(dirs []string, dir string) bool {
	for _, d := range dirs {
		if matches(d, dir) {
			return true
		}
	}
	return false
}

// TestCaveatsHaveTheirKinds: a text in the place of a kind compiles, and would be a
// kind that no reader knows.
func TestCaveatsHaveTheirKinds(t *testing.T) {
	seen := 0
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "NewCaveat" && s.Sel.Name != "CaveatsOf" && (s.Sel.Name != "add" || f.dir != "table") {
				return true
			}
			seen++
			if l, ok := call.Args[0].(*ast.BasicLit); ok && l.Kind == token.STRING {
				t.Errorf("%s: a text is given as the kind of a caveat", f.fset.Position(l.Pos()))
			}
			return true
		})
	}
	if seen < 10 {
		t.Errorf("%d calls were found", seen)
	}
}
