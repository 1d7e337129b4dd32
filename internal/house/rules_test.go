package house

import (
	"go/ast"
	"go/token"
	"regexp"
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

// TestSourcesChooseTheirKinds: whether trying again helps is said of each kind in
// one list, api/sourcekinds.go, so no source makes up its own.
func TestSourcesChooseTheirKinds(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.dir == "api" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			var source bool
			var kind ast.Expr
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch key, _ := kv.Key.(*ast.Ident); {
				case key == nil:
				case key.Name == "Code":
					sel, ok := kv.Value.(*ast.SelectorExpr)
					source = ok && sel.Sel.Name == "CodeSource"
				case key.Name == "Kind":
					kind = kv.Value
				}
			}
			if _, madeUp := kind.(*ast.BasicLit); source && madeUp {
				t.Errorf("%s: a kind of CodeSource that is not from api/sourcekinds.go", f.fset.Position(kind.Pos()))
			}
			return true
		})
		if !strings.HasPrefix(f.dir, "source/") && !strings.HasPrefix(f.dir, "internal/") {
			continue
		}
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				checkKinds(t, f, g)
			}
		}
	}
}

// checkKinds looks at the kinds that a source names for itself.
func checkKinds(t *testing.T, f goFile, g *ast.GenDecl) {
	t.Helper()
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		for i, name := range v.Names {
			if !kindName.MatchString(name.Name) || i >= len(v.Values) {
				continue
			}
			if l, ok := v.Values[i].(*ast.BasicLit); ok && l.Kind == token.STRING && !otherKinds[name.Name] {
				t.Errorf("%s: %s is a kind of CodeSource that is not from api/sourcekinds.go", f.fset.Position(l.Pos()), name.Name)
			}
		}
	}
}

// kindName is what sources call their kinds.
var kindName = regexp.MustCompile(`^[kK]ind[A-Z]`)

// otherKinds are those of other codes than CodeSource.
var otherKinds = map[string]bool{
	"kindBilled": true, "kindQuota": true, "kindFilter": true, "kindInvalid": true, "kindTooLarge": true, "kindChanged": true,
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
