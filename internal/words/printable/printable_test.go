package printable

import (
	"testing"
	"unicode/utf8"
)

func TestHazardsAreSpeltOut(t *testing.T) {
	tests := []struct{ in, line string }{
		{"plain, 日本語, שלום, é", "plain, 日本語, שלום, é"},
		{"👨\u200d👩 می\u200cخواهم", "👨\u200d👩 می\u200cخواهم"},
		{"\x1b[31mred\x1b]0;title\a", `\x1b[31mred\x1b]0;title\x07`},
		{"a\tb\r\nc", `a\tb\r\nc`},
		{"\u009b2J\x7f", `\x9b2J\x7f`},
		{"abc\u202ecba\u2066", `abc\u202ecba\u2066`},
		{"a\u2028b", `a\u2028b`},
		{"\U000E0041", `\ue0041`},
		{"bad \xff\xfe", `bad \xff\xfe`},
	}
	for _, tt := range tests {
		if got := Line(tt.in); got != tt.line {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.line)
		}
	}
	if got, want := Text("a\nb\x1b"), "a\nb\\x1b"; got != want {
		t.Errorf("text: got %q, want %q", got, want)
	}
}

func FuzzLineLeavesNothingToActOn(f *testing.F) {
	f.Add("a\x1b\u202e\xff\n")
	f.Fuzz(func(t *testing.T, in string) {
		out := Line(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is not UTF-8", out)
		}
		for _, r := range out {
			if Hazardous(r) {
				t.Fatalf("%q still holds %U", out, r)
			}
		}
	})
}
