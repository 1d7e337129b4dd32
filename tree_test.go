package da

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is the import path of the repository.
const module = "github.com/agnes-data/da"

// goFile is one parsed source file of the tree.
type goFile struct {
	path string // slash-separated, relative to the root
	dir  string // the package's folder, "." for the root
	test bool
	ast  *ast.File
	fset *token.FileSet
	size int // lines
	// generated files say so themselves, as Go asks of them.
	generated bool
}

// goFiles parses every Go file of this module. It reads the tree itself rather
// than asking the go command, so that it sees files of every platform and
// works where nothing compiles yet.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, path := range treeFiles(t) {
		if !strings.HasSuffix(path, ".go") || inNestedModule(path) || strings.Contains(path, "testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			t.Errorf("parse: %v", err)
			continue
		}
		files = append(files, goFile{
			path:      path,
			dir:       filepath.ToSlash(filepath.Dir(path)),
			test:      strings.HasSuffix(path, "_test.go"),
			ast:       parsed,
			fset:      fset,
			size:      strings.Count(string(text), "\n"),
			generated: ast.IsGenerated(parsed),
		})
	}
	if len(files) < 5 {
		t.Fatalf("found only %d Go files: the test looks in the wrong place", len(files))
	}
	return files
}

// inNestedModule reports whether a folder on the way to path, below the root,
// is a module of its own.
func inNestedModule(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// treeFiles lists the files of the tree, slash-separated, leaving out what
// .gitignore names.
func treeFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch path {
			case ".git", ".cache", "bin", "dist", "dist-pages", "state", "web/node_modules":
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && path != ".git" { // a file in a linked work tree
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
