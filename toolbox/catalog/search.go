package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

type catalogSearchIn struct {
	Query     string `json:"query,omitempty" jsonschema:"words that must all occur in a table's id, name, description or columns; omit to list all tables"`
	Limit     *int   `json:"limit,omitempty" jsonschema:"tables to return, 1 to 1000; default 20"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

type catalogSearchOut struct {
	Tables       []foundTable `json:"tables"`
	TablesTotal  int          `json:"tables_total" jsonschema:"tables that match"`
	Truncated    bool         `json:"truncated" jsonschema:"not all of them are in tables"`
	ColumnsKnown *int         `json:"columns_known,omitempty" jsonschema:"tables whose columns were searched, too"`
	Caveats      []api.Caveat `json:"caveats,omitempty"`
}

type foundTable struct {
	ID          string         `json:"id"`
	Name        string         `json:"name,omitempty" jsonschema:"if it is not the id"`
	Description string         `json:"description,omitempty"`
	SourceType  api.SourceType `json:"source_type"`
	QueryMode   api.QueryMode  `json:"query_mode" jsonschema:"remote: fetch a part first; local: synced whole"`
	SizeHint    string         `json:"size_hint,omitempty"`
	RowRule     bool           `json:"row_rule,omitempty" jsonschema:"a rule limits which rows you may read"`
	FoundIn     []string       `json:"found_in,omitempty" jsonschema:"where the words occur"`
	*tableLook
}

// tableLook is what a search tells of a table that is one of few.
type tableLook struct {
	SQLFlavor         string            `json:"sql_flavor,omitempty" jsonschema:"dialect of where and of query_remote"`
	Columns           []schemaColumn    `json:"columns,omitempty"`
	ColumnsTotal      int               `json:"columns_total,omitempty" jsonschema:"catalog_schema has those that are not in columns"`
	PartitionBy       []string          `json:"partition_by,omitempty" jsonschema:"a where on these reads less"`
	RowCount          *int64            `json:"row_count,omitempty"`
	WhereDialectHints map[string]string `json:"where_dialect_hints,omitempty" jsonschema:"how where writes dates, intervals, patterns; of the first table of a dialect"`
	Sample            *firstRows        `json:"sample,omitempty" jsonschema:"the first two rows"`
	WhereExamples     []string          `json:"where_examples,omitempty" jsonschema:"predicates that hold for the first row"`
}

type firstRows struct {
	Columns []string            `json:"columns"`
	Rows    [][]json.RawMessage `json:"rows" jsonschema:"a value for each of columns"`
}

const catalogSearchLimit = 20

// A search that finds at most fewTables tables tells their columns, and one that finds at
// most shownTables shows rows of them.
const (
	fewTables   = 6
	shownTables = 2
)

func catalogSearch() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "catalog_search", Title: "Find tables", Engine: true, ReadOnly: true, Open: true,
		About: "Find tables by words in their ids, descriptions and columns, or list all; with the columns of each if they are six at most, and two rows if they are one or two. Start here: only what is found here can be sampled, fetched or queried remotely.",
	}, func(ctx context.Context, c *tool.Call, in catalogSearchIn) (*catalogSearchOut, error) {
		limit := catalogSearchLimit
		if in.Limit != nil {
			limit = *in.Limit
		}
		if limit < 1 || limit > api.MaxSearchHits {
			return nil, tool.BadValue(fmt.Sprintf("limit is %d", limit),
				fmt.Sprintf("It is 1 to %d; more words find fewer tables.", api.MaxSearchHits))
		}
		if utf8.RuneCountInString(in.Query) > api.MaxSearchRunes {
			return nil, tool.BadValue(fmt.Sprintf("query is longer than %d characters", api.MaxSearchRunes), "A few words are enough.")
		}
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		out := &catalogSearchOut{}
		if strings.TrimSpace(in.Query) == "" {
			out, err = listTables(ctx, data, limit)
		} else {
			out, err = searchTables(ctx, c, data, in.Query, limit)
		}
		if err != nil {
			return nil, err
		}
		if out.TablesTotal <= fewTables {
			if err := lookInto(ctx, c, data, out, in.MaxTokens); err != nil {
				return nil, err
			}
		}
		err = tool.KeepFitting(out.Tables, in.MaxTokens, out, func(some []foundTable) { out.Tables = some })
		out.Truncated = len(out.Tables) < out.TablesTotal
		return out, err
	})
}

// lookInto adds schemas to the few tables that were found, and rows if they are very few,
// as far as they fit. For what does not, and what fails, it suggests the tool that has it.
func lookInto(ctx context.Context, c *tool.Call, data api.Data, out *catalogSearchOut, maxTokens int) error {
	budget, err := tool.BudgetOf(maxTokens)
	if err != nil {
		return err
	}
	shown := len(out.Tables) <= shownTables
	hinted := map[string]bool{}
	for i := range out.Tables {
		t := &out.Tables[i]
		schema, err := data.Schema(ctx, t.ID)
		if err == nil {
			t.Description, t.RowRule = schema.Description, schema.RowRule
			size, _ := tool.SizeOf(t) // of strings
			room := (budget/len(out.Tables) - size - tool.EnvelopeBytes) / fit.BytesPerToken
			if shown {
				room -= fit.MinTokens
			} else {
				room = min(room, 2*fit.MinTokens)
			}
			if room >= fit.MinTokens {
				t.tableLook, err = lookInside(schema, room)
			}
		}
		if t.tableLook == nil || err != nil {
			c.Suggest("see its columns", "catalog_schema", map[string]any{"table_id": t.ID})
			continue
		}
		if hinted[t.SQLFlavor] {
			t.WhereDialectHints = nil
		}
		hinted[t.SQLFlavor] = true
		if !shown {
			out.Caveats = append(out.Caveats, c.Worded(schema.Caveats)...)
			continue
		}
		if t.Sample, t.WhereExamples, err = rowsOf(ctx, c, data, schema, &out.Caveats); err != nil {
			c.Suggest("see what its values look like", "catalog_sample", map[string]any{"table_id": t.ID})
		}
	}
	return nil
}

func lookInside(s *api.TableSchema, maxTokens int) (*tableLook, error) {
	d, err := Describe(s, nil, maxTokens)
	if err != nil {
		return nil, err
	}
	return &tableLook{SQLFlavor: d.SQLFlavor, Columns: d.Columns, ColumnsTotal: d.ColumnsTotal, PartitionBy: d.PartitionBy,
		RowCount: d.RowCount, WhereDialectHints: d.WhereDialectHints}, nil
}

// rowsOf returns two rows of a table in few tokens, and predicates for the first.
func rowsOf(ctx context.Context, c *tool.Call, data api.Data, schema *api.TableSchema,
	caveats *[]api.Caveat) (*firstRows, []string, error) {
	s, err := data.Sample(ctx, schema.TableID, 2)
	if err != nil {
		return nil, nil, err
	}
	rows, err := rawRows(s.Rows)
	if err != nil {
		return nil, nil, err
	}
	w, err := fitted(s.Columns, rows, nil, fit.MinTokens)
	if err != nil {
		return nil, nil, err
	}
	*caveats = append(*caveats, c.Worded(s.Caveats)...)
	var examples []string
	if len(s.Rows) > 0 {
		examples = predicate.Examples(schema, s.Columns, s.Rows[0].Values)
	}
	return &firstRows{w.Columns, w.Rows}, examples, nil
}

func listTables(ctx context.Context, catalog api.Catalog, limit int) (*catalogSearchOut, error) {
	list, err := catalog.Tables(ctx)
	if err != nil {
		return nil, err
	}
	out := &catalogSearchOut{Tables: []foundTable{}, TablesTotal: len(list.Tables)}
	for _, t := range list.Tables[:min(limit, len(list.Tables))] {
		f := found(t.ID, t.Name, t.Description, t.SourceType, t.QueryMode)
		if t.RoughSizeHint != nil {
			f.SizeHint = *t.RoughSizeHint
		}
		f.RowRule = t.RowRule
		out.Tables = append(out.Tables, f)
	}
	return out, nil
}

func searchTables(ctx context.Context, c *tool.Call, searcher api.Searcher, query string, limit int) (*catalogSearchOut, error) {
	result, err := searcher.Search(ctx, api.SearchRequest{Query: query, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := &catalogSearchOut{Tables: []foundTable{}, TablesTotal: result.Total, ColumnsKnown: &result.ColumnsKnown,
		Caveats: c.Worded(result.Caveats)}
	if unknown := result.Tables - result.ColumnsKnown; result.Total == 0 && unknown > 0 {
		c.Suggest(fmt.Sprintf("list all tables: of %d the columns are not known until catalog_schema has described them, and were not searched",
			unknown), "catalog_search", map[string]any{})
	}
	for _, h := range result.Hits {
		f := found(h.ID, h.Name, h.Description, h.SourceType, h.QueryMode)
		for _, m := range h.Matches {
			if where := m.Where(); len(f.FoundIn) == 0 || f.FoundIn[len(f.FoundIn)-1] != where {
				f.FoundIn = append(f.FoundIn, where)
			}
		}
		if rest := h.MatchCount - len(h.Matches); rest > 0 {
			f.FoundIn = append(f.FoundIn, fmt.Sprintf("%d more", rest))
		}
		out.Tables = append(out.Tables, f)
	}
	return out, nil
}

func found(id, name, description string, source api.SourceType, mode api.QueryMode) foundTable {
	if name == id {
		name = ""
	}
	return foundTable{ID: id, Name: name, Description: api.Clip(description, tool.MaxDescription), SourceType: source, QueryMode: mode}
}
