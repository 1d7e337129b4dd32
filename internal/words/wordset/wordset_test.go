package wordset_test

import (
	"maps"
	"testing"

	"github.com/agnes-data/da/internal/words/wordset"
)

func TestASetHasItsWords(t *testing.T) {
	s := wordset.New("a  bc\n\td ")
	if !s.Has("bc") || s.Has("b") || s.Has("") {
		t.Error("it has other words")
	}
	if !maps.Equal(s.All(), map[string]bool{"a": true, "bc": true, "d": true}) {
		t.Errorf("%v", s.All())
	}
}
