package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	tables := []string{"airports", "flights", "flights_2001", "orders", "order_items", "ab", "web_sessions"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"flihgts", []string{"flights"}},                 // two neighbours swapped
		{"Flights", []string{"flights", "flights_2001"}}, // case
		{"flight", []string{"flights", "flights_2001"}},  // the plural, then the longer name
		{"airport", []string{"airports"}},
		{"order-items", []string{"order_items"}}, // another separator
		{"sessions", []string{"web_sessions"}},   // the end of a name
		{"websess", []string{"web_sessions"}},    // the beginning, without the separator
		{"xy", nil},                              // as long as a name, and nothing like it
		{"ba", []string{"ab"}},
		{"customers", nil},
		{"", nil},
		{"\xff\xfe", nil},                      // not text
		{strings.Repeat("flights", 1000), nil}, // not a misspelt name
	} {
		if got := Near(c.name, tables); !slices.Equal(got, c.want) {
			t.Errorf("Near(%.20q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNearKeepsToAFew(t *testing.T) {
	got := Near("colum", []string{"column", "colums", "columa", "columb", "colum"})
	if len(got) != 3 || got[0] != "colum" {
		t.Errorf("got %q, want the exact name first and three at most", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "a", 0}, {"a", "b", 1}, {"ab", "ba", 1}, {"abc", "ab", 1},
		{"abcd", "acbd", 1}, {"kitten", "sitting", 3}, {"kitten", "abcdefg", 4},
	} {
		if got := distance([]rune(c.a), []rune(c.b), 3); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a), 3); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
