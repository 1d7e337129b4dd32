package lake

import (
	"strings"
	"testing"
)

func TestPatternsMatchAsFoldersDo(t *testing.T) {
	for _, x := range []struct {
		pattern, name string
		match         bool
	}{
		{"a.csv", "a.csv", true}, {"a.csv", "b/a.csv", false}, {"*.csv", "a.csv", true}, {"*.csv", ".a.csv", false}, {"*/a.csv", "b/a.csv", true},
		{"**/a.csv", "a.csv", true}, {"**/a.csv", "b/c/a.csv", true}, {"**/a.csv", ".b/a.csv", false}, {"b/**/*.csv", "b/a.csv", true},
		{"b/**/*.csv", "b/c/d/a.csv", true}, {"b/**/*.csv", "c/a.csv", false}, {"b*/*.csv", "b/c/a.csv", false},
	} {
		p, err := parsePattern(x.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.match(strings.Split(x.name, "/")); got != x.match {
			t.Errorf("%s and %s: %t", x.pattern, x.name, got)
		}
		if !strings.HasPrefix(x.name, p.prefix()) && x.match {
			t.Errorf("%s does not begin with %q", x.name, p.prefix())
		}
	}
}
