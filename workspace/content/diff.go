package content

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// mostCompared is the maximum size of the text on each side of a comparison, in
// bytes.
const mostCompared = 16 << 20

// Diff compares two contents line by line and returns a unified diff, or "" if
// their texts are equal. For workbooks, documents, presentations and PDF files it
// compares their readable content: rows of sheets, Markdown, the text of pages.
func Diff(ctx context.Context, before, after *workspace.Content) (string, error) {
	old, err := plainText(ctx, before)
	if err != nil {
		return "", about(before.Of, err)
	}
	now, err := plainText(ctx, after)
	if err != nil {
		return "", about(after.Of, err)
	}
	label := func(c *workspace.Content) string { return fmt.Sprintf("%s (version %d)", c.Of.Name, c.Of.Version) }
	_, text, _ := strings.Cut(string(diff.Diff(label(before), []byte(old), label(after), []byte(now))), "\n")
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

// sheetText is a line for each row of each sheet: its values as JSON.
func sheetText(c *workspace.Content) (string, error) {
	book, err := sheet.Open(c, c.Of.Size)
	if err != nil {
		return "", err
	}
	info, err := book.Info()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range info.Sheets {
		fmt.Fprintf(&b, "[%s]\n", s.Name)
		if s.Chart {
			continue
		}
		v, err := book.ReadRange(s.Name, "", mostCompared/cellBytes)
		if err != nil {
			return "", err
		}
		for _, row := range v.Values {
			line, err := json.Marshal(row)
			if err != nil {
				return "", err
			}
			b.Write(append(line, '\n'))
		}
		if v.Truncated || b.Len() > mostCompared {
			return "", &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("it has more than %d MB of values to compare", mostCompared>>20), Hint: "Read the ranges that matter."}
		}
	}
	return b.String(), nil
}
