package toolbox

import (
	"context"

	"github.com/agnes-data/da/workspace/steps"
)

// stepTools returns the tools for single steps on workbooks, PDF files and
// pictures.
func stepTools() (list []tool) {
	for _, s := range steps.All() {
		t := tool{name: s.Tool(), title: s.Title, about: s.About, set: setFine, needs: needsSpace, readOnly: s.ReadOnly}
		list = append(list, shaped(t, s.In, s.Out, func(ctx context.Context, c *call, in any) (any, error) {
			w, err := c.Space()
			if err != nil {
				return nil, err
			}
			out, err := s.Run(ctx, w, in)
			if err != nil {
				err = ownFile{err}
			}
			return out, err
		}))
	}
	return list
}
