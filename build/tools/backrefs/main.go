// Backrefs counts how much of each package points back: it orders the files of a
// package so that most references lead down, and prints the share that still leads
// up. A package that reads from top to bottom has a small share.
//
//	go run ./build/tools/backrefs ./analyst/...     one line for each package
//	go run ./build/tools/backrefs -v ./analyst      also the order and what points back
//	go run ./build/tools/backrefs -check ./...      what has over 45 files or over 15 %
//
// A reference is a pair of a file and a name of the same package, a method
// among them, that another file declares. Tests and files of other systems are
// left out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A package beyond these bounds is several rooms in one folder.
const (
	mostFiles = 45
	mostBack  = 15 // percent
)

func main() {
	verbose := flag.Bool("v", false, "print the order of the files and each reference that points back")
	check := flag.Bool("check", false, "print only packages that are over the bounds, and fail if there are any")
	flag.Parse()
	over := false
	for _, pattern := range flag.Args() {
		for _, dir := range folders(pattern) {
			p, err := read(dir)
			var none *build.NoGoError
			if errors.As(err, &none) || err == nil && len(p.files) < 2 {
				continue
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			crooked := len(p.files) > mostFiles || p.percent() > mostBack
			over = over || crooked
			if crooked || !*check {
				p.print(*verbose)
			}
		}
	}
	if over && *check {
		os.Exit(1)
	}
}

// folders returns the folder that pattern names, and those below it for one that
// ends in "/...".
func folders(pattern string) []string {
	root, below := strings.CutSuffix(pattern, "/...")
	if !below {
		return []string{root}
	}
	var all []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if n := d.Name(); n == "testdata" || n == "node_modules" || path != root && strings.HasPrefix(n, ".") {
			return fs.SkipDir
		}
		all = append(all, path)
		return nil
	})
	return all
}

// pkg holds the references between the files of one package.
type pkg struct {
	dir   string
	files []string               // names, in the order of the folder, then the best one
	names map[[2]string][]string // from file, to file: names that are referred to
}

func read(dir string) (*pkg, error) {
	found, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: dir, files: slices.Concat(found.GoFiles, found.CgoFiles), names: map[[2]string][]string{}}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Other packages stay unknown, since only names of this one are counted.
	config := types.Config{Importer: unknown{}, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check(dir, fset, parsed, info)
	seen := map[[3]string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != checked || !declared(checked, object) {
			continue
		}
		from := filepath.Base(fset.Position(ident.Pos()).Filename)
		to := filepath.Base(fset.Position(object.Pos()).Filename)
		if from == to || seen[[3]string{from, to, object.Name()}] {
			continue
		}
		seen[[3]string{from, to, object.Name()}] = true
		p.names[[2]string{from, to}] = append(p.names[[2]string{from, to}], object.Name())
	}
	p.order()
	return p, nil
}

// declared reports whether object is declared at package level or is a method.
func declared(p *types.Package, object types.Object) bool {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return object.Parent() == p.Scope()
}

// unknown gives an empty package for every import.
type unknown struct{}

func (unknown) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// order moves files, one at a time, to where fewest references point back, until no
// move helps.
func (p *pkg) order() {
	slices.Sort(p.files)
	for better := true; better; {
		better = false
		for _, file := range slices.Clone(p.files) {
			at := slices.Index(p.files, file)
			rest := slices.Delete(slices.Clone(p.files), at, at+1)
			// cost counts what points back through file, which stands before rest[0].
			cost := 0
			for _, other := range rest {
				cost += len(p.names[[2]string{other, file}])
			}
			costs := []int{cost}
			for _, other := range rest {
				cost += len(p.names[[2]string{file, other}]) - len(p.names[[2]string{other, file}])
				costs = append(costs, cost)
			}
			best := slices.Index(costs, slices.Min(costs))
			if costs[best] < costs[at] {
				p.files = slices.Insert(rest, best, file)
				better = true
			}
		}
	}
}

// back returns the references that point back in the order of the files, and how
// many references there are.
func (p *pkg) back() (back map[[2]string][]string, all int) {
	back = map[[2]string][]string{}
	for pair, names := range p.names {
		all += len(names)
		if slices.Index(p.files, pair[0]) > slices.Index(p.files, pair[1]) {
			back[pair] = names
		}
	}
	return back, all
}

func (p *pkg) percent() int {
	back, all := p.back()
	n := 0
	for _, names := range back {
		n += len(names)
	}
	return (n*100 + all/2) / max(all, 1)
}

func (p *pkg) print(verbose bool) {
	back, all := p.back()
	fmt.Printf("%-32s %3d files %5d references %3d %% back\n", filepath.ToSlash(p.dir), len(p.files), all, p.percent())
	if !verbose {
		return
	}
	fmt.Println(" ", strings.Join(p.files, " "))
	for _, pair := range slices.SortedFunc(maps.Keys(back), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Printf("  %s -> %s: %s\n", pair[0], pair[1], strings.Join(slices.Sorted(slices.Values(back[pair])), " "))
	}
}
