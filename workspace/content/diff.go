package content

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// mostCompared is the maximum size of the text on each side of a comparison, in
// bytes.
const mostCompared = 16 << 20

func (s Side) open(ctx context.Context, w *workspace.Workspace) (*workspace.Content, error) {
	if s.Version == 0 {
		return w.Open(ctx, s.Ref)
	}
	return w.OpenVersion(ctx, s.Ref, s.Version)
}

// Comparison is what differs between two contents.
type Comparison struct {
	Before workspace.File `json:"before"`
	After  workspace.File `json:"after"`
	Equal  bool           `json:"equal" jsonschema:"nothing differs"`
	Diff   string         `json:"diff" jsonschema:"a unified diff of their lines"`
	// Rest is what the lines do not show: formats, comments, pictures, links.
	Rest Differences `json:"rest"`
}

// Diff compares two contents line by line. For workbooks, documents, presentations
// and PDF files it compares their readable content: rows of sheets with their
// formulas, Markdown, the text of pages.
func Diff(ctx context.Context, w *workspace.Workspace, before, after Side) (*Comparison, error) {
	if isApart(ctx, w, before.Ref) || isApart(ctx, w, after.Ref) {
		return Elsewhere[*Comparison](ctx, w, jobDiff, diffIn{before, after})
	}
	old, err := before.open(ctx, w)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	now, err := after.open(ctx, w)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	found, err := compare(ctx, old, now)
	if err != nil {
		return nil, about(now.Of, err)
	}
	found.Changes = slices.DeleteFunc(found.Changes, func(d ooxml.Difference) bool { return !d.Aside })
	c := &Comparison{Before: old.Of, After: now.Of, Rest: found.shortened()}
	if kind := KindOf(now.Of); kind != Image && kind != Other {
		c.Diff, err = lines(ctx, old, now)
	}
	c.Equal = c.Diff == "" && len(c.Rest.Changes) == 0
	return c, err
}

// lines returns a unified diff of two texts, or "" if they are equal.
func lines(ctx context.Context, before, after *workspace.Content) (string, error) {
	var labels [2]string
	var texts [2][]byte
	for i, c := range []*workspace.Content{before, after} {
		text, err := plainText(ctx, c)
		if err != nil {
			return "", about(c.Of, err)
		}
		labels[i], texts[i] = fmt.Sprintf("%s (version %d)", c.Of.Name, c.Of.Version), []byte(text)
	}
	_, text, _ := strings.Cut(string(diff.Diff(labels[0], texts[0], labels[1], texts[1])), "\n")
	return text, nil
}

// plainText returns the text of a content.
func plainText(ctx context.Context, c *workspace.Content) (string, error) {
	kind := KindOf(c.Of)
	if kind == Sheet {
		return sheetText(c)
	}
	r := &Reading{Kind: kind}
	if err := r.fill(ctx, c, ReadRequest{MaxBytes: mostCompared}); err != nil {
		return "", err
	}
	if r.Truncated {
		return "", &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("it has more than %d MB of text to compare", mostCompared>>20),
			Hint: "Compare parts of it that you have read."}
	}
	if r.Text == nil {
		return r.Words(), nil
	}
	var b strings.Builder
	for _, p := range r.Text.Pages {
		fmt.Fprintf(&b, "[page %d]\n%s\n", p.Page, strings.TrimSpace(p.Text))
	}
	return b.String(), nil
}

// sheetText is a line for each row of each sheet: its values and formulas as JSON.
func sheetText(c *workspace.Content) (string, error) {
	book, err := sheet.Open(c, c.Of.Size)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	last := ""
	tooMuch := &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("it has more than %d MB of values to compare", mostCompared>>20),
		Hint: "Read the ranges that matter."}
	cut, err := book.Lines(func(sheet string, row []any) error {
		if sheet != last {
			last = sheet
			fmt.Fprintf(&b, "[%s]\n", sheet)
		}
		lines := json.NewEncoder(&b)
		lines.SetEscapeHTML(false)
		err := lines.Encode(row)
		if err == nil && b.Len() > mostCompared {
			err = tooMuch
		}
		return err
	})
	if err == nil && cut {
		err = tooMuch
	}
	return b.String(), err
}
