package files

import (
	"context"
	"errors"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// writtenIn is embedded by tools that change a file.
type writtenIn struct {
	IfVersion int64 `json:"if_version,omitempty" jsonschema:"the version that you have read: refused if it has changed since"`
}

// encodedIn is embedded by tools that read or change text.
type encodedIn struct {
	Encoding string `json:"encoding,omitempty" jsonschema:"of the text, such as shift_jis; default detected"`
}

type listFilesIn struct {
	Pattern string `json:"pattern,omitempty" jsonschema:"glob such as *.xlsx or reports/**; default all"`
}

type listedFile struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Size       int64  `json:"size"`
	MIMEType   string `json:"mime_type"`
	Version    int64  `json:"version"`
	ModifiedOn string `json:"modified_on"`
}

type listFilesOut struct {
	Files []listedFile `json:"files"`
	Total int          `json:"total"`
	// Truncated says that only the first files are listed.
	Truncated bool `json:"truncated"`
}

// mostFiles limits how many files one answer lists.
const mostFiles = 200

func listFiles() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "list_files", Title: "List the files of the workspace", Set: tool.SetFiles, ReadOnly: true,
		About: "List the workspace's files by name, with sizes, types and versions.",
	}, func(ctx context.Context, w *workspace.Workspace, in listFilesIn) (*listFilesOut, error) {
		files, err := w.List(ctx, in.Pattern)
		if err != nil {
			return nil, err
		}
		out := &listFilesOut{Files: []listedFile{}, Total: len(files), Truncated: len(files) > mostFiles}
		for _, f := range files[:min(len(files), mostFiles)] {
			out.Files = append(out.Files, listedFile{f.ID, f.Name, f.Size, f.MIMEType, f.Version, f.ModifiedOn.Format("2006-01-02T15:04:05Z")})
		}
		return out, nil
	})
}

type pathIn struct {
	Path string `json:"path" jsonschema:"name or id of a file of the workspace"`
}

func getFileInfo() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "get_file_info", Title: "Look into a file of the workspace", Set: tool.SetFiles, ReadOnly: true,
		About: "What a file is and holds: sheets with their sizes, headings, slides, lines, pages, or pixels. Call it before read_file.",
	}, func(ctx context.Context, w *workspace.Workspace, in pathIn) (*content.Info, error) {
		return content.Describe(ctx, w, in.Path)
	})
}

type readFileIn struct {
	Path      string `json:"path" jsonschema:"name or id of a file of the workspace"`
	Sheet     string `json:"sheet,omitempty" jsonschema:"of a workbook; default the first"`
	Range     string `json:"range,omitempty" jsonschema:"cells such as A1:E50; default all"`
	Section   string `json:"section,omitempty" jsonschema:"of a document: heading or index; default all"`
	Slide     *int   `json:"slide_index,omitempty" jsonschema:"of a presentation, from 0; default all"`
	Pages     string `json:"pages,omitempty" jsonschema:"of a PDF, such as 1-5,8; default all"`
	LineStart int64  `json:"line_start,omitempty" jsonschema:"of text: first line, from 1"`
	LineCount int64  `json:"line_count,omitempty" jsonschema:"of text: how many lines; default all"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
	encodedIn
}

// tokenBytes is the approximate size of a token.
const tokenBytes = 4

func readFile() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "read_file", Title: "Read a part of a file of the workspace", Set: tool.SetFiles, ReadOnly: true,
		About: "Read lines of a text, cells of a sheet, pages of a PDF, or a section or slide as Markdown. Read parts rather than all of a large file.",
	}, func(ctx context.Context, w *workspace.Workspace, in readFileIn) (*content.Reading, error) {
		if in.MaxTokens <= 0 {
			in.MaxTokens = 4000
		}
		read, err := content.Read(ctx, w, in.Path, content.ReadRequest{
			Sheet: in.Sheet, Range: in.Range, Section: in.Section, Slide: in.Slide, Pages: in.Pages, LineStart: in.LineStart,
			LineCount: in.LineCount, MaxBytes: in.MaxTokens * tokenBytes,
			Encoding: in.Encoding,
		})
		if err == nil && read.Lines != nil {
			*read.Content = plainEnds(*read.Content)
		}
		return read, err
	})
}

type writeTextFileIn struct {
	Path    string `json:"path" jsonschema:"name of a file; a new one is made"`
	Content string `json:"content" jsonschema:"all of its text"`
	encodedIn
	writtenIn
}

type writtenOut struct {
	OK   bool           `json:"ok"`
	File workspace.File `json:"file"`
}

// byOperations names the tool that makes a file which cannot be of text.
func byOperations(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindNotText {
		return err
	}
	tools := map[any]string{string(content.Sheet): "xlsx_operations", string(content.Doc): "docx_operations",
		string(content.Slides): "pptx_operations"}
	if tool := tools[e.Details["kind"]]; tool != "" {
		told := *e
		told.Hint = "Use " + tool + " with create_if_missing."
		return &told
	}
	return err
}

func writeTextFile() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "write_text_file", Title: "Write a text file of the workspace", Set: tool.SetFiles, Destructive: false, Idempotent: true,
		About: "Write a whole text file (md, txt, csv, json …) or make a new one. What was there stays as an older version.",
	}, func(ctx context.Context, w *workspace.Workspace, in writeTextFileIn) (*writtenOut, error) {
		f, err := content.WriteText(ctx, w, content.Target{File: in.Path, IfVersion: in.IfVersion, Encoding: in.Encoding}, in.Content)
		return &writtenOut{true, f}, byOperations(err)
	})
}
