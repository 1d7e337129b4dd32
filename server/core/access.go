package core

import (
	"context"
	"encoding/json"
)

// Access identifies what a principal may read now: it changes with their grants
// and with the tables that are registered. It does not change with the tables'
// contents.
func (c *Core) Access(ctx context.Context, p Principal) (string, error) {
	v, err := c.As(p).readRights(ctx)
	if err != nil {
		return "", err
	}
	said := []any{p.Admin}
	for _, t := range v.mine() {
		if c.byID[t.ID] == nil || len(v.grants[t.ID]) > 0 {
			said = append(said, t.ID, t.Source, t.Relation, t.Public, v.grants[t.ID])
		}
	}
	text, err := json.Marshal(said)
	if err != nil {
		return "", internalError("write the grants", err)
	}
	return c.state.Hash("access", string(text)), nil
}
