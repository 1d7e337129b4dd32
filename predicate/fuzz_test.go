package predicate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/predicate/syntax"
)

// checkText holds what is true of every text: it is refused with a known kind,
// or printed in a form that parses to the same again.
func checkText(t *testing.T, d predicate.Dialect, s *predicate.Schema, text string) (accepted bool) {
	t.Helper()
	e, err := predicate.Parse(d, text, s)
	if err != nil {
		var r *api.Error
		if !errors.As(err, &r) || r.Code != api.CodeRejected || !predicate.KnownKinds.Has(r.Kind) || r.Message == "" {
			t.Fatalf("%s: %q: %v is no rejection", d, text, err)
		}
		return false
	}
	printed, err := print.SQL(d, e, predicate.Env{})
	if err != nil {
		t.Fatalf("%s: %q: accepted, but not printed: %v", d, text, err)
	}
	again, err := predicate.Parse(d, printed, s)
	if err != nil {
		// Quoting and spelling out may push a text over the caps.
		var r *api.Error
		if errors.As(err, &r) && (r.Kind == api.KindTooLong || r.Kind == api.KindTooDeep) {
			return true
		}
		t.Fatalf("%s: %q\nprinted %q\nis refused: %v", d, text, printed, err)
	}
	second, err := print.SQL(d, again, predicate.Env{})
	if err != nil || second != printed {
		t.Fatalf("%s: %q\nprinted %q\nprints  %q (%v)", d, text, printed, second, err)
	}
	if a, b := predicate.Normalize(e), predicate.Normalize(again); a != b {
		t.Fatalf("%s: %q: the normal form changes:\n%s\n%s", d, text, a, b)
	}
	if a, b := predicate.Normalize(e), predicate.Normalize(predicate.Canonical(e)); a != b {
		t.Fatalf("%s: %q: the canonical form has another normal form:\n%s\n%s", d, text, a, b)
	}
	for _, to := range predicate.Dialects() {
		if _, err := print.SQL(to, e, predicate.Env{Now: time.Unix(1767225600, 0)}); err != nil && !api.CodeRejected.Is(err) {
			t.Fatalf("%s: %q: printing for %s: %v", d, text, to, err)
		}
	}
	return true
}

func FuzzParse(f *testing.F) {
	for i, d := range predicate.Dialects() {
		for _, where := range predicate.Corpus(f, d) {
			f.Add(i, where)
		}
		for _, where := range rejectedTexts(f, d) {
			f.Add(i, where)
		}
	}
	schemas := map[predicate.Dialect]*predicate.Schema{}
	for _, d := range predicate.Dialects() {
		schemas[d] = predicate.CorpusSchema(f, d)
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		d := predicate.Dialects()[uint(which)%uint(len(predicate.Dialects()))]
		checkText(t, d, schemas[d], text)
	})
}

// TestGeneratedPredicates tries what the generator writes in every dialect.
func TestGeneratedPredicates(t *testing.T) {
	for _, d := range predicate.Dialects() {
		s := predicate.CorpusSchema(t, d)
		g := predicate.NewGenerator(d, s, 5)
		n, accepted := campaign(t, 3000), 0
		for i := range n {
			if checkText(t, d, s, g.Predicate(i%4)) {
				accepted++
			}
		}
		t.Logf("%s: %d of %d accepted", d, accepted, n)
		if accepted < n/5 {
			t.Errorf("%s: only %d of %d generated predicates were accepted", d, accepted, n)
		}
	}
}

// TestMangledPredicates cuts, doubles and swaps pieces of the corpora.
func TestMangledPredicates(t *testing.T) {
	for _, d := range predicate.Dialects() {
		s := predicate.CorpusSchema(t, d)
		g := predicate.NewGenerator(d, s, 6)
		texts := append(predicate.Corpus(t, d), rejectedTexts(t, d)...)
		for range campaign(t, 3000) {
			a := g.Pick(texts)
			if len(a) > 2000 {
				continue
			}
			b := g.Pick(texts)
			i, j := g.Rnd.IntN(len(a)+1), g.Rnd.IntN(len(b)+1)
			text := []string{a[:i], a[:i] + a[min(i+1, len(a)):], a[:i] + b[j:], a[:i] + a[min(i, max(0, len(a)-3)):], a[:i] + g.Pick(fragments) + a[i:]}[g.Rnd.IntN(5)]
			checkText(t, d, s, text)
		}
	}
}

var fragments = []string{"'", `"`, "`", "(", ")", "[", "]", "--", "/*", ";", "$$", "$1", "@", "\\", "\x00", "\xff", "E'", "r'''", "b'", "::", "..", " NOT ", " AND ",
	" IS ", " IN (", "CASE ", " END", "1e", "0x", "{{", "u&'", "‘", "\u200b", "INTERVAL ", "DATE '", " OVER ()", ".*", "%", "=", "<", "|"}

