// Package wordset holds sets of words. A set is made when it is first looked into:
// most commands look into few of ours, and each command would pay for all of them
// if they were made at its start.
package wordset

import (
	"strings"
	"sync"
)

// Set is a set of words. It may be used concurrently.
type Set struct {
	list  string
	once  sync.Once
	words map[string]bool
}

// New returns the set of the words of a list, which blanks separate.
func New(list string) *Set { return &Set{list: list} }

// Has reports whether the set has a word.
func (s *Set) Has(word string) bool { return s.All()[word] }

// All returns the words. The caller must not change them.
func (s *Set) All() map[string]bool {
	s.once.Do(func() {
		s.words = map[string]bool{}
		for word := range strings.FieldsSeq(s.list) {
			s.words[word] = true
		}
	})
	return s.words
}
