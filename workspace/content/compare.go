package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/workspace"
)

// Difference is one place of a file at which two of its versions differ.
type Difference struct {
	Place  string `json:"place" jsonschema:"line 4, paragraph 2, a cell such as May!B7, or what else differs"`
	Before string `json:"before" jsonschema:"empty: it was not there"`
	After  string `json:"after" jsonschema:"empty: it is gone"`
	// aside says that the lines of the texts do not show it.
	aside bool
}

// Differences are the changes that a draft makes to a file's content, starting
// with the first.
type Differences struct {
	Changes []Difference `json:"changes"`
	// More says that only the first are shown.
	More           bool `json:"more,omitempty"`
	api.CaveatList      // what a person should know before the change is applied
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
	all := []Changed{}
	for _, c := range list {
		d, err := differences(ctx, draft, c)
		if err != nil {
			return nil, err
		}
		d.recall(c.Told)
		all = append(all, Changed{c, d})
	}
	return all, nil
}

// recall adds what single steps have told, but for what the comparison has seen itself.
func (d *Differences) recall(told []api.Caveat) {
	if d.Problem == "" {
		told = slices.DeleteFunc(slices.Clone(told), func(t api.Caveat) bool { return ooxml.Compared(t.Reason) })
	}
	found := d.Caveats
	if slices.ContainsFunc(told, func(t api.Caveat) bool { return t.Kind == api.CaveatUncalculated }) { // says which
		found = slices.DeleteFunc(found, func(t api.Caveat) bool { return t.Reason == sheet.ReasonOld })
	}
	d.Caveats = api.Arranged(append(told, found...))
}

// differences is Compare, when there is room for it. A process that does not end well
// is a problem of the file's.
func differences(ctx context.Context, draft *workspace.Workspace, c workspace.DraftChange) (Differences, error) {
	easy := !decodes(c.File)
	if c.Before != nil {
		easy = easy && !decodes(*c.Before) && c.File.Size+c.Before.Size <= smallTexts
	}
	if easy {
		return Compare(ctx, draft, c), nil
	}
	if draft.IsApart() {
		d, err := Elsewhere[Differences](ctx, draft, jobCompare, c)
		var e *api.Error
		if ctx.Err() == nil && errors.As(err, &e) && e.Code != api.CodeUnavailable {
			return Differences{Changes: []Difference{}, Problem: e.Message}, nil
		}
		return d, err
	}
	leave, err := draft.Enter(ctx)
	if err != nil {
		return Differences{}, err
	}
	defer leave()
	return Compare(ctx, draft, c), nil
}

// Apply applies a draft, and returns the caveats of its changes too.
func Apply(ctx context.Context, draft *workspace.Workspace) (changes []workspace.DraftChange, caveats []api.Caveat, err error) {
	all, err := Changes(ctx, draft)
	if err != nil {
		return nil, nil, err
	}
	changes, err = draft.Apply(ctx)
	return changes, Caveats(all), err
}

// Caveats are those of all changes, each about its file.
func Caveats(all []Changed) []api.Caveat {
	var out []api.Caveat
	for _, c := range all {
		for _, told := range c.Content.Told(c.File.Name) {
			told.Text = c.File.Name + ": " + told.Text
			out = append(out, told)
		}
	}
	return api.Arranged(out)
}

// Limits of a comparison: bytes read of each version, changes shown, and bytes
// shown of each side of a change.
const (
	compareBytes = 4 << 20
	mostChanges  = 200
	changeBytes  = 500
	// smallTexts is the size of two texts that are compared as other texts are read:
	// larger ones can take a hundred times as much memory.
	smallTexts = 256 << 10
)

// Compare returns what a draft changes in a file: cells, formulas and formats of a
// workbook, lines of a text, paragraphs of a document, slides with their lines, and
// what else differs.
func Compare(ctx context.Context, draft *workspace.Workspace, c workspace.DraftChange) Differences {
	var before, after *workspace.Content
	var err error
	if c.Before != nil {
		if before, err = draft.OpenVersion(ctx, c.Before.ID, c.Before.Version); err == nil {
			defer before.Close()
		}
	}
	if err == nil && c.Action != workspace.ActionDeleted {
		if after, err = draft.Open(ctx, c.File.ID); err == nil {
			defer after.Close()
		}
	}
	var found *comparison
	if err == nil {
		found, err = compare(ctx, before, after)
	}
	if err != nil {
		problem := "the contents cannot be compared"
		var e *api.Error
		if errors.As(err, &e) {
			problem = e.Message
		}
		return Differences{Changes: []Difference{}, Problem: problem}
	}
	return found.shortened()
}

