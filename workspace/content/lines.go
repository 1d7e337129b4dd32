package content

import (
	"context"
	"io"

	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/text"
)

// ReadText reads lines of a text file of any type.
func ReadText(ctx context.Context, w *workspace.Workspace, ref string, o text.ReadOptions) (*text.Part, workspace.File, error) {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, workspace.File{}, err
	}
	defer c.Close()
	part, err := text.Read(c, c.Of.Size, o)
	return part, c.Of, wrap(c, err)
}

// CountLines counts the lines of a text file.
func CountLines(ctx context.Context, w *workspace.Workspace, ref string) (int64, workspace.File, error) {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return 0, workspace.File{}, err
	}
	defer c.Close()
	n, err := text.Count(c, c.Of.Size)
	return n, c.Of, wrap(c, err)
}

// Lines is the range of lines that a change replaces, or the place where it
// inserts.
type Lines struct {
	Start, End int64 // from 1, inclusive
	// Insert puts the content behind line Start, and replaces nothing; 0: at the top.
	Insert bool
}

// EditedText describes a text file after a change.
type EditedText struct {
	File       workspace.File `json:"file"`
	TotalLines int64          `json:"total_lines"`
}

// EditLines replaces lines of a text, or inserts lines.
func EditLines(ctx context.Context, w *workspace.Workspace, t Target, l Lines, content string) (*EditedText, error) {
	out, added := &EditedText{}, text.New{Content: content, Encoding: t.Encoding}
	var err error
	out.File, err = w.Edit(ctx, t.File, t.IfVersion, func(old *workspace.Content, to io.Writer) (err error) {
		if l.Insert {
			out.TotalLines, err = text.Insert(old, old.Of.Size, to, l.Start, added)
		} else {
			out.TotalLines, err = text.Replace(old, old.Of.Size, to, l.Start, l.End, added)
		}
		return wrap(old, err)
	})
	return out, err
}

// Search finds matching lines of a text file.
func Search(ctx context.Context, w *workspace.Workspace, ref string, o text.SearchOptions) (*text.Found, error) {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	found, err := text.Search(c, c.Of.Size, o)
	return found, wrap(c, err)
}
