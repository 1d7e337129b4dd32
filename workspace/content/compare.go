package content

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// Difference is one place of a file at which two of its versions differ.
type Difference struct {
	Place  string `json:"place" jsonschema:"line 4, paragraph 2, or a cell such as May!B7"`
	Before string `json:"before" jsonschema:"empty: it was not there"`
	After  string `json:"after" jsonschema:"empty: it is gone"`
}

// Differences are the changes that a draft makes to a file's content, starting
// with the first.
type Differences struct {
	Changes []Difference `json:"changes"`
	// More says that only the first are shown.
	More bool `json:"more,omitempty"`
	// Problem says why the contents cannot be compared.
	Problem string `json:"problem,omitempty"`
}

// Changed is a change of a draft, with its effect on the file's content.
type Changed struct {
	workspace.DraftChange
	Content Differences `json:"content"`
}

// Changes returns the changes of a draft, each with its effect on the content.
// Errors are those of the workspace.
func Changes(ctx context.Context, draft *workspace.Workspace) ([]Changed, error) {
	list, err := draft.Changes(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := draft.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	all := []Changed{}
	for _, c := range list {
		all = append(all, Changed{c, Compare(ctx, draft, c)})
	}
	return all, nil
}

// Limits of a comparison: bytes read of each version, changes shown, and bytes
// shown of each side of a change.
const (
	compareBytes = 4 << 20
	mostChanges  = 200
	changeBytes  = 500
)

// Compare returns what a draft changes in a file: cells of a workbook, lines of a
// text, paragraphs of a document, slides with their lines.
func Compare(ctx context.Context, draft *workspace.Workspace, c workspace.DraftChange) Differences {
	before, after := &pieces{}, &pieces{}
	var err error
	if c.Before != nil {
		before, err = piecesOf(ctx, func() (*workspace.Content, error) { return draft.OpenVersion(ctx, c.Before.ID, c.Before.Version) })
	}
	if err == nil && c.Action != workspace.ActionDeleted {
		after, err = piecesOf(ctx, func() (*workspace.Content, error) { return draft.Open(ctx, c.File.ID) })
	}
	if err != nil {
		problem := "the contents cannot be compared"
		var e *api.Error
		if errors.As(err, &e) {
			problem = e.Message
		}
		return Differences{Changes: []Difference{}, Problem: problem}
	}
	if before.named || after.named {
		return shorten(compareNamed(before, after), before.cut || after.cut)
	}
	return shorten(compareInOrder(before, after), before.cut || after.cut)
}

// pieces are the parts of a content that are compared: in their order, or by names.
type pieces struct {
	what  string // line or paragraph
	named bool
	names []string // of cells
	texts []string
	cut   bool
}

func piecesOf(ctx context.Context, open func() (*workspace.Content, error)) (*pieces, error) {
	c, err := open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	kind := KindOf(c.Of)
	if kind == Sheet {
		return cellsOf(c)
	}
	r := &Reading{Kind: kind}
	if err := r.fill(ctx, c, ReadRequest{MaxBytes: compareBytes}); err != nil {
		return nil, err
	}
	p, content := &pieces{what: "line", cut: r.Truncated}, r.Content
	if r.Text != nil {
		return nil, &api.Error{Code: api.CodeValidation, Message: "contents of PDF files are not compared"}
	}
	if kind == Doc {
		p.what = "paragraph"
	}
	for line := range strings.Lines(content) {
		if line = strings.TrimRight(line, "\r\n"); kind != Doc || line != "" {
			p.texts = append(p.texts, line)
		}
	}
	return p, nil
}

// cellsOf returns the non-empty cells of all sheets.
func cellsOf(c *workspace.Content) (*pieces, error) {
	b, err := sheet.Open(c, c.Of.Size)
	if err != nil {
		return nil, err
	}
	info, err := b.Info()
	if err != nil {
		return nil, err
	}
	p := &pieces{named: true}
	for _, s := range info.Sheets {
		v, err := ReadRange(b, s.Name, "", compareBytes)
		if err != nil {
			return nil, err
		}
		p.cut = p.cut || v.Truncated
		for i, row := range v.Values {
			for j, value := range row {
				if value != nil && value != "" {
					p.names = append(p.names, s.Name+"!"+sheet.CellName(j+1, i+1))
					p.texts = append(p.texts, fmt.Sprint(value))
				}
			}
		}
	}
	return p, nil
}

// compareNamed compares pieces by their names.
func compareNamed(before, after *pieces) (all []Difference) {
	was := map[string]string{}
	for i, name := range before.names {
		was[name] = before.texts[i]
	}
	for i, name := range after.names {
		if old := was[name]; old != after.texts[i] {
			all = append(all, Difference{name, old, after.texts[i]})
		}
		delete(was, name)
	}
	for _, name := range before.names {
		if old, gone := was[name]; gone {
			all = append(all, Difference{Place: name, Before: old})
		}
	}
	return all
}

// mostSteps bounds the work of comparing pieces in their order.
const mostSteps = 4 << 20

// compareInOrder finds the longest common subsequence of the parts that differ.
// If that would take too long, everything between the first and the last
// difference is one change.
func compareInOrder(before, after *pieces) (all []Difference) {
	a, b, first := before.texts, after.texts, 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	a, b = a[first:], b[first:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	what := max(before.what, after.what)
	add := func(at int, old, fresh []string) {
		for i := range max(len(old), len(fresh)) {
			d := Difference{Place: fmt.Sprintf("%s %d", what, first+at+i+1)}
			if i < len(old) {
				d.Before = old[i]
			}
			if i < len(fresh) {
				d.After = fresh[i]
			}
			all = append(all, d)
		}
	}
	if len(a)*len(b) > mostSteps {
		add(0, a, b)
		return all
	}
	for _, r := range runs(a, b) {
		add(r[2], a[r[0]:r[1]], b[r[2]:r[3]])
	}
	return all
}

// runs are the parts a[r[0]:r[1]] that became b[r[2]:r[3]], in their order.
func runs(a, b []string) (out [][4]int) {
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width) // lengths of the common subsequences of the remaining parts
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	i, j, fromA, fromB := 0, 0, 0, 0
	end := func() {
		if i > fromA || j > fromB {
			out = append(out, [4]int{fromA, i, fromB, j})
		}
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			end()
			i, j = i+1, j+1
			fromA, fromB = i, j
		case j == len(b) || i < len(a) && longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	end()
	return out
}

// shorten reduces the changes to what is shown.
func shorten(all []Difference, cut bool) Differences {
	out := Differences{Changes: all[:min(len(all), mostChanges)], More: cut || len(all) > mostChanges}
	if out.Changes == nil {
		out.Changes = []Difference{}
	}
	for i, d := range out.Changes {
		out.Changes[i].Before, out.Changes[i].After = api.Clip(d.Before, changeBytes), api.Clip(d.After, changeBytes)
	}
	return out
}
