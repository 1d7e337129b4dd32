package files

import (
	"context"

	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/text"
)

// idIn identifies a file, as in all tools for single steps.
type idIn struct {
	ID string `json:"id" jsonschema:"id or name of a file of the workspace"`
}

type fileSearchTextIn struct {
	idIn
	Pattern    string `json:"pattern" jsonschema:"RE2 regular expression"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Context    int    `json:"context,omitempty" jsonschema:"lines before and after each match, at most 20"`
	Max        int    `json:"max_matches,omitempty" jsonschema:"default 100"`
	encodedIn
}

func fileSearchText() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_search_text", Title: "Search a text file", Set: tool.SetFine, ReadOnly: true,
		About: "Find the lines of a text file that match a pattern.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileSearchTextIn) (*text.Found, error) {
		return content.Search(ctx, w, in.ID, text.SearchOptions{Pattern: in.Pattern, IgnoreCase: in.IgnoreCase, Context: in.Context, Max: in.Max,
			Encoding: in.Encoding})
	})
}

type fileReplaceLinesIn struct {
	idIn
	StartLine int64  `json:"start_line" jsonschema:"first line to replace, from 1"`
	EndLine   int64  `json:"end_line" jsonschema:"last line to replace"`
	Content   string `json:"content" jsonschema:"the new lines; empty removes the old ones"`
	encodedIn
	writtenIn
}

type linesOut struct {
	OK         bool  `json:"ok"`
	TotalLines int64 `json:"total_lines"`
	Version    int64 `json:"version"`
}

func linesChanged(e *content.EditedText, err error) (*linesOut, error) {
	if err != nil {
		return nil, err
	}
	return &linesOut{true, e.TotalLines, e.File.Version}, nil
}

func fileReplaceLines() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_replace_lines", Title: "Replace lines of a text file", Set: tool.SetFine,
		About: "Replace a range of lines. The file keeps its encoding and line ends.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileReplaceLinesIn) (*linesOut, error) {
		return linesChanged(content.EditLines(ctx, w, content.Target{File: in.ID, IfVersion: in.IfVersion, Encoding: in.Encoding},
			content.Lines{Start: in.StartLine, End: in.EndLine}, in.Content))
	})
}

type fileInsertLinesIn struct {
	idIn
	AfterLine int64  `json:"after_line" jsonschema:"insert behind this line; 0 is the top"`
	Content   string `json:"content"`
	encodedIn
	writtenIn
}

func fileInsertLines() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_insert_lines", Title: "Insert lines into a text file", Set: tool.SetFine,
		About: "Insert lines behind a line. The file keeps its encoding and line ends.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileInsertLinesIn) (*linesOut, error) {
		return linesChanged(content.EditLines(ctx, w, content.Target{File: in.ID, IfVersion: in.IfVersion, Encoding: in.Encoding},
			content.Lines{Start: in.AfterLine, Insert: true}, in.Content))
	})
}

type fileDeleteIn struct {
	idIn
	writtenIn
}

type fileDeleteOut struct {
	Deleted bool   `json:"deleted"`
	Name    string `json:"name"`
}

func fileDelete() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_delete", Title: "Delete a file of the workspace", Set: tool.SetFine, Destructive: true,
		About: "Delete a file. Its user can restore it for 30 days.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileDeleteIn) (*fileDeleteOut, error) {
		f, err := w.Delete(ctx, in.ID, in.IfVersion)
		return &fileDeleteOut{err == nil, f.Name}, err
	})
}
