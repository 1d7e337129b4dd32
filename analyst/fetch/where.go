package fetch

import (
	"context"
	"slices"

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
// normal form. It reads no rows. A rejected predicate is a CodeRejected error, also one over
// columns that are masked, for which at asks the server: another grant may show them.
func CheckWhere(ctx context.Context, at api.Scanner, schema *api.TableSchema, text string) (*CheckedWhere, error) {
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
	named := predicate.Columns(e)
	var masked []string
	for _, c := range schema.Columns {
		if c.Masked != "" && slices.Contains(named, c.Name) {
			masked = append(masked, predicate.QuoteIdent(dialect, c.Name))
		}
	}
	if masked != nil {
		if _, err := at.Estimate(ctx, api.ScanRequest{TableID: schema.TableID, Select: masked, Where: text}); err != nil {
			return nil, err
		}
	}
	return &CheckedWhere{TableID: schema.TableID, SQLFlavor: schema.SQLFlavor, Where: sql,
		Columns: named, UsesClock: predicate.UsesClock(e)}, nil
}
