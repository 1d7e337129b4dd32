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

// Diff compares two contents line by line and returns a unified diff, or "" if
// their texts are equal. For workbooks, documents, presentations and PDF files it
// compares their readable content: rows of sheets with their formulas, Markdown,
// the text of pages. rest is what these lines do not show.
func Diff(ctx context.Context, before, after *workspace.Content) (lines string, rest Differences, err error) {
	found, err := compare(ctx, before, after)
	if err != nil {
		return "", rest, about(after.Of, err)
	}
	found.Changes = slices.DeleteFunc(found.Changes, func(d ooxml.Difference) bool { return !d.Aside })
	rest = found.shortened()
	switch KindOf(after.Of) {
	case Image, Other:
		return "", rest, nil
	}
	old, err := plainText(ctx, before)
	if err != nil {
		return "", rest, about(before.Of, err)
	}
	now, err := plainText(ctx, after)
	if err != nil {
		return "", rest, about(after.Of, err)
	}
	label := func(c *workspace.Content) string { return fmt.Sprintf("%s (version %d)", c.Of.Name, c.Of.Version) }
	_, text, _ := strings.Cut(string(diff.Diff(label(before), []byte(old), label(after), []byte(now))), "\n")
	return text, rest, nil
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
		return "", &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("it has more than %d MB of text to compare", mostCompared>>20), Hint: "Compare parts of it that you have read."}
	}
	if r.Text == nil {
		return r.Content, nil
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
	tooMuch := &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("it has more than %d MB of values to compare", mostCompared>>20), Hint: "Read the ranges that matter."}
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
