package trino

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// Borrows implements source.Borrower.
func (t *Trino) Borrows(format string, table *source.Schema) error {
	if format != "iceberg" {
		return errors.New("the moments of " + format + " are cut to milliseconds by Trino")
	}
	for _, c := range table.Columns {
		switch {
		case strings.ToLower(c.Name) != c.Name:
			return fmt.Errorf("the column %q is known to Trino in small letters only", c.Name)
		case (c.Type == "FLOAT" || c.Type == "DOUBLE") && slices.Contains(table.PartitionBy, c.Name):
			return fmt.Errorf("it is partitioned by the float %q, whose infinity Trino reads as 0", c.Name)
		}
	}
	return nil
}

// placed names one version of a table of another source, as a catalog of the cluster's
// has it: the part before the first dot is the catalog, that behind the last the table.
func placed(p *source.Place) (*relation, error) {
	catalog, rest, _ := strings.Cut(p.Name, ".")
	at := strings.LastIndexByte(rest, '.')
	if at < 1 || at == len(rest)-1 || catalog == "" {
		return nil, sourceError(api.KindBadPath, "Trino finds tables of other sources by their names in a catalog of its own, with a schema",
			"The operator must set engine_catalog of the source to a catalog of the cluster that has its tables; a path of two parts, as in sales/orders, is a schema and a table.", nil)
	}
	version := strconv.FormatInt(p.Version, 10)
	return &relation{catalog: strings.ToLower(catalog), schema: strings.ToLower(rest[:at]), name: strings.ToLower(rest[at+1:]),
		version: " FOR VERSION AS OF BIGINT '" + version + "'"}, nil
}

// describePlaced finds the columns that a version of a table has: the catalog knows
// those of now.
func (t *Trino) describePlaced(ctx context.Context, p *source.Place) (*relation, error) {
	r, err := placed(p)
	if err != nil {
		return nil, err
	}
	c, first, err := t.ask(ctx, "", "SELECT * FROM "+r.String()+" LIMIT 0")
	defer c.stop()
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	for _, of := range first.columns {
		col := column{Column: api.Column{Name: of.name, Nullable: true}, codec: codecOf(of.typ)}
		col.Type, col.Fields = col.codec.name, col.codec.fields
		r.columns = append(r.columns, col)
	}
	return r, nil
}
