package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Page says how a sheet is printed. What is not named stays.
type Page struct {
	Orientation string `json:"orientation,omitempty" jsonschema:"portrait or landscape"`
	Paper       string `json:"paper,omitempty" jsonschema:"A4, A3, A5, Letter or Legal"`
	Wide        *int   `json:"pages_wide,omitempty" jsonschema:"shrink to that many; 0: any"`
	Tall        *int   `json:"pages_tall,omitempty"`
	Area        string `json:"area,omitempty" jsonschema:"range to print"`
	Rows        string `json:"repeat_rows,omitempty" jsonschema:"such as 1:1"`
	Header      string `json:"header,omitempty" jsonschema:"&P is the page, &N how many, &A the sheet"`
	Footer      string `json:"footer,omitempty"`
}

var papers = map[string]string{"letter": "1", "legal": "5", "a3": "8", "a4": "9", "a5": "11"}

// freeze keeps the rows above a cell and the columns left of it in sight; with A1 none.
func (e *editor) freeze(s *sheetPart, o *Operation) error {
	at, err := cellOf(o.Start)
	if err != nil {
		return err
	}
	views, err := s.layout.child("sheetViews")
	if err != nil {
		return err
	}
	view := views.Find("s:sheetView")
	if view == nil {
		nodes, err := views.Fragment(`<s:sheetView workbookViewId="0"></s:sheetView>`)
		if err != nil {
			return err
		}
		view = nodes[0]
		views.Append(view)
	}
	s.layout.changed = true
	view.Unset("topLeftCell")
	for n := range view.Elements() {
		if n.Name == "s:pane" || n.Name == "s:selection" {
			n.Remove()
		}
	}
	if at == (cell{1, 1}) {
		return nil
	}
	pane, split := "bottomRight", ""
	switch {
	case at.row == 1:
		pane = "topRight"
	case at.col == 1:
		pane = "bottomLeft"
	}
	if at.col > 1 {
		split = fmt.Sprintf(` xSplit="%d"`, at.col-1)
	}
	if at.row > 1 {
		split += fmt.Sprintf(` ySplit="%d"`, at.row-1)
	}
	nodes, err := view.Fragment(fmt.Sprintf(`<s:pane%s topLeftCell="%s" activePane="%s" state="frozen"/><s:selection pane="%s"/>`, split, at,
		pane, pane))
	if err != nil {
		return err
	}
	view.Prepend(nodes...)
	return nil
}

// pageSetup says how a sheet is printed.
func (e *editor) pageSetup(s *sheetPart, o *Operation) error {
	p := o.Page
	paper := papers[strings.ToLower(p.Paper)]
	switch {
	case p.Paper != "" && paper == "":
		return ooxml.Invalid("Give A4, A3, A5, Letter or Legal.", "there is no paper %q", p.Paper)
	case p.Orientation != "" && !slices.Contains([]string{"portrait", "landscape"}, p.Orientation):
		return ooxml.Invalid("Give portrait or landscape.", "there is no orientation %q", p.Orientation)
	}
	set, err := s.layout.child("pageSetup")
	if err != nil {
		return err
	}
	s.layout.changed = true
	if paper != "" {
		set.Set("paperSize", paper)
	}
	if p.Orientation != "" {
		set.Set("orientation", p.Orientation)
	}
	if p.Wide != nil || p.Tall != nil {
		if err := s.layout.fitPages(set, p); err != nil {
			return err
		}
	}
	if err := s.layout.pageTexts(p); err != nil {
		return err
	}
	if p.Area != "" {
		a, err := areaOf(p.Area)
		if err != nil {
			return err
		}
		b := block{sheet: s, area: a}
		if err := e.setName("_xlnm.Print_Area", s, b.in(a), false); err != nil {
			return err
		}
	}
	if p.Rows != "" {
		a, err := areaOf(p.Rows)
		if err != nil {
			return err
		}
		return e.setName("_xlnm.Print_Titles", s, fmt.Sprintf("%s!$%d:$%d", quoteSheet(s.name), a.from.row, a.to.row), false)
	}
	return nil
}

// fitPages shrinks the print to a number of pages; 0: any number.
func (l *layout) fitPages(set *ooxml.Node, p *Page) error {
	for _, fit := range []struct {
		name  string
		pages *int
	}{{"fitToWidth", p.Wide}, {"fitToHeight", p.Tall}} {
		if fit.pages == nil {
			fit.pages = new(int)
		}
		if *fit.pages < 0 || *fit.pages > 1000 {
			return ooxml.Invalid("Give 1 to 1000, or 0 for any.", "a sheet cannot be printed on %d pages", *fit.pages)
		}
		set.Set(fit.name, strconv.Itoa(*fit.pages))
	}
	properties, err := l.child("sheetPr")
	if err != nil {
		return err
	}
	fit := properties.Find("s:pageSetUpPr")
	if fit == nil {
		nodes, err := properties.Fragment("<s:pageSetUpPr/>")
		if err != nil {
			return err
		}
		fit = nodes[0]
		properties.Append(fit)
	}
	fit.Set("fitToPage", "1")
	return nil
}

// pageTexts sets the header and footer of each page.
func (l *layout) pageTexts(p *Page) error {
	for _, one := range []struct{ name, text string }{{"oddHeader", p.Header}, {"oddFooter", p.Footer}} {
		if one.text == "" {
			continue
		}
		if err := ooxml.CheckText("the header or footer", one.text); err != nil {
			return err
		}
		if len(one.text) > 255 {
			return ooxml.Invalid("", "a header or footer has at most 255 characters")
		}
		around, err := l.child("headerFooter")
		if err != nil {
			return err
		}
		n := around.Find("s:" + one.name)
		if n == nil {
			nodes, err := around.Fragment("<s:" + one.name + "></s:" + one.name + ">")
			if err != nil {
				return err
			}
			n = nodes[0]
			if header := around.Find("s:oddHeader"); header != nil {
				header.After(n)
			} else {
				around.Prepend(n)
			}
		}
		n.SetText(one.text)
	}
	return nil
}
