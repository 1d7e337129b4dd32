package search

import "testing"

func TestHowAWordStandsInAText(t *testing.T) {
	for _, x := range []struct {
		text, word string
		want       int
	}{
		{"delay", "delay", whole}, {"arr_delay", "delay", asWord}, {"delays per day", "delay", begins},
		{"undelayed", "delay", inside}, {"undelayed, delay", "delay", asWord}, {"x", "delay", 0}, {"", "delay", 0},
		{"zpoždění letů", "letů", asWord}, {"časů", "č", begins}, {"počasí", "č", inside}, {"aaa", "aa", begins},
	} {
		if got := standing(x.text, x.word); got != x.want {
			t.Errorf("%q in %q: %d, want %d", x.word, x.text, got, x.want)
		}
	}
}
