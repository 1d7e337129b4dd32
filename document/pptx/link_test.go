package pptx

import (
	"bytes"
	"strings"
	"testing"
)

func TestATextLeadsToAnAddress(t *testing.T) {
	blank, err := Blank()
	if err != nil {
		t.Fatal(err)
	}
	title, body, index := "Sales in May", "See the figures of May & June there", 0
	edit := func(deck []byte, ops ...Operation) ([]byte, error) {
		var out bytes.Buffer
		_, err := Edit(bytes.NewReader(deck), int64(len(deck)), &out, ops, Options{})
		return out.Bytes(), err
	}
	add := Operation{Op: AddSlide, Title: &title, Text: &body}
	link := Operation{Op: AddLink, Index: &index, Search: "figures of May & June", Link: "https://example.com/may?a=1&b=2"}
	deck, err := edit(blank, add, link, Operation{Op: AddLink, Index: &index, Search: "May & June there", Link: "mailto:ann@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(bytes.NewReader(deck), int64(len(deck)))
	if err != nil {
		t.Fatal(err)
	}
	part, root, err := p.slide(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := range root.All(nil) {
		if n.Name != "a:r" {
			continue
		}
		to := ""
		if r, ok := p.pkg.Target(part, n.Find("a:rPr", "a:hlinkClick").Attr("r:id")); ok {
			to = " -> " + r.Target
		}
		got = append(got, n.Find("a:t").Text()+to)
	}
	want := "Sales in May|See the |figures of  -> https://example.com/may?a=1&b=2|May & June -> mailto:ann@example.com| there -> mailto:ann@example.com"
	if strings.Join(got, "|") != want {
		t.Errorf("runs %q", got)
	}
	for search, address := range map[string]string{"nowhere": "https://example.com", "May": "file:///etc/passwd"} {
		link.Search, link.Link = search, address
		if _, err := edit(deck, link); err == nil {
			t.Errorf("%s to %s was taken", search, address)
		}
	}
	if _, err := edit(deck, Operation{Op: AddLink, Index: &index, Search: "May"}); err == nil || !strings.Contains(err.Error(), "needs link") {
		t.Errorf("without an address: %v", err)
	}
}
