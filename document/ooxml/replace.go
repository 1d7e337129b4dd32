package ooxml

import (
	"regexp"
	"slices"
	"strings"
)

// Segment is a piece of a paragraph's text: the text of one element, or what an
// element such as a tab is worth (Fixed), which can go but not change.
type Segment struct {
	Node  *Node
	Text  string
	Fixed bool
}

// Finder finds a text in paragraphs.
type Finder struct{ re *regexp.Regexp }

// NewFinder looks for the text as it is, or without regard to case.
func NewFinder(text string, anyCase bool) Finder {
	expr := regexp.QuoteMeta(text)
	if anyCase {
		expr = "(?i)" + expr
	}
	return Finder{regexp.MustCompile(expr)}
}

// Joined is the text of segments together.
func Joined(segments []Segment) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Replace puts the replacement in place of the first max finds, however many
// elements these run across; max < 0: of all. The replacement takes the format of
// where the find begins. It returns how many there were; changed says of each
// segment whether it has another text now. Fixed ones that go get none.
func (f Finder) Replace(segments []Segment, replacement string, most int) (found int, changed []bool) {
	hits := f.re.FindAllStringIndex(Joined(segments), most)
	changed = make([]bool, len(segments))
	for i := len(hits) - 1; i >= 0; i-- { // from behind, so that places before stay right
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
	// Only tabs and breaks were found: the text before takes the replacement, else
	// the text behind.
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
