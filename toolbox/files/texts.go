package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/text"
)

// Texts returns the tools for single steps on whole files and texts.
func Texts() tool.Tools {
	return tool.Tools{
		fileList(), fileInfo(), fileCreate(), fileReadText(), fileWriteText(), fileReplaceLines(), fileInsertLines(),
		fileSearchText(), fileLineCount(), fileCopy(), fileRename(), fileDelete(),
	}
}

func fileList() tool.Tool {
	t := listFiles()
	t.Name, t.Set = "file_list", tool.SetFine
	return t
}

func fileInfo() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_info", Title: "Look up a file of the workspace", Set: tool.SetFine, ReadOnly: true,
		About: "What is known of a file: name, type, size, version, where it comes from.",
	}, func(ctx context.Context, w *workspace.Workspace, in idIn) (workspace.File, error) {
		return w.Info(ctx, in.ID)
	})
}

type fileCreateIn struct {
	Name     string `json:"name"`
	Content  string `json:"content,omitempty" jsonschema:"text; default empty"`
	MIMEType string `json:"mime_type,omitempty" jsonschema:"not needed: the type is that of the content"`
}

type fileNamed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	MIMEType string `json:"mime_type"`
	Version  int64  `json:"version"`
}

func namesOf(f workspace.File, err error) (*fileNamed, error) {
	if err != nil {
		return nil, err
	}
	return &fileNamed{f.ID, f.Name, f.MIMEType, f.Version}, nil
}

func fileCreate() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_create", Title: "Create a file of the workspace", Set: tool.SetFine,
		About: "Make a new text file, or without content an empty .xlsx, .docx or .pptx. A name that is taken is refused.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileCreateIn) (*fileNamed, error) {
		f, err := content.Create(ctx, w, in.Name, in.Content)
		return namesOf(f, byOperations(err))
	})
}

type fileReadTextIn struct {
	idIn
	StartLine int64 `json:"start_line,omitempty" jsonschema:"from 1; default the first"`
	EndLine   int64 `json:"end_line,omitempty" jsonschema:"default the last"`
	MaxTokens int   `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
	encodedIn
}

type fileTextOut struct {
	*text.Part
	Content string `json:"content"` // also if there are no such lines
	Version int64  `json:"version"`
}

func fileReadText() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_read_text", Title: "Read lines of a text file", Set: tool.SetFine, ReadOnly: true,
		About: "Read a text file, or a range of its lines.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileReadTextIn) (*fileTextOut, error) {
		if in.EndLine > 0 && in.EndLine < in.StartLine {
			return nil, tool.BadValue(fmt.Sprintf("end_line %d is before start_line %d", in.EndLine, in.StartLine), "Lines are counted from 1.")
		}
		part, f, err := content.ReadText(ctx, w, in.ID, text.ReadOptions{Start: in.StartLine, End: in.EndLine,
			MaxBytes: orTokens(in.MaxTokens) * tokenBytes, Encoding: in.Encoding})
		if err != nil {
			return nil, err
		}
		return &fileTextOut{part, plainEnds(part.Content), f.Version}, nil
	})
}

// plainEnds takes the CR from the ends of lines: line_end names them, and what is
// written gets them again.
func plainEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func fileWriteText() tool.Tool {
	type in struct {
		idIn
		Content string `json:"content" jsonschema:"all of its text"`
		encodedIn
		writtenIn
	}
	type out struct {
		OK      bool  `json:"ok"`
		Size    int64 `json:"size"`
		Version int64 `json:"version"`
	}
	return tool.Spaced(tool.Tool{
		Name: "file_write_text", Title: "Write a text file of the workspace", Set: tool.SetFine, Idempotent: true,
		About: "Write a whole text file, or make a new one. What was there stays as an older version.",
	}, func(ctx context.Context, w *workspace.Workspace, in in) (out, error) {
		f, err := content.WriteText(ctx, w, content.Target{File: in.ID, IfVersion: in.IfVersion, Encoding: in.Encoding}, in.Content)
		return out{err == nil, f.Size, f.Version}, byOperations(err)
	})
}

func fileLineCount() tool.Tool {
	type out struct {
		TotalLines int64 `json:"total_lines"`
		Version    int64 `json:"version"`
	}
	return tool.Spaced(tool.Tool{
		Name: "file_line_count", Title: "Count the lines of a text file", Set: tool.SetFine, ReadOnly: true,
		About: "Count the lines of a text file.",
	}, func(ctx context.Context, w *workspace.Workspace, in idIn) (out, error) {
		lines, f, err := content.CountLines(ctx, w, in.ID)
		return out{lines, f.Version}, err
	})
}

type fileCopyIn struct {
	idIn
	NewName string `json:"new_name"`
}

func fileCopy() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_copy", Title: "Copy a file of the workspace", Set: tool.SetFine,
		About: "Copy a file under a new name.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileCopyIn) (*fileNamed, error) {
		return namesOf(w.Copy(ctx, in.ID, in.NewName))
	})
}

type fileRenameIn struct {
	fileCopyIn
	writtenIn
}

func fileRename() tool.Tool {
	return tool.Spaced(tool.Tool{
		Name: "file_rename", Title: "Rename a file of the workspace", Set: tool.SetFine,
		About: "Give a file another name. It keeps its id and its versions.",
	}, func(ctx context.Context, w *workspace.Workspace, in fileRenameIn) (*fileNamed, error) {
		return namesOf(w.Rename(ctx, in.ID, in.NewName, in.IfVersion))
	})
}

// orTokens returns the size limit of an answer in tokens, with its default.
func orTokens(asked int) int {
	if asked <= 0 {
		return 4000
	}
	return asked
}
