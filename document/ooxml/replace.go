package ooxml

import (
	"regexp"
	"slices"
	"strings"
)

// Segment is a piece of a paragraph's text: the text of one element, or the text
// that an element such as a tab represents (Fixed), which can be removed but not
// changed.
type Segment struct {
	Node  *Node
	Text  string
	Fixed bool
}

// Finder finds a text in paragraphs.
type Finder struct{ re *regexp.Regexp }

// NewFinder returns a finder for an exact text, optionally ignoring case.
func NewFinder(text string, anyCase bool) Finder {
	expr := regexp.QuoteMeta(text)
	if anyCase {
		expr = "(?i)" + expr
	}
	return Finder{regexp.MustCompile(expr)}
}

// Find returns where the first most matches in a text begin and end; most < 0: all.
func (f Finder) Find(text string, most int) [][]int { return f.re.FindAllStringIndex(text, most) }

// Joined returns the concatenated text of segments.
func Joined(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Replace replaces the first most matches, however many elements they span; most
// < 0: all of them. The replacement gets the formatting at the start of the
// match. It returns the number of matches; changed says for each segment whether
// its text has changed. The text of removed fixed segments becomes empty.
func (f Finder) Replace(segments []Segment, replacement string, most int) (found int, changed []bool) {
	hits := f.Find(Joined(segments), most)
	changed = make([]bool, len(segments))
	for i := len(hits) - 1; i >= 0; i-- { // backwards, so earlier positions stay valid
		replaceOne(segments, changed, hits[i][0], hits[i][1], replacement)
	}
	return len(hits), changed
}

func replaceOne(segments []Segment, changed []bool, from, to int, replacement string) {
	home, at := -1, 0
	for i := range segments {
		s := &segments[i]
		begin := at
		at += len(s.Text)
		if at <= from || begin >= to {
			continue
		}
		cutFrom, cutTo := max(from-begin, 0), min(to-begin, len(s.Text))
		into := ""
		if home < 0 && !s.Fixed {
			home, into = i, replacement
		}
		s.Text = s.Text[:cutFrom] + into + s.Text[cutTo:]
		changed[i] = true
	}
	if home >= 0 {
		return
	}
	// The match consists only of tabs and breaks: the preceding text takes the
	// replacement, or else the following text.
	for i := range segments {
		if changed[i] && home >= 0 {
			segments[home].Text += replacement
			changed[home] = true
			return
		}
		if !segments[i].Fixed {
			home = i
		}
	}
	if home >= 0 {
		i := slices.IndexFunc(segments, func(s Segment) bool { return !s.Fixed })
		segments[i].Text = replacement + segments[i].Text
		changed[i] = true
	}
}
