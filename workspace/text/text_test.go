package text

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/agnes-data/da/api"
)

func read(t *testing.T, text string, o ReadOptions) *Part {
	t.Helper()
	p, err := Read(strings.NewReader(text), int64(len(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadsLines(t *testing.T) {
	for _, c := range []struct {
		text       string
		start, end int64
		want       string
		total      int64
	}{
		{"", 0, 0, "", 0},
		{"a", 0, 0, "a", 1},
		{"a\n", 0, 0, "a\n", 1},
		{"a\nb\nc", 2, 2, "b\n", 3},
		{"a\r\nb\r\n", 2, 9, "b\r\n", 2},
		{"a\n\n", 2, 0, "\n", 2},
		{"a\n", 5, 6, "", 1},
		{"\xef\xbb\xbfa\nb", 1, 1, "a\n", 2},
		{"\xff\xfea\x00\n\x00\x0a\x0a", 2, 2, "\u0a0a", 2},
		{"caf\xe9\nx", 1, 1, "café\n", 2},
	} {
		if p := read(t, c.text, ReadOptions{Start: c.start, End: c.end}); p.Content != c.want || p.TotalLines != c.total {
			t.Errorf("%q %d-%d: %q of %d lines, want %q of %d", c.text, c.start, c.end, p.Content, p.TotalLines, c.want, c.total)
		}
	}
	if p := read(t, "aaaa\nbbbb\ncccc\n", ReadOptions{MaxBytes: 11}); p.Content != "aaaa\nbbbb\n" || !p.Truncated || p.EndLine != 2 || p.TotalLines != 3 {
		t.Errorf("%+v", p)
	}
	_, err := Read(strings.NewReader("PK\x03\x04\x00"), 5, ReadOptions{})
	if e := new(api.Error); !errors.As(err, &e) || e.Kind != "binary" {
		t.Errorf("%v", err)
	}
}

// TestEditsAreThoseOfAModel makes random edits of texts of all formats, and the
// same ones in memory.
func TestEditsAreThoseOfAModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		lines := make([]string, r.IntN(6))
		for i := range lines {
			lines[i] = []string{"", "a", "été", "long line " + strings.Repeat("x", r.IntN(20))}[r.IntN(4)] + end
		}
		if len(lines) > 0 && r.IntN(2) == 0 {
			lines[len(lines)-1] = "last"
		}
		old := strings.Join(lines, "")
		start := r.IntN(len(lines) + 2)
		drop := r.IntN(3)
		content := []string{"", "new\n", "new", "one\ntwo\n", "one\r\ntwo"}[r.IntN(5)]
		encode, decode := func(s string) string { return s }, func(s string) string { return s }
		if r.IntN(2) == 0 {
			wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
			encode = func(s string) string { return must(wide.NewEncoder().String(s)) }
			decode = func(s string) string { return must(wide.NewDecoder().String(s)) }
			if old == "" {
				encode = func(string) string { return "\xff\xfe" }
			}
		}
		var out bytes.Buffer
		text := encode(old)
		total, err := splice(strings.NewReader(text), int64(len(text)), &out, int64(start), int64(drop), New{Content: content})
		if start+drop > len(lines) {
			if !api.CodeValidation.Is(err) {
				t.Fatalf("%q, %d lines after %d: %v", old, drop, start, err)
			}
			continue
		}
		want := model(lines, start, drop, content, end)
		if got := decode(out.String()); err != nil || got != want {
			t.Fatalf("%q, %d lines after %d become %q:\ngot  %q, %v\nwant %q", old, drop, start, content, got, err, want)
		}
		if n := read(t, out.String(), ReadOptions{}).TotalLines; n != total {
			t.Fatalf("%q has %d lines, not %d", out.String(), n, total)
		}
	}
}

// model is an edit in memory.
func model(lines []string, start, drop int, content, end string) string {
	if len(lines) == 0 || !strings.HasSuffix(lines[0], "\r\n") {
		end = "\n"
	}
	content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", end)
	before, after := strings.Join(lines[:start], ""), strings.Join(lines[start+drop:], "")
	wasOpen := start+drop == len(lines) && len(lines) > 0 && !strings.HasSuffix(lines[len(lines)-1], "\n")
	if content != "" {
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += end
		}
		if !strings.HasSuffix(content, "\n") && !wasOpen {
			content += end
		}
	}
	return before + content + after
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

func TestWhatIsNotTouchedKeepsItsBytes(t *testing.T) {
	old := "na\xefve\r\n\x81 odd\r\nthird"
	var out bytes.Buffer
	if _, err := Replace(strings.NewReader(old), int64(len(old)), &out, 3, 3, New{Content: "dritte é"}); err != nil {
		t.Fatal(err)
	}
	if want := "na\xefve\r\n\x81 odd\r\ndritte \xe9"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	_, err := Insert(strings.NewReader(old), int64(len(old)), &out, 0, New{Content: "日本"})
	if e := new(api.Error); !errors.As(err, &e) || e.Kind != "encoding" {
		t.Errorf("%v", err)
	}
}

func TestSearch(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	b.WriteString("last 100")
	text := b.String()
	found, err := Search(strings.NewReader(text), int64(len(text)), SearchOptions{Pattern: `\b100$`, Context: 1})
	if err != nil || found.Total != 2 || found.TotalLines != 1001 {
		t.Fatalf("%+v, %v", found, err)
	}
	if m := found.Matches[0]; m.Line != 100 || m.Content != "line 100" || m.Before[0] != "line 99" || m.After[0] != "line 101" {
		t.Errorf("%+v", m)
	}
	if m := found.Matches[1]; m.Line != 1001 || m.Content != "last 100" {
		t.Errorf("%+v", m)
	}
	found, err = Search(strings.NewReader(text), int64(len(text)), SearchOptions{Pattern: "LINE", IgnoreCase: true, Max: 3})
	if err != nil || found.Total != 1000 || len(found.Matches) != 3 || !found.Truncated {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err = Search(strings.NewReader(text), int64(len(text)), SearchOptions{Pattern: `\QLINE 7`, IgnoreCase: true}); err != nil || found.Total != 111 {
		t.Errorf("a quoted pattern: %+v, %v", found, err)
	}
	_, err = Search(strings.NewReader(text), int64(len(text)), SearchOptions{Pattern: "(a"})
	if !api.CodeUsage.Is(err) {
		t.Errorf("%v", err)
	}
}

// TestSearchFindsWhatTheExpressionMatches compares the lines that are found, by texts
// that they must have, with those that the expression alone matches.
func TestSearchFindsWhatTheExpressionMatches(t *testing.T) {
	lines := []string{"", "abc", "ABC", "aXbc", "kelvin", "\u212aelvin", "\u017ftra\u00dfe", "STRASSE", "strasse", "x\xffy", "x\ufffdy", "a.b", "été", "ÉTÉ", "aaa", "12 of 3", "abab", "İzmir", "izmir", "Iğdır"}
	text := strings.Join(lines, "\n")
	for _, pattern := range []string{"abc", "a.c", "(?i)abc", "(?i)kelvin", "(?i)strasse", "(?i)é", "é.é", "\ufffd", "x.y", `\d+ of \d`, "(ab)+", "(ab){2}", "(ab){0,2}c", "(abc)?", "a|b", "^$", "", `a\.b`, "(?i:a)bc", "[aA]bc", "x\ufffdy", "(?s).b", "a*?b", "(?i)K", "İzmir", "(?i)iğ"} {
		for _, fold := range []bool{false, true} {
			found, err := Search(strings.NewReader(text), int64(len(text)), SearchOptions{Pattern: pattern, IgnoreCase: fold, Encoding: "utf-8"})
			if err != nil {
				t.Fatal(err)
			}
			expr := pattern
			if fold {
				expr = "(?i:" + pattern + ")"
			}
			var got, want []int64
			for _, m := range found.Matches {
				got = append(got, m.Line)
			}
			for i, line := range lines {
				if regexp.MustCompile(expr).MatchString(line) {
					want = append(want, int64(i+1))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, either case %v: lines %v, not %v", pattern, fold, got, want)
			}
		}
	}
}

// TestMemoryDoesNotGrow reads, searches and edits 50 MB.
func TestMemoryDoesNotGrow(t *testing.T) {
	text := bytes.Repeat([]byte("a line of a large file, as there are many\n"), 50_000_000/42)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, size := bytes.NewReader(text), int64(len(text))
	if _, err := Read(r, size, ReadOptions{Start: 1_000_000, End: 1_000_010}); err != nil {
		t.Fatal(err)
	}
	if _, err := Search(r, size, SearchOptions{Pattern: "nowhere"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Replace(r, size, discard{}, 5, 6, New{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 10<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
