package query

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/api"
)

// viewResults creates views of kept results over links in the engine's own
// folder, and adds the folder that the engine must be able to read to dirs.
func (s *Session) viewResults(ctx context.Context, r *Result, names, dirs []string) ([]string, error) {
	if len(names) == 0 {
		return dirs, nil
	}
	store, dir := s.a.Results(), s.folder(r, "results")
	for _, name := range names {
		path, m, err := store.Link(name, dir)
		if err != nil {
			return nil, err
		}
		if err := s.view(ctx, name, path); err != nil {
			return nil, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: fmt.Sprintf("result '%s' cannot be read", name),
				Hint: "Run its query again.", Next: []api.Step{api.Do(api.ActionDropResult, "remove the damaged one", "name", name)}, Err: err}
		}
		r.tell(name, m.Caveats...)
	}
	if dir == "" {
		dir = store.Dir()
	}
	return append(dirs, dir), nil
}