// comparison is what differs between two contents.
type comparison struct {
	ooxml.Comparison
	cut bool
}

// compare compares two contents; one of them may be nil. If nothing that can be
// read differs, it says in what they differ.
func compare(ctx context.Context, before, after *workspace.Content) (*comparison, error) {
	c := &comparison{}
	kind := Other
	for _, one := range []*workspace.Content{before, after} {
		if one != nil {
			kind = KindOf(one.Of)
		}
	}
	if before != nil && after != nil {
		if before.Of.SHA256 == after.Of.SHA256 {
			return c, nil
		}
		if KindOf(before.Of) != kind {
			c.Other("type", before.Of.MIMEType, after.Of.MIMEType)
			return c, nil
		}
	}
	var err error
	switch kind {
	case Sheet:
		err = compareWith(c, before, after, sheet.Open, sheet.Compare)
	case Doc:
		err = compareWith(c, before, after, docx.Open, docx.Compare)
	case Slides:
		err = compareWith(c, before, after, pptx.Open, pptx.Compare)
	case Image:
		err = c.pictures(before, after)
	case Text, PDF:
		err = c.lines(ctx, before, after)
	case Other:
	}
	if err == nil && len(c.Changes) == 0 && before != nil && after != nil {
		c.Other("content", humanize.Bytes(before.Of.Size), "changed, but not in its text: "+humanize.Bytes(after.Of.Size))
	}
	return c, err
}

// compareWith compares contents of a format.
func compareWith[T any](c *comparison, before, after *workspace.Content, open func(io.ReaderAt, int64) (*T, error),
	compare func(was, now *T) (*ooxml.Comparison, error)) error {
	var sides [2]*T
	for i, content := range []*workspace.Content{before, after} {
		if content == nil {
			continue
		}
		var err error
		if sides[i], err = open(content, content.Of.Size); err != nil {
			return err
		}
	}
	found, err := compare(sides[0], sides[1])
	if err == nil {
		c.Comparison = *found
	}
	return err
}

// pictures compares what is known of pictures.
func (c *comparison) pictures(before, after *workspace.Content) error {
	var told [2]string
	for i, content := range []*workspace.Content{before, after} {
		if content == nil {
			continue
		}
		info, err := image.Read(content, content.Of.Size)
		if err != nil {
			return err
		}
		told[i] = fmt.Sprintf("%s of %d × %d points, %s", info.Format, info.Width, info.Height, humanize.Bytes(content.Of.Size))
	}
	c.Other("picture", told[0], told[1])
	return nil
}

// lines compares the lines of texts, and of the pages of PDF files.
func (c *comparison) lines(ctx context.Context, before, after *workspace.Content) error {
	var sides [2][]ooxml.Piece
	var encodings [2]string
	for i, content := range []*workspace.Content{before, after} {
		if content == nil {
			continue
		}
		r := &Reading{Kind: KindOf(content.Of)}
		if err := r.fill(ctx, content, ReadRequest{MaxBytes: compareBytes}); err != nil {
			return err
		}
		c.cut = c.cut || r.Truncated
		if r.Text != nil {
			sides[i] = pageLines(r.Text)
			continue
		}
		encodings[i] = r.Lines.Encoding + ", " + map[string]string{"\n": "LF", "\r\n": "CRLF"}[r.Lines.LineEnd]
		for line := range strings.Lines(r.Words()) {
			sides[i] = append(sides[i], ooxml.Piece{Place: fmt.Sprintf("line %d", len(sides[i])+1), Text: strings.TrimRight(line, "\r\n")})
		}
	}
	c.Pieces(sides[0], sides[1])
	if before != nil && after != nil {
		c.Other("encoding and line ends", encodings[0], encodings[1])
	}
	return nil
}

func pageLines(t *pdf.Text) (out []ooxml.Piece) {
	for _, page := range t.Pages {
		for line := range strings.Lines(page.Text) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, ooxml.Piece{Place: fmt.Sprintf("page %d", page.Page), Text: line})
			}
		}
	}
	return out
}

// shortened reduces the changes to what is shown.
func (c *comparison) shortened() Differences {
	out := Differences{Changes: []Difference{}, More: c.cut || len(c.Changes) > mostChanges,
		CaveatList: api.CaveatList{Caveats: api.Arranged(c.Caveats)}}
	for _, d := range c.Changes[:min(len(c.Changes), mostChanges)] {
		out.Changes = append(out.Changes, Difference{d.Place, api.Clip(d.Before, changeBytes), api.Clip(d.After, changeBytes), d.Aside})
	}
	return out
}
