package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// authoriseAsOf finds a table, which may be meant as of a version: table@version. Who
// can read a part of a table reads it as it is: rules and columns of now need not fit
// what the table was.
func (v *view) authoriseAsOf(ctx context.Context, tableID string) (*permit, error) {
	id, version := api.AsOf(tableID)
	if err := api.CheckTable(tableID); err != nil {
		return nil, err
	}
	p, err := v.authorise(ctx, id)
	switch {
	case err != nil || version == "":
		return p, err
	case !p.all:
		return nil, notAsOf(api.CodeForbidden, id, version, "you may read a part of '"+id+"', and that only as it is",
			"The operator can offer this version as a table of its own.")
	}
	then := *p.table
	then.ID, err = tableID, errors.ErrUnsupported
	if traveller, ok := then.source.(source.Traveller); ok {
		then.Relation, err = traveller.At(then.Relation, version)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = notAsOf(api.CodeBadRequest, id, version,
			fmt.Sprintf("'%s' cannot be read as of %s: its source, of type %s, keeps no older versions of its tables", id, version,
				then.sourceType), "")
	}
	then.key = keyOf(then.Table)
	return &permit{table: &then, all: true}, err
}

func notAsOf(code api.Code, id, version, message, hint string) error {
	return &api.Error{Code: code, Kind: api.KindAsOf, Message: message, Hint: hint,
		Next:    []api.Step{api.Do(api.ActionFetch, "get the table as it is", "table_id", id)},
		Details: map[string]any{"table_id": id, "as_of": version}}
}
