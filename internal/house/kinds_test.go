package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestKindsOfErrors: a kind that stands in no list is documented nowhere, and
// nobody knows whether trying again helps; one that nobody uses misleads.
func TestKindsOfErrors(t *testing.T) {
	listed := listedKinds(t)
	if len(listed) < 200 {
		t.Fatalf("api/kinds.go has %d kinds", len(listed))
	}
	makers := map[string]map[string]int{} // by folder
	for _, f := range goFiles(t) {
		if makers[f.dir] == nil {
			makers[f.dir] = map[string]int{}
		}
		addMakers(makers[f.dir], f)
	}
	used := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test || matches("internal/testing/...", f.dir) || f.path == "api/kinds.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				used[n.Name] = true
			case *ast.CompositeLit:
				checkKind(t, f, kindOf(n))
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "Kind" && setsCode(n) && i < len(n.Rhs) {
						checkKind(t, f, n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if at, ok := makers[f.dir][called(n)]; ok && at < len(n.Args) {
					checkKind(t, f, n.Args[at])
				}
			}
			return true
		})
	}
	for name := range listed {
		if !used[name] {
			t.Errorf("api/kinds.go: nobody uses %s", name)
		}
	}
}

// listedKinds are the names of the kinds in api/kinds.go. Each follows from its value.
func listedKinds(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.path != "api/kinds.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			value, err := strconv.Unquote(v.Values[0].(*ast.CallExpr).Args[0].(*ast.BasicLit).Value)
			if name := v.Names[0].Name; err != nil || !strings.EqualFold(name, "Kind"+strings.ReplaceAll(value, "_", "")) {
				t.Errorf("%s: %s does not have the name of its value", f.fset.Position(v.Pos()), name)
			}
			if names[v.Names[0].Name] {
				t.Errorf("%s: a second time", f.fset.Position(v.Pos()))
			}
			names[v.Names[0].Name] = true
			return true
		})
	}
	return names
}

// ownKind is the name of a kind that a package declares for itself.
var ownKind = regexp.MustCompile(`^[kK]ind[A-Z]`)

func checkKind(t *testing.T, f goFile, kind ast.Expr) {
	t.Helper()
	bad := false
	switch kind := kind.(type) {
	case *ast.BasicLit:
		bad = kind.Value != `""`
	case *ast.Ident:
		bad = f.dir != "api" && ownKind.MatchString(kind.Name)
	case *ast.SelectorExpr:
		x, ok := kind.X.(*ast.Ident)
		bad = ownKind.MatchString(kind.Sel.Name) && (!ok || x.Name != "api")
	}
	if bad {
		t.Errorf("%s: a kind of error that is not from api/kinds.go", f.fset.Position(kind.Pos()))
	}
}

// kindOf returns the kind of a literal with a code, as an api.Error has.
func kindOf(lit *ast.CompositeLit) ast.Expr {
	var kind ast.Expr
	code := false
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			switch key, _ := kv.Key.(*ast.Ident); {
			case key == nil:
			case key.Name == "Code":
				code = true
			case key.Name == "Kind":
				kind = kv.Value
			}
		}
	}
	if !code {
		return nil
	}
	return kind
}

func setsCode(a *ast.AssignStmt) bool {
	for _, l := range a.Lhs {
		if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "Code" && a.Tok == token.ASSIGN {
			return true
		}
	}
	return false
}

// addMakers adds the functions of a file that make errors, with the place of the
// kind among their arguments.
func addMakers(makers map[string]int, f goFile) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		d, ok := n.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			return true
		}
		makes := false
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok {
				id, ok := kindOf(lit).(*ast.Ident)
				makes = makes || ok && id.Name == "kind"
			}
			return true
		})
		at := 0
		for _, p := range d.Type.Params.List {
			for _, name := range p.Names {
				if makes && name.Name == "kind" {
					makers[d.Name.Name] = at
				}
				at++
			}
		}
		return true
	})
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