// rejectedTexts reads the refused predicates of a dialect.
func rejectedTexts(t testing.TB, d predicate.Dialect) []string {
	t.Helper()
	return predicate.CorpusOf(t, "rejected.json", d)
}

// hugeTexts are as long as a text may be, and of a shape that parsers fall for.
func hugeTexts() map[string]string {
	fill := func(head, body, tail string) string {
		n := (syntax.MaxBytes - len(head) - len(tail)) / len(body)
		return head + strings.Repeat(body, n) + tail
	}
	return map[string]string{
		"in list":        fill("id IN (0", ",1", ")"),
		"in text":        fill("name IN (''", ",'a'", ")"),
		"and":            fill("id = 1", " AND id = 1", ""),
		"or":             fill("ok", " OR ok", ""),
		"parentheses":    fill("", "(", ""),
		"closed":         strings.Repeat("(", syntax.MaxBytes/2-4) + "id = 1" + strings.Repeat(")", syntax.MaxBytes/2-4),
		"brackets":       fill("", "[", ""),
		"not":            fill("", "NOT ", "ok"),
		"minus":          fill("id = ", "- ", "1"),
		"plus":           fill("id = 1", "+1", ""),
		"concat":         fill("name = ''", "||''", ""),
		"case":           fill("", "CASE WHEN ", ""),
		"arms":           fill("CASE", " WHEN ok THEN ok", " END"),
		"calls":          fill("", "abs(", ""),
		"arguments":      fill("coalesce(ok", ",ok", ")"),
		"string":         fill("name = '", "a", "'"),
		"quotes":         fill("name = '", "''", "'"),
		"open quote":     fill("name = '", "a", ""),
		"number":         fill("id = ", "9", ""),
		"fraction":       fill("f = 1.", "9", ""),
		"word":           fill("", "a", " = 1"),
		"words":          fill("", "a ", "= 1"),
		"dots":           fill("id", ".id", " = 1"),
		"is":             fill("ok", " IS TRUE", ""),
		"casts":          fill("id", "::bigint", " = 1"),
		"like":           fill("name LIKE '", "%", "'"),
		"escapes":        fill("name LIKE '", `\\`, "'"),
		"newlines":       fill("id = 1 AND nope = 2", "\n", ""),
		"wide":           fill("name = '", "ž", "'"),
		"unknown column": fill("", "x", ""),
		"between":        fill("id BETWEEN 1 AND 2", " AND id BETWEEN 1 AND 2", ""),
		"nested in":      fill("", "id IN (", ""),
		"intervals":      fill("iv = INTERVAL '1 day", " 1 day", "'"),
		"dollar":         fill("name = $a$", "$", "$a$"),
		"any":            fill("'a' = ANY(", "tags[1]", ")"),
		"case operands":  strings.Repeat("CASE ", 90) + "1" + strings.Repeat(" WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END", 90) + " = 1",
		"interval of":    "iv > " + strings.Repeat("INTERVAL (extract(day from d + ", 40) + "INTERVAL '1 day'" + strings.Repeat(")) DAY", 40),
		"coalesce":       strings.Repeat("coalesce(1, ", 95) + "1" + strings.Repeat(")", 95) + " = 1",
		"signs":          "id = " + strings.Repeat("-(", 45) + "id" + strings.Repeat(")", 45),
		"in operand":     strings.Repeat("(", 90) + "id" + strings.Repeat(" IN (1, 2)) = TRUE", 1) + strings.Repeat(")", 89),
	}
}

// TestHugeTextsEndSoon gives each text a thousand times what it needs.
func TestHugeTextsEndSoon(t *testing.T) {
	for name, text := range hugeTexts() {
		for _, d := range predicate.Dialects() {
			s := predicate.CorpusSchema(t, d)
			start := time.Now()
			e, err := predicate.Parse(d, text, s)
			if err == nil {
				if _, err := print.SQL(d, e, predicate.Env{}); err != nil {
					t.Errorf("%s: %s: %v", d, name, err)
				}
				predicate.Normalize(e)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s: %s took %v", d, name, took)
			}
		}
	}
	for _, text := range []string{strings.Repeat("(", 300_000), strings.Repeat("[", 300_000), strings.Repeat("NOT ", 300_000), "id IN (" + strings.Repeat("1,", 50_000) + "1)"} {
		_, err := predicate.Parse(predicate.DuckDB, text, predicate.CorpusSchema(t, predicate.DuckDB))
		if r := (&api.Error{}); !errors.As(err, &r) || r.Kind != api.KindTooLong {
			t.Errorf("%d bytes: %v, want %s", len(text), err, api.KindTooLong)
		}
	}
}

// refusalKind is the kind of a rejection, "" for anything else.
func refusalKind(err error) string {
	var r *api.Error
	if !errors.As(err, &r) {
		return ""
	}
	return r.Kind
}
