package mariadb

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheGuideNamesWhatThereIs holds that docs/adding-a-source.md, whose example
// this package is, names no file, declaration or test that is not there.
func TestTheGuideNamesWhatThereIs(t *testing.T) {
	const root = "../../"
	text, err := os.ReadFile(root + "docs/adding-a-source.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder // of the packages that the guide is about
	for _, dir := range []string{".", root + "source", root + "internal/testing/sourcetest", root + "source/registry", root + "internal/rows/recordreader", root + "predicate", root + "api", root + "cli", root + "internal/house"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
	}
	declared := func(name string) bool {
		return regexp.MustCompile(`(?m)^\t*(func (\([^)]*\) )?|type |var |const |)` + regexp.QuoteMeta(name) + `\b`).MatchString(code.String())
	}
	path := regexp.MustCompile(`^[a-z_./*0-9-]+(/[a-z_*0-9-]+|\.(go|md|txtar|example))$`)
	name := regexp.MustCompile(`^(?:(?:source|sourcetest|predicate|api|rel|p)\.)?([A-Z]\w+|refuse|Sees|Rule)(?:\(.*\))?$`)
	paths, names := 0, 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		said := m[1]
		if n := name.FindStringSubmatch(said); n != nil {
			if names++; !declared(n[1]) {
				t.Errorf("there is no %s", said)
			}
			continue
		}
		if !path.MatchString(said) {
			continue
		}
		paths++
		found := 0
		for _, from := range []string{root, "", root + "source/"} {
			files, err := filepath.Glob(from + said)
			if err != nil {
				t.Fatal(err)
			}
			found += len(files)
		}
		if found == 0 {
			t.Errorf("there is no file %s", said)
		}
	}
	for _, m := range regexp.MustCompile(`-run (\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !regexp.MustCompile(`(?m)^func Test\w*` + strings.TrimPrefix(m[1], "Test")).MatchString(code.String()) {
			t.Errorf("no test is run by -run %s", m[1])
		}
	}
	if paths < 15 || names < 15 {
		t.Errorf("the guide names %d files and %d declarations", paths, names)
	}
}
