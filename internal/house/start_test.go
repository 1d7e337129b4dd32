package house

import (
	"go/ast"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// slow are packages that every start would pay for, since Go initialises whatever
// is linked. A pattern matches as those of the arrows do.
var slow = map[string]string{
	"github.com/tealeg/...":        "builds tables of formats",
	"github.com/aws/...":           "builds tables of endpoints; minio-go reads buckets",
	"k8s.io/...":                   "registers messages",
	"github.com/google/cel-go/...": "builds the tables of a parser",
	"net/http/pprof":               "is for servers that are debugged",
	"github.com/prometheus/...":    "registers messages and metrics of its own",
}

// mostPackages is how many packages of others cmd/da may link. A library that brings
// dozens is to be noticed: each costs its part of every start.
const mostPackages = 875

// TestNothingSlowIsLinked looks at what cmd/da imports, by whatever way.
func TestNothingSlowIsLinked(t *testing.T) {
	atRoot()
	out, err := exec.Command("go", "list", "-deps", "./cmd/da").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, pkg := range linked {
		for pattern, why := range slow {
			if matches(pattern, pkg) {
				t.Errorf("cmd/da links %s, which %s", pkg, why)
			}
		}
	}
	others := 0
	for _, pkg := range linked {
		if !strings.HasPrefix(pkg, module) {
			others++
		}
	}
	if others > mostPackages {
		t.Errorf("cmd/da links %d packages of others; at most %d", others, mostPackages)
	}
	for _, f := range goFiles(t) {
		if !f.test && slices.Contains(linked, "github.com/agnes-data/da/"+f.dir) {
			compiledAtStart(t, f)
		}
	}
}

// compiledAtStart reports the variables of a package that hold patterns: each start
// would compile them.
func compiledAtStart(t *testing.T, f goFile) {
	t.Helper()
	for _, decl := range f.ast.Decls {
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				call, ok := value.(*ast.CallExpr)
				if !ok {
					continue
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
					t.Errorf("%s: compiled at every start; use internal/words/lazyregexp", f.fset.Position(value.Pos()))
				}
			}
		}
	}
}
