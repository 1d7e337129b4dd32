package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// atRoot changes to the root of the tree. It is called by what reads files, and not
// before all tests: only then does the go command see which files a kept result
// depends on.
var atRoot = sync.OnceFunc(func() {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
})

// goFiles returns every Go file of this module, parsed once for all tests.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// parsed reads the tree itself rather than asking the go command, so that it sees
// files of every platform and works where nothing compiles yet.
var parsed = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	paths, err := walked()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".go") || inNestedModule(path) || strings.Contains(path, "testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, goFile{
			path:      path,
			dir:       filepath.ToSlash(filepath.Dir(path)),
			test:      strings.HasSuffix(path, "_test.go"),
			ast:       file,
			fset:      fset,
			size:      strings.Count(string(text), "\n"),
			generated: ast.IsGenerated(file),
		})
	}
	if len(files) < 5 {
		return nil, fmt.Errorf("found only %d Go files: the test looks in the wrong place", len(files))
	}
	return files, nil
})

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
	files, err := walked()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var walked = sync.OnceValues(func() ([]string, error) {
	var files []string
	atRoot()
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{".git": true}
	for line := range strings.Lines(string(ignored)) { // those of a place: what commands leave in a checkout
		if place, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			skip[strings.TrimSuffix(place, "/")] = true
		}
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skip[filepath.ToSlash(path)] {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && !skip[path] { // .git is a file in a linked work tree
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	return files, err
})
