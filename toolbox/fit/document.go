package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// Cut describes the parts that a Document lacks because they did not fit, as its
// member "cut".
type Cut struct {
	// Lists are the lists that were shortened.
	Lists []ListCut `json:"lists,omitempty" jsonschema:"lists that end early"`
	// Texts is the number of texts that were cut; each ends with its original
	// length.
	Texts   int    `json:"texts,omitempty" jsonschema:"texts that are cut; each ends with its length"`
	Command string `json:"command,omitempty" jsonschema:"command that prints all of it"`
}

// ListCut is a list that ends early.
type ListCut struct {
	Path  string `json:"path" jsonschema:"its place, as in tables or schema.columns"`
	Total int    `json:"total"`
	Shown int    `json:"shown"`
}

// longestText is the length at which texts are cut in a document that does not
// fit.
const longestText = 200

// Document makes an answer fit that is not a result of rows. v, which must be a
// JSON object or list, is returned unchanged if its JSON fits. Otherwise long
// texts are cut and lists are shortened, the largest first, and a member "cut"
// says so; a list becomes the member "items" of an object. command prints the
// whole answer.
func Document(v any, o Options, command string) (any, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultTokens
	}
	budget := o.MaxTokens*BytesPerToken - o.Reserve
	text, err := encode(v)
	if err != nil || len(text) <= budget && len(o.Totals) == 0 {
		return v, err
	}
	if text[0] == '[' {
		text = append(append([]byte(`{"items":`), text...), '}')
	}
	var root api.Row
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("fit an answer: %w", err)
	}
	cut := Cut{Command: command}
	for i, value := range root.Values {
		root.Values[i] = cutTexts(value, &cut.Texts)
	}
	for i, name := range root.Columns {
		if items, ok := root.Values[i].([]any); ok && o.Totals[name] > len(items) {
			cut.note(&list{path: name, items: items, total: o.Totals[name]})
		}
	}
	for {
		whole := api.Row{Columns: append(root.Columns[:len(root.Columns):len(root.Columns)], "cut"),
			Values: append(root.Values[:len(root.Values):len(root.Values)], cut)}
		n, err := sizeOf(whole)
		if err != nil || n <= budget {
			return whole, err
		}
		l := largest(&root)
		if l == nil {
			return whole, nil // nothing is left to leave out
		}
		l.shorten(n - budget)
		cut.note(l)
	}
}

// list is a list of a document.
type list struct {
	path  string
	items []any
	total int
	bytes int
	put   func([]any)
}

// shorten takes away at least so many bytes, or all items but one.
func (l *list) shorten(over int) {
	keep := len(l.items)
	for freed := 0; keep > 1 && freed < over; {
		keep--
		n, err := sizeOf(l.items[keep])
		if err != nil {
			n = 0
		}
		freed += n
	}
	l.items = l.items[:keep]
	l.put(l.items)
}

// note records a list that was shortened, possibly again.
func (c *Cut) note(l *list) {
	for i := range c.Lists {
		if c.Lists[i].Path == l.path {
			c.Lists[i].Shown = len(l.items)
			return
		}
	}
	c.Lists = append(c.Lists, ListCut{Path: l.path, Total: l.total, Shown: len(l.items)})
}

// largest returns the largest list with more than one item; nil if there is no
// such list.
func largest(root *api.Row) *list {
	var best *list
	var visit func(v any, path string, put func([]any))
	visit = func(v any, path string, put func([]any)) {
		switch v := v.(type) {
		case api.Row:
			for i, c := range v.Columns {
				visit(v.Values[i], strings.TrimPrefix(path+"."+c, "."), func(items []any) { v.Values[i] = items })
			}
		case []any:
			if len(v) > 1 {
				if n, err := sizeOf(v); err == nil && (best == nil || n > best.bytes) {
					best = &list{path: path, items: v, total: len(v), bytes: n, put: put}
				}
			}
			for i, item := range v {
				visit(item, fmt.Sprintf("%s[%d]", path, i), func(items []any) { v[i] = items })
			}
		}
	}
	visit(*root, "", func([]any) {})
	return best
}

// cutTexts cuts the long texts in a value.
func cutTexts(v any, count *int) any {
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		if n <= longestText+30 {
			return v
		}
		*count++
		return fmt.Sprintf("%s (%d characters)", api.Clip(v, longestText), n)
	case api.Row:
		for i := range v.Values {
			v.Values[i] = cutTexts(v.Values[i], count)
		}
	case []any:
		for i := range v {
			v[i] = cutTexts(v[i], count)
		}
	}
	return v
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("fit an answer: %w", err)
	}
	return b.Bytes(), nil
}

func sizeOf(v any) (int, error) {
	text, err := encode(v)
	return len(text), err
}
