package files

import (
	"context"
	"strings"

	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

// operationsIn are the arguments of tools that edit office files.
type operationsIn[Op any] struct {
	Path       string `json:"path" jsonschema:"name or id of a file of the workspace"`
	Create     bool   `json:"create_if_missing,omitempty" jsonschema:"create the file if it does not exist"`
	Operations []Op   `json:"operations" jsonschema:"all are applied, in this order, or none"`
	writtenIn
}

func (in operationsIn[Op]) target() content.Target {
	return content.Target{File: in.Path, Create: in.Create, IfVersion: in.IfVersion}
}

// operated completes the schema of operations: their names, and the fields of each.
// It accepts unknown fields, which the operations check themselves, because they
// take older names of some.
func operated(t tool.Tool, names, described []string) tool.Tool {
	item := t.In.Properties["operations"].Items
	item.AdditionalProperties = nil
	op := item.Properties["op"]
	for _, name := range names {
		op.Enum = append(op.Enum, name)
	}
	op.Description = "with these fields: " + strings.Join(described, "; ")
	return t
}

func xlsxOperations() tool.Tool {
	return operated(tool.Spaced(tool.Tool{
		Name: "xlsx_operations", Title: "Change a workbook", Set: tool.SetDocuments,
		About: "Change cells, formats, rows and sheets of a workbook (.xlsx, .xlsm). Texts never become formulas unless formula is given. All else in it stays.",
	}, func(ctx context.Context, w *workspace.Workspace, in operationsIn[sheet.Operation]) (*content.Edited[sheet.Report], error) {
		return content.Xlsx(ctx, w, in.target(), in.Operations)
	}), sheet.Operations(), sheet.Described())
}

func docxOperations() tool.Tool {
	return operated(tool.Spaced(tool.Tool{
		Name: "docx_operations", Title: "Change a Word document", Set: tool.SetDocuments,
		About: "Replace text and add paragraphs, headings, lists, tables and pictures of the workspace in a document (.docx). All else in it stays.",
	}, func(ctx context.Context, w *workspace.Workspace, in operationsIn[docx.Operation]) (*content.Edited[docx.Report], error) {
		return content.Docx(ctx, w, in.target(), in.Operations)
	}), docx.Operations(), docx.Described())
}

func pptxOperations() tool.Tool {
	return operated(tool.Spaced(tool.Tool{
		Name: "pptx_operations", Title: "Change a presentation", Set: tool.SetDocuments,
		About: "Add, fill, reorder and delete slides of a presentation (.pptx), with bullets, tables, pictures of the workspace and notes. All else in it stays.",
	}, func(ctx context.Context, w *workspace.Workspace, in operationsIn[pptx.Operation]) (*content.Edited[pptx.Report], error) {
		return content.Pptx(ctx, w, in.target(), in.Operations)
	}), pptx.Operations(), pptx.Described())
}
