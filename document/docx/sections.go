package docx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// section is a heading and the content up to the next heading. Section 0 is the
// content before the first heading, and can be empty.
type section struct {
	level   int
	heading string
	head    *ooxml.Node   // nil for section 0
	blocks  []*ooxml.Node // its own, without those of sections below it
}

// level returns the outline level of a block, or 0 if it is not a heading.
func (d *Document) level(n *ooxml.Node) int {
	if n.Name != "w:p" || strings.TrimSpace(textOf(n)) == "" {
		return 0
	}
	if l := n.Find("w:pPr", "w:outlineLvl").Int("w:val", 9); l < 9 {
		return l + 1
	}
	return d.styles.level(n.Find("w:pPr", "w:pStyle").Attr("w:val"))
}

// sections divides the body at its headings.
func (d *Document) sections() []section {
	out := []section{{}}
	for _, n := range blocks(d.body) {
		if l := d.level(n); l > 0 {
			out = append(out, section{level: l, heading: strings.TrimSpace(textOf(n)), head: n})
			continue
		}
		last := &out[len(out)-1]
		last.blocks = append(last.blocks, n)
	}
	return out
}

// pick finds a section by its heading or its index, with those below it: all[from:to].
func pick(all []section, name string) (from, to int, err error) {
	from = -1
	for i, s := range all {
		if i > 0 && strings.EqualFold(s.heading, strings.TrimSpace(name)) {
			if from >= 0 {
				return 0, 0, ooxml.Invalid(fmt.Sprintf("Name it by its index: %d or %d.", from, i), "two sections are headed %q", name)
			}
			from = i
		}
	}
	if n, err := strconv.Atoi(name); from < 0 && err == nil && n >= 0 && n < len(all) {
		from = n
	}
	if from < 0 {
		return 0, 0, ooxml.Invalid(headings(all), "no section is headed %q", name)
	}
	for to = from + 1; from > 0 && to < len(all) && all[to].level > all[from].level; to++ {
	}
	return from, to, nil
}

// headings says which sections there are.
func headings(all []section) string {
	if len(all) == 1 {
		return "The document has no headings: it is all in section 0."
	}
	var names []string
	for i, s := range all[1:min(len(all), 21)] {
		names = append(names, fmt.Sprintf("%d %q", i+1, s.heading))
	}
	more := ""
	if len(all) > 21 {
		more = fmt.Sprintf(" and %d more", len(all)-21)
	}
	return "The sections are " + strings.Join(names, ", ") + more + "."
}
