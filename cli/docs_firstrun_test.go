package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docPage is a page of the docs by its name.
func docPage(t *testing.T, name string) *page {
	t.Helper()
	for _, p := range docPagesOf(t) {
		if p.name == name {
			return p
		}
	}
	t.Fatalf("there is no page %s", name)
	return nil
}

// firstRun are the blocks of a page's first run, by their language.
func firstRun(t *testing.T, name string) map[string]string {
	t.Helper()
	p := docPage(t, name)
	begin := 0
	for i, line := range p.lines {
		if line == "## A first run" {
			begin = i
		}
	}
	section := map[string]string{} // the first block after the heading
	for _, b := range p.blocks {
		if begin > 0 && b.first > begin && section[b.lang] == "" {
			section[b.lang] = p.text(b)
		}
	}
	for _, lang := range []string{"sql", "yaml", "sh"} {
		if section[lang] == "" {
			t.Fatalf("the first run of %s lacks a block of %s", name, lang)
		}
	}
	return section
}

// followFirstRun types what a first run has people type, with other words in
// place of those that name a host of theirs, and wants two rows in the end.
func followFirstRun(t *testing.T, section map[string]string, replace ...string) *reader {
	t.Helper()
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(section["sh"], replace[i]) {
			t.Fatalf("the commands lack %q:\n%s", replace[i], section["sh"])
		}
	}
	r := newReader(t)
	if err := os.WriteFile(filepath.Join(r.home, "instance.yaml"), []byte(section["yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	out, failed := r.typed(strings.NewReplacer(replace...).Replace(section["sh"]))
	if failed != "" || r.code != 0 || !strings.Contains(out.String(), "large: 2 rows") {
		t.Fatalf("failed: %s (exit %d)\n%s", failed, r.code, out)
	}
	return r
}
