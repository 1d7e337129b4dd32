package sheet

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// recalculated returns the workbooks as LibreOffice calculates and saves them, nil for
// those that it does not open.
func recalculated(t *testing.T, files map[string][]byte) map[string]*model {
	t.Helper()
	testneed.Program(t, "soffice")
	dir := t.TempDir()
	settings := `<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>`
	profile := filepath.Join(dir, "profile", "user")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "registrymodifications.xcu"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := []string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", filepath.Join(dir, "out")}
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		path := filepath.Join(dir, strconv.Itoa(i)+".xlsx")
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.CommandContext(ctx, "soffice", args...).CombinedOutput(); err != nil {
		t.Logf("soffice: %v\n%s", err, out)
	}
	made := map[string]*model{}
	for i, name := range names {
		if data, err := os.ReadFile(filepath.Join(dir, "out", strconv.Itoa(i)+".xlsx")); err == nil {
			made[name] = modelOf(t, data)
		}
	}
	return made
}

func modelOf(t *testing.T, data []byte) *model {
	t.Helper()
	b, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(b)
	if err != nil {
		t.Fatal(err)
	}
	m.all = true
	return m
}

// tally counts formulas by what became of them.
type tally struct {
	same, different, unsaid int
	functions               map[string]int
	reasons                 map[string]int
}

// compareTo compares the values that are calculated here with those of another program.
func (c *tally) compareTo(t *testing.T, name string, m, other *model) {
	t.Helper()
	m.eachFormula(func(s *modelSheet, f *formula) {
		if f.filled {
			return
		}
		v, err := m.calculate(f)
		if err != nil {
			c.unsaid++
			c.reasons[err.Error()]++
			return
		}
		i := other.find(s.part.name)
		if i < 0 {
			t.Errorf("%s: LibreOffice has no sheet %s", name, s.part.name)
			return
		}
		if want := other.sheets[i].values[f.at]; !alike(v, want) && !(want.kind == emptyKind && v == textValue("")) && !(want.text == "#NAME?" && strings.Contains(f.text, "XLOOKUP(")) { // which it learned later
			c.different++
			t.Errorf("%s!%s!%s: =%s is %v, by LibreOffice %v", name, s.part.name, f.at, f.text, v, want)
			return
		}
		c.same++
		eachCall(f.expr, func(name string) { c.functions[name]++ })
	})
}

// alike is near, but for types that LibreOffice does not have: true is a number there,
// and #NUM! is saved as #VALUE!.
func alike(v, want Value) bool {
	if v.kind == boolKind && want.kind == numberKind || v.kind == numberKind && want.kind == boolKind {
		return v.number == want.number
	}
	return near(v, want) || v.text == "#NUM!" && want.text == "#VALUE!"
}

func eachCall(e expr, f func(string)) {
	switch e := e.(type) {
	case binary:
		eachCall(e.left, f)
		eachCall(e.right, f)
	case unary:
		eachCall(e.of, f)
	case call:
		f(e.name)
		for _, a := range e.args {
			eachCall(a, f)
		}
	}
}

// TestForeignFormulasLikeLibreOffice calculates all formulas of the workbooks of a
// folder, whatever values they have.
func TestForeignFormulasLikeLibreOffice(t *testing.T) {
	dir := os.Getenv("DA_DOCUMENTS")
	if dir == "" {
		t.Skip("DA_DOCUMENTS names no folder of workbooks")
	}
	files, models := map[string][]byte{}, map[string]*model{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".xlsx") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil //nolint:nilerr // it is refused, which other tests look at
		}
		m, err := newModel(b)
		if err != nil {
			t.Logf("%s: %v", path, err)
			return nil
		}
		m.all = true
		n := 0
		m.eachFormula(func(*modelSheet, *formula) { n++ })
		if n > 0 {
			files[path], models[path] = data, m
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := tally{functions: map[string]int{}, reasons: map[string]int{}}
	for path, other := range recalculated(t, files) {
		c.compareTo(t, path, models[path], other)
	}
	t.Logf("%d workbooks: %d formulas of %d functions are the same, %d are not calculated", len(files), c.same, len(c.functions), c.unsaid)
	for _, why := range slices.SortedFunc(maps.Keys(c.reasons), func(a, b string) int { return c.reasons[b] - c.reasons[a] }) {
		t.Logf("%5d %s", c.reasons[why], why)
	}
	t.Log(fmt.Sprint(c.functions))
}

func rawPart(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	b, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.pkg.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func withPart(t *testing.T, data []byte, name, text string) []byte {
	t.Helper()
	b, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	b.pkg.Set(name, []byte(text))
	var out bytes.Buffer
	if err := b.pkg.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
