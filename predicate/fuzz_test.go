package predicate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
)

// checkText holds what is true of every text: it is refused with a known kind,
// or printed in a form that parses to the same again.
func checkText(t *testing.T, d Dialect, s *Schema, text string) (accepted bool) {
	t.Helper()
	e, err := Parse(d, text, s)
	if err != nil {
		var r *api.Error
		if !errors.As(err, &r) || r.Code != api.CodeRejected || !knownKinds.Has(r.Kind) || r.Message == "" {
			t.Fatalf("%s: %q: %v is no rejection", d, text, err)
		}
		return false
	}
	printed, err := Print(d, e, Env{})
	if err != nil {
		t.Fatalf("%s: %q: accepted, but not printed: %v", d, text, err)
	}
	again, err := Parse(d, printed, s)
	if err != nil {
		// Quoting and spelling out may push a text over the caps.
		var r *api.Error
		if errors.As(err, &r) && (r.Kind == api.KindTooLong || r.Kind == api.KindTooDeep) {
			return true
		}
		t.Fatalf("%s: %q\nprinted %q\nis refused: %v", d, text, printed, err)
	}
	second, err := Print(d, again, Env{})
	if err != nil || second != printed {
		t.Fatalf("%s: %q\nprinted %q\nprints  %q (%v)", d, text, printed, second, err)
	}
	if a, b := Normalize(e), Normalize(again); a != b {
		t.Fatalf("%s: %q: the normal form changes:\n%s\n%s", d, text, a, b)
	}
	if a, b := Normalize(e), Normalize(Canonical(e)); a != b {
		t.Fatalf("%s: %q: the canonical form has another normal form:\n%s\n%s", d, text, a, b)
	}
	for _, to := range Dialects() {
		if _, err := Print(to, e, Env{Now: time.Unix(1767225600, 0)}); err != nil && !api.CodeRejected.Is(err) {
			t.Fatalf("%s: %q: printing for %s: %v", d, text, to, err)
		}
	}
	return true
}

var knownKinds = wordset.New(strings.Join([]string{api.KindSyntaxError, api.KindTooLong, api.KindTooDeep, api.KindCommentInject, api.KindMultiStatement, api.KindNestedSelect,
	api.KindDDLInPredicate, api.KindTrailingClause, api.KindExternalQuery, api.KindUnknownFunction, api.KindAggregate, api.KindWindow, api.KindWildcardExpansion,
	api.KindCrossTableRef, api.KindUnknownColumn, api.KindUnknownField, api.KindBadSubscript, api.KindBytesLiteralRaw, api.KindBadCast, api.KindBadLiteral,
	api.KindParameter, api.KindTypeMismatch, api.KindNotBoolean, api.KindWrongArity, api.KindNotPortable}, " "))

func FuzzParse(f *testing.F) {
	for i, d := range Dialects() {
		for _, where := range corpus(f, d) {
			f.Add(i, where)
		}
		for _, where := range rejectedTexts(f, d) {
			f.Add(i, where)
		}
	}
	schemas := map[Dialect]*Schema{}
	for _, d := range Dialects() {
		schemas[d] = corpusSchema(f, d)
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		d := Dialects()[uint(which)%uint(len(Dialects()))]
		checkText(t, d, schemas[d], text)
	})
}

// TestGeneratedPredicates tries what the generator writes in every dialect.
func TestGeneratedPredicates(t *testing.T) {
	for _, d := range Dialects() {
		s := corpusSchema(t, d)
		g := newGenerator(d, s, 5)
		n, accepted := campaign(t, 3000), 0
		for i := range n {
			if checkText(t, d, s, g.predicate(i%4)) {
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
	for _, d := range Dialects() {
		s := corpusSchema(t, d)
		g := newGenerator(d, s, 6)
		texts := append(corpus(t, d), rejectedTexts(t, d)...)
		for range campaign(t, 3000) {
			a := g.pick(texts)
			if len(a) > 2000 {
				continue
			}
			b := g.pick(texts)
			i, j := g.rnd.IntN(len(a)+1), g.rnd.IntN(len(b)+1)
			text := []string{a[:i], a[:i] + a[min(i+1, len(a)):], a[:i] + b[j:], a[:i] + a[min(i, max(0, len(a)-3)):], a[:i] + g.pick(fragments) + a[i:]}[g.rnd.IntN(5)]
			checkText(t, d, s, text)
		}
	}
}

var fragments = []string{"'", `"`, "`", "(", ")", "[", "]", "--", "/*", ";", "$$", "$1", "@", "\\", "\x00", "\xff", "E'", "r'''", "b'", "::", "..", " NOT ", " AND ",
	" IS ", " IN (", "CASE ", " END", "1e", "0x", "{{", "u&'", "‘", "\u200b", "INTERVAL ", "DATE '", " OVER ()", ".*", "%", "=", "<", "|"}

// rejectedTexts reads the refused predicates of a dialect.
func rejectedTexts(t testing.TB, d Dialect) []string {
	t.Helper()
	return corpusOf(t, "rejected.json", d)
}

// hugeTexts are as long as a text may be, and of a shape that parsers fall for.
func hugeTexts() map[string]string {
	fill := func(head, body, tail string) string {
		n := (maxBytes - len(head) - len(tail)) / len(body)
		return head + strings.Repeat(body, n) + tail
	}
	return map[string]string{
		"in list":        fill("id IN (0", ",1", ")"),
		"in text":        fill("name IN (''", ",'a'", ")"),
		"and":            fill("id = 1", " AND id = 1", ""),
		"or":             fill("ok", " OR ok", ""),
		"parentheses":    fill("", "(", ""),
		"closed":         strings.Repeat("(", maxBytes/2-4) + "id = 1" + strings.Repeat(")", maxBytes/2-4),
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
		for _, d := range Dialects() {
			s := corpusSchema(t, d)
			start := time.Now()
			e, err := Parse(d, text, s)
			if err == nil {
				if _, err := Print(d, e, Env{}); err != nil {
					t.Errorf("%s: %s: %v", d, name, err)
				}
				Normalize(e)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s: %s took %v", d, name, took)
			}
		}
	}
	for _, text := range []string{strings.Repeat("(", 300_000), strings.Repeat("[", 300_000), strings.Repeat("NOT ", 300_000), "id IN (" + strings.Repeat("1,", 50_000) + "1)"} {
		_, err := Parse(DuckDB, text, corpusSchema(t, DuckDB))
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
