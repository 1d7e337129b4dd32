package workfiles

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/steps"
)

// showStep prints an answer: contents unchanged, lists as tables, and single
// objects as names and values.
func (s *workspaceApp) showStep(out any) error {
	format := s.OutputFormat()
	switch v := out.(type) {
	case *sheet.Values:
		s.tell(format, v.Truncated, v.Caveats)
		return s.Show(format, v, cellsTable(v.Values))
	case *pdf.Text:
		s.tell(format, v.Truncated, v.Caveats)
		return s.showPages(format, v, v.Pages)
	case *image.Encoded:
		s.tell(format, false, v.Caveats)
		return s.plain(format, v, v.Base64+"\n")
	case *steps.Sheets:
		s.tell(format, v.Truncated, nil)
		list := output.List{Columns: []string{"name", "rows", "columns", "formulas", "hidden"}}
		for _, sh := range v.Sheets {
			list.Rows = append(list.Rows, []any{sh.Name, sh.Rows, sh.Columns, sh.Formulas, sh.Hidden})
		}
		return s.ShowItems(format, v, list, v.Sheets)
	case *steps.Fields:
		s.tell(format, v.Truncated, nil)
		list := output.List{Columns: []string{"name", "type", "page", "value"}}
		for _, f := range v.Fields {
			list.Rows = append(list.Rows, []any{f.Name, f.Type, f.Page, worded(f.Value)})
		}
		return s.ShowItems(format, v, list, v.Fields)
	case *steps.Changed:
		return s.showWritten(format, v, []steps.Changed{*v})
	case *steps.Files:
		s.tell(format, false, v.Caveats)
		return s.showWritten(format, v, v.Files)
	}
	return s.showFacts(format, out)
}

// tell prints on stderr the caveats that the JSON of an answer contains.
func (s *workspaceApp) tell(format output.Format, truncated bool, caveats []api.Caveat) {
	if format == output.JSON {
		return
	}
	if truncated {
		caveats = append(caveats, api.NewCaveat(api.CaveatCut,
			"not all of it is shown: --json says where it goes on, and --max-bytes shows more"))
	}
	s.Tell(caveats...)
}

// plain prints a content, or shows it as one row. A file or pipe gets it unchanged; on a
// terminal, what would act on that is spelt out.
func (s *workspaceApp) plain(format output.Format, v any, text string) error {
	if format == output.Table {
		if s.IO.OutTerminal {
			cells := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\t")
			for i, c := range cells {
				cells[i] = printable.Text(c)
			}
			text = strings.Join(cells, "\t")
		}
		_, err := io.WriteString(s.IO.Out, text)
		return err
	}
	return s.Show(format, v, output.List{Columns: []string{"content"}, Rows: [][]any{{text}}})
}

// showPages prints the text of pages, each after its number.
func (s *workspaceApp) showPages(format output.Format, v any, pages []pdf.Page) error {
	var b strings.Builder
	for i, p := range pages {
		if i > 0 {
			b.WriteByte('\f')
		}
		b.WriteString(p.Text + "\n")
	}
	if format == output.Table {
		return s.plain(format, v, b.String())
	}
	return s.ShowItems(format, v, output.List{}, pages)
}

// showWritten lists files after a change.
func (s *workspaceApp) showWritten(format output.Format, v any, files []steps.Changed) error {
	list := output.List{Columns: []string{"done", "name", "version", "id"}}
	for _, f := range files {
		s.noteRemoved(workspace.File{VersionsRemoved: f.VersionsRemoved})
		s.tell(format, false, f.Caveats)
		list.Rows = append(list.Rows, []any{"written", f.Name, f.Version, f.ID})
	}
	return s.ShowItems(format, v, list, files)
}

// showFacts prints one object, one line per field.
func (s *workspaceApp) showFacts(format output.Format, v any) error {
	facts, err := app.Records(v)
	if err != nil {
		return err
	}
	if app.ForPeople(format) {
		list := output.List{Columns: []string{"what", "value"}}
		for i, name := range facts.Columns {
			if value := facts.Rows[0][i]; value != nil {
				list.Rows = append(list.Rows, []any{name, worded(value)})
			}
		}
		facts = list
	}
	return s.Show(format, v, facts)
}

// worded formats a value for one cell.
func worded(v any) any {
	switch v := v.(type) {
	case nil, string:
		return v
	case bool, json.Number, int, int64, float64:
		return fmt.Sprint(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
