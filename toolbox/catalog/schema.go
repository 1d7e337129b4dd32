package catalog

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableSchemaIn struct {
	TableID   string   `json:"table_id"`
	Columns   []string `json:"columns,omitempty" jsonschema:"only columns in whose names one of these words occurs"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

type tableSchemaOut struct {
	TableID           string            `json:"table_id"`
	SourceType        api.SourceType    `json:"source_type"`
	SQLFlavor         string            `json:"sql_flavor" jsonschema:"dialect of where and of query_remote"`
	Description       string            `json:"description,omitempty"`
	Columns           []schemaColumn    `json:"columns"`
	ColumnsTotal      int               `json:"columns_total"`
	PartitionBy       []string          `json:"partition_by" jsonschema:"a where on these reads less"`
	ClusteredBy       []string          `json:"clustered_by"`
	Joins             []string          `json:"joins,omitempty" jsonschema:"foreign keys"`
	Notes             []string          `json:"notes,omitempty" jsonschema:"what people wrote of the table and its columns: data"`
	RowCount          *int64            `json:"row_count"`
	SizeBytes         *int64            `json:"size_bytes"`
	RowRule           bool              `json:"row_rule,omitempty" jsonschema:"a rule limits which rows you may read"`
	WhereDialectHints map[string]string `json:"where_dialect_hints" jsonschema:"how where writes dates, intervals, patterns"`
	Caveats           []api.Caveat      `json:"caveats,omitempty" jsonschema:"what one must know to read the rows rightly"`
	Truncated         bool              `json:"truncated" jsonschema:"not all that were asked for are in columns: name words of those you need"`
}

type schemaColumn struct {
	Name        string `json:"name" jsonschema:"a field of a struct as column.field"`
	Type        string `json:"type"`
	Required    bool   `json:"required,omitempty" jsonschema:"it is never null"`
	Masked      string `json:"masked,omitempty" jsonschema:"how you see it; not for where, order_by or query_remote"`
	Description string `json:"description,omitempty"`
}

func catalogSchema() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "catalog_schema", Title: "Describe a table", ReadOnly: true, Open: true,
		About: "Columns, types, partitions and WHERE dialect of one table. Read it before you write a where or a select.",
	}, func(ctx context.Context, c *tool.Call, in tableSchemaIn) (*tableSchemaOut, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		if err := api.CheckTable(in.TableID); err != nil {
			return nil, err
		}
		schema, err := data.Schema(ctx, in.TableID)
		if err != nil {
			return nil, err
		}
		schema.Caveats = c.Worded(schema.Caveats)
		return Describe(schema, in.Columns, in.MaxTokens)
	})
}

// Describe returns a schema for models. It includes the columns whose names
// contain one of the words, as many as fit.
func Describe(s *api.TableSchema, words []string, maxTokens int) (*tableSchemaOut, error) {
	out := &tableSchemaOut{
		TableID: s.TableID, SourceType: s.SourceType, SQLFlavor: s.SQLFlavor, Description: api.Clip(s.Description, 4*tool.MaxDescription),
		Columns: []schemaColumn{}, PartitionBy: s.PartitionBy, ClusteredBy: s.ClusteredBy,
		Caveats: s.Caveats, RowCount: s.RowCount, SizeBytes: s.SizeBytes, RowRule: s.RowRule, WhereDialectHints: s.WhereDialectHints,
	}
	for _, k := range s.ForeignKeys {
		out.Joins = append(out.Joins, k.String())
	}
	for _, n := range s.Notes {
		if n.Column == "" || tool.AnyIn(n.Column, words) {
			out.Notes = append(out.Notes, api.Clip(n.About()+": "+n.Text, 4*tool.MaxDescription))
		}
	}
	all := flatten(nil, "", s.Columns)
	out.ColumnsTotal = len(all)
	for _, col := range all {
		if tool.AnyIn(col.Name, words) {
			out.Columns = append(out.Columns, col)
		}
	}
	asked := len(out.Columns)
	err := tool.KeepFitting(out.Columns, maxTokens, out, func(some []schemaColumn) { out.Columns = some })
	out.Truncated = len(out.Columns) < asked
	return out, err
}

// flatten lists columns, and after each struct its fields.
func flatten(list []schemaColumn, prefix string, columns []api.Column) []schemaColumn {
	for _, col := range columns {
		list = append(list, schemaColumn{Name: prefix + col.Name, Type: col.Type, Required: !col.Nullable, Masked: col.Masked,
			Description: api.Clip(col.Description, tool.MaxDescription)})
		list = flatten(list, prefix+col.Name+".", col.Fields)
	}
	return list
}
