package embedded

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// maxTypes limits the cached Arrow types.
const maxTypes = 10_000

// Widths returns how many bytes a value takes in Arrow buffers, by the engine's
// types; 0: that depends on the value. It asks the engine once for types that no
// table had before.
func (e *Engines) Widths(ctx context.Context, s *Session, types []string) (map[string]float64, error) {
	widths := map[string]float64{}
	var missing []duckdb.Column
	for _, t := range types {
		if _, seen := widths[t]; seen {
			continue
		}
		known, ok := e.widths.Get(t)
		if widths[t] = known; !ok {
			missing = append(missing, duckdb.Column{Name: fmt.Sprintf("c%d", len(missing)), Type: t})
		}
	}
	if len(missing) == 0 {
		return widths, nil
	}
	projected, err := duckdb.Project(missing)
	if err != nil {
		return nil, err
	}
	items, nulls := make([]string, len(missing)), make([]string, len(missing))
	for i, m := range missing {
		items[i], nulls[i] = projected[i].Expr, "NULL::"+m.Type+" AS "+m.Name
	}
	r, err := s.Query(ctx, "SELECT "+strings.Join(items, ", ")+" FROM (SELECT "+strings.Join(nulls, ", ")+") LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for i, m := range missing {
		if fixed, ok := r.Schema().Field(i).Type.(arrow.FixedWidthDataType); ok {
			widths[m.Type] = float64(fixed.BitWidth()) / 8
		}
		e.widths.Put(m.Type, widths[m.Type], 1+len(m.Type)/100)
	}
	return widths, nil
}
