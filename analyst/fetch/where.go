package fetch

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// CheckedWhere is a predicate that passed the gate.
type CheckedWhere struct {
	TableID   string   `json:"table_id"`
	SQLFlavor string   `json:"sql_flavor"`
	Where     string   `json:"where"` // in its normal form
	Columns   []string `json:"columns"`
	UsesClock bool     `json:"uses_clock"` // it depends on the time of the request
}

// CheckWhere parses a predicate against a table's columns and prints it in its
// normal form. It reads no rows. A rejected predicate is a CodeRejected error.
func CheckWhere(schema *api.TableSchema, text string) (*CheckedWhere, error) {
	dialect := predicate.Dialect(schema.SQLFlavor)
	typed, err := predicate.NewSchema(dialect, schema.Columns)
	if err != nil {
		return nil, err
	}
	e, err := predicate.Parse(dialect, text, typed.WithPseudoColumns(schema.PseudoColumns).Named(schema.TableID))
	if err != nil {
		return nil, err
	}
	if engine := predicate.Dialect(schema.EngineFlavor); engine != "" {
		if _, err := print.SQL(engine, e, predicate.Env{}); err != nil {
			return nil, err
		}
	}
	sql, err := print.SQL(dialect, predicate.Canonical(e), predicate.Env{})
	if err != nil {
		return nil, err
	}
	return &CheckedWhere{TableID: schema.TableID, SQLFlavor: schema.SQLFlavor, Where: sql,
		Columns: predicate.Columns(e), UsesClock: predicate.UsesClock(e)}, nil
}
