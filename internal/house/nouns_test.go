package house

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainNouns are the words of Go, SQL and of interfaces everywhere, which need no
// definition. At the ends of a name they say what role it plays.
var plainNouns = strings.Fields(`arg base between body call case cast class column compare computer config conn created data db draft
	end env error event expr failed file filed flags folder hidden import in info is item kind like list lock logic map mode new not null
	number op options order package page param put query read refresh request result row rows schema select selecting shown size spec
	state stats status store summary table text token truth type`)

// TestNounsStandInTheGlossary: who meets an exported type in three packages finds
// its noun in docs/glossary.md.
func TestNounsStandInTheGlossary(t *testing.T) {
	atRoot()
	text, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+?) \|`).FindAllStringSubmatch(strings.ToLower(string(text)), -1) {
		for _, word := range strings.FieldsFunc(row[1], func(r rune) bool { return r == ',' || r == ' ' || r == '-' }) {
			known[strings.TrimSuffix(word, "s")] = true
		}
	}
	for name, users := range exportedTypes(t) {
		if len(users) < 3 {
			continue
		}
		for _, word := range words(name[strings.LastIndex(name, ".")+1:]) {
			if !slices.Contains(plainNouns, word) && !known[strings.TrimSuffix(word, "s")] {
				t.Errorf("%s is used in %d packages, and docs/glossary.md has no word %q", name, len(users), word)
			}
		}
	}
}

// exportedTypes returns the packages of the product that use each exported type of
// another, by its path and name.
func exportedTypes(t *testing.T) map[string]map[string]bool {
	t.Helper()
	used := map[string]map[string]bool{}
	product := func(f goFile) bool {
		return !f.test && !strings.HasPrefix(f.dir, "build/") && !strings.HasPrefix(f.dir, "internal/testing/") && !strings.HasPrefix(f.dir, "internal/bench/")
	}
	for _, f := range goFiles(t) {
		for _, d := range f.ast.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok || !product(f) {
				continue
			}
			for _, s := range types.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() {
					used[f.dir+"."+ts.Name.Name] = map[string]bool{}
				}
			}
		}
	}
	for _, f := range goFiles(t) {
		if !product(f) {
			continue
		}
		paths := map[string]string{}
		for _, i := range f.ast.Imports {
			path, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/")
			if !ours {
				continue
			}
			paths[path[strings.LastIndex(path, "/")+1:]] = path
			if i.Name != nil {
				paths[i.Name.Name] = path
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					if users := used[paths[x.Name]+"."+s.Sel.Name]; users != nil {
						users[f.dir] = true
					}
				}
			}
			return true
		})
	}
	return used
}

// words splits a name at its capitals, in lower case.
func words(name string) []string {
	return strings.Fields(strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1 $2")))
}
