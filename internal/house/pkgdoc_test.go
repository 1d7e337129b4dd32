package house

import (
	"regexp"
	"strings"
	"testing"
)

// sentenceEnd is where a sentence stops: a full stop before a space and a
// capital, or at the end of the text.
var sentenceEnd = regexp.MustCompile(`[.:](\s+[A-Z]|\s*$)`)

// TestEveryPackageSaysWhatItIsFor holds that each package has one comment, of
// at least two sentences: what it is for, and what it must not do.
func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	type pkg struct {
		comments []string
		files    []string
	}
	pkgs := map[string]*pkg{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		p := pkgs[f.dir]
		if p == nil {
			p = &pkg{}
			pkgs[f.dir] = p
		}
		if f.ast.Doc != nil && strings.TrimSpace(f.ast.Doc.Text()) != "" {
			p.comments = append(p.comments, f.ast.Doc.Text())
			p.files = append(p.files, f.path)
		}
	}
	for dir, p := range pkgs {
		switch len(p.comments) {
		case 0:
			t.Errorf("%s: no package comment", dir)
		case 1:
			if n := len(sentenceEnd.FindAllString(p.comments[0], -1)); n < 2 {
				t.Errorf("%s: the package comment has %d sentences; say what it is for and what it must not do", p.files[0], n)
			}
		default:
			t.Errorf("%s: package comments in %s: keep one", dir, strings.Join(p.files, " and "))
		}
	}
}
