package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is how long a file of ours may get before it is split by meaning.
const maxLines = 400

func TestFilesStayReadable(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.test && !f.generated && f.size > maxLines {
			t.Errorf("%s has %d lines, over %d: split it by meaning", f.path, f.size, maxLines)
		}
	}
}

// The longest line of code, and the text that may stand in a longer one.
const (
	maxColumns = 140
	longText   = 50
)

// TestLinesEndInSight refuses lines that are long for another reason than a text: a
// message, a statement, a comment.
func TestLinesEndInSight(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.generated || matches("internal/testing/...", f.dir) {
			continue
		}
		src, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		texts, set := map[int]int{}, token.NewFileSet()
		var s scanner.Scanner
		s.Init(set.AddFile(f.path, -1, len(src)), src, nil, scanner.ScanComments)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.STRING || tok == token.COMMENT {
				for i, line := range strings.Split(text, "\n") {
					texts[set.Position(pos).Line+i] += len(line)
				}
			}
		}
		for i, line := range strings.Split(string(src), "\n") {
			if len(line) > maxColumns && texts[i+1] < longText {
				t.Errorf("%s:%d has %d columns, over %d", f.path, i+1, len(line), maxColumns)
			}
		}
	}
}

// TestFilesStaySmall keeps downloads and builds out of the repository: what is committed
// once is fetched by every clone for ever.
func TestFilesStaySmall(t *testing.T) {
	const most = 1 << 20
	for _, path := range treeFiles(t) {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Size() > most {
			t.Errorf("%s has %d bytes of at most %d", path, info.Size(), most)
		}
	}
}

// TestFoldersHaveMeaning refuses the names that gather what has no home.
func TestFoldersHaveMeaning(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "shared", "misc", "types", "lib", "base"}
	seen := map[string]bool{}
	for _, path := range treeFiles(t) {
		for dir := filepath.Dir(path); dir != "." && !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if slices.Contains(vague, filepath.Base(dir)) {
				t.Errorf("folder %s: name it after what it does", dir)
			}
		}
	}
}

// leaks are things that belong to one machine or one person. The patterns are
// written so that they do not match themselves.
var leaks = []struct {
	what string
	re   *regexp.Regexp
}{
	{"a path of one machine", regexp.MustCompile(`/(?:root|work|farm|Users)/[A-Za-z0-9_.]`)},
	{"a home folder", regexp.MustCompile(`/home/[a-z0-9_-]+/`)},
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	{"an AWS key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}\b`)},
	{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{10,}`)},
	{"a JSON web token", regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.`)},
	{"a key of a model provider", regexp.MustCompile(`\bsk-[0-9A-Za-z_-]{20,}`)},
	{"a service account", regexp.MustCompile(`"private_key_id"\s*:\s*"[0-9a-f]{40}"`)},
	{"a password in a URL", regexp.MustCompile(`\b[a-z]+://[A-Za-z0-9_.-]+:[^@\s/"'{}$<>]{6,}@`)},
}

// TestNothingPersonalIsCommitted looks through every text file of the tree.
func TestNothingPersonalIsCommitted(t *testing.T) {
	for _, path := range treeFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "go.sum") || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		for _, l := range leaks {
			if loc := l.re.FindIndex(text); loc != nil {
				line := 1 + bytes.Count(text[:loc[0]], []byte("\n"))
				t.Errorf("%s:%d: looks like %s", path, line, l.what)
			}
		}
	}
}

// TestLeaksAreFound makes sure that the patterns match what they are for.
func TestLeaksAreFound(t *testing.T) {
	samples := []string{
		"/ro" + "ot/go", "/ho" + "me/ann/x", "-----BEGIN " + "RSA PRIVATE KEY", "AK" + "IAABCDEFGHIJKLMNOP",
		"AI" + "za" + strings.Repeat("a", 35), "gh" + "p_" + strings.Repeat("a", 36), "xo" + "xb-1234567890",
		"ey" + "J0123456789." + "ey" + "J0123456789.", "s" + "k-" + strings.Repeat("a", 20),
		`"private` + `_key_id": "` + strings.Repeat("0", 40) + `"`, "postgres://ann:" + "secret1@db",
	}
	for i, l := range leaks {
		if !l.re.MatchString(samples[i]) {
			t.Errorf("%s: the pattern misses %q", l.what, samples[i])
		}
	}
}

// maxWords is how long a paragraph of the documentation may be.
const maxWords = 90

// TestParagraphsAreShort leaves out consoles, tables and the front of skills.
func TestParagraphsAreShort(t *testing.T) {
	fence := regexp.MustCompile("(?ms)^ *```.*?^ *```|\\A---$.*?^---$")
	item := regexp.MustCompile(`\n\s*\n|\n\s*(?:[-*]|\d+\.) `)
	for _, path := range treeFiles(t) {
		if !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".md.tmpl") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range item.Split(string(fence.ReplaceAll(text, []byte("\n"))), -1) {
			if p = strings.TrimSpace(p); len(strings.Fields(p)) > maxWords && !strings.HasPrefix(p, "|") && !strings.HasPrefix(p, "<!--") {
				t.Errorf("%s: a paragraph has %d words, over %d: %.60q", path, len(strings.Fields(p)), maxWords, p)
			}
		}
	}
}
