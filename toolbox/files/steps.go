package files

import (
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace/steps"
)

// Steps returns the tools for single steps on workbooks, PDF files and
// pictures.
func Steps() (list tool.Tools) {
	for _, s := range steps.All() {
		list = append(list, tool.SpacedAs(tool.Tool{Name: s.Tool(), Title: s.Title, About: s.About, Set: tool.SetFine, ReadOnly: s.ReadOnly},
			s.In, s.Out, s.Run))
	}
	return list
}
