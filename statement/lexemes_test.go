package statement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLexemes(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a1, 'it''s' -- no\nFROM \"t\"": "6:SELECT 0:  6:a1 7:, 0:  2:'it''s' 0:  1:-- no\n 6:FROM 0:  3:\"t\"",
		"1.5e3+@r1::é":                         "5:1.5e3 7:+ 6:@r1 7:: 7:: 6:é",
		"'open; x":                             "2:'open; x",
		"/* a /* b":                            "1:/* a /* b",
		"e'\\'' $$a;$$ $x":                     "2:e'\\'' 0:  2:$$a;$$ 0:  7:$ 6:x",
		"\xff a":                               "7:\xff 0:  6:a",
		"":                                     "",
	} {
		var got []string
		var whole strings.Builder
		kinds := map[LexemeKind]int{Space: 0, Comment: 1, Text: 2, Name: 3, Number: 5, Word: 6, Sign: 7}
		for _, l := range Lexemes(text) {
			got = append(got, fmt.Sprintf("%d:%s", kinds[l.Kind], l.Text))
			whole.WriteString(l.Text)
		}
		if strings.Join(got, " ") != want || whole.String() != text {
			t.Errorf("%q is\n%s, not\n%s", text, strings.Join(got, " "), want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine(" SELECT 'a\n b', -- c\n\n  x\nFROM t /* d */\n"); got != "SELECT 'a\n b', x FROM t" {
		t.Errorf("%q", got)
	}
}

func TestFunctionsAreOffered(t *testing.T) {
	names := Functions()
	for _, want := range []string{"count", "date_trunc", "range"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %d functions", want, len(names))
		}
	}
	if slices.Contains(names, "read_csv") || !slices.IsSorted(names) {
		t.Error("a function that may not be called, or no order")
	}
}
