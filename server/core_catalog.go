package server

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/arrowjson"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// catalogHints are the parts of a catalog entry that are made from a schema.
type catalogHints struct {
	whereExamples []string
	sizeHint      *string
}

func sortTables(ts []*table) {
	sort.Slice(ts, func(i, j int) bool { return ts[i].ID < ts[j].ID })
}

// Tables implements api.Catalog. It asks no warehouse: what is shown about
// size comes from file metadata or from what is cached already.
func (s *session) Tables(ctx context.Context) (*api.TableList, error) {
	list := &api.TableList{Tables: []api.Table{}, ServerTime: s.core.now().UTC()}
	var mine []*table
	for _, t := range s.core.tables {
		if s.mayRead(t) {
			mine = append(mine, t)
		}
	}
	hints := make([]catalogHints, len(mine))
	var group errgroup.Group
	group.SetLimit(4)
	for i, t := range mine {
		group.Go(func() error {
			hints[i] = s.core.catalogHints(ctx, t)
			return nil
		})
	}
	_ = group.Wait() // the functions never fail: a table without hints is still listed
	for i, t := range mine {
		list.Tables = append(list.Tables, s.core.entry(t, hints[i]))
	}
	return list, ctx.Err()
}

func (c *Core) entry(t *table, h catalogHints) api.Table {
	e := api.Table{
		ID: t.ID, Name: t.Name, Description: t.Description,
		SourceType: t.label(), QueryMode: t.QueryMode, SQLFlavor: string(t.source.Dialect()),
		WhereExamples: t.WhereExamples, RoughSizeHint: h.sizeHint,
	}
	if e.Name == "" {
		e.Name = t.ID
	}
	if len(e.WhereExamples) == 0 {
		e.WhereExamples = h.whereExamples
	}
	if e.WhereExamples == nil {
		e.WhereExamples = []string{}
	}
	if t.QueryMode == api.ModeLocal {
		e.FetchVia = fmt.Sprintf("da sync %s, then query it with da query", t.ID)
	} else {
		e.FetchVia = fmt.Sprintf("da fetch %s --select <columns> --where '<predicate>' --limit <N>", t.ID)
	}
	return e
}

// label is the source type as users see it.
func (t *table) label() api.SourceType {
	if t.Label != "" {
		return api.SourceType(t.Label)
	}
	return t.sourceType
}

// catalogHints makes the hints of a table whose metadata costs nothing, or is
// known already.
func (c *Core) catalogHints(ctx context.Context, t *table) catalogHints {
	if t.sourceType != api.SourceLake {
		return catalogHints{}
	}
	rel := source.Relation{Name: t.Relation}
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return catalogHints{}
	}
	key := t.ID + "\x00" + version
	if h, ok := c.hints.get(key); ok {
		return h
	}
	schema, err := c.schema(ctx, t, rel)
	if err != nil {
		return catalogHints{}
	}
	h := catalogHints{whereExamples: whereExamples(t.source.Dialect(), schema), sizeHint: sizeHint(schema)}
	c.hints.put(key, h, 1024)
	return h
}

func sizeHint(schema *source.Schema) *string {
	var parts []string
	if schema.RowCount != nil {
		parts = append(parts, humanize.Count(*schema.RowCount)+" rows")
	}
	if schema.SizeBytes != nil {
		parts = append(parts, humanize.Bytes(*schema.SizeBytes))
	}
	if len(parts) == 0 {
		return nil
	}
	s := strings.Join(parts, " / ")
	return &s
}

// schema reads a relation's schema through the cache. A lake's version changes
// with its files, so a stale entry is never found.
func (c *Core) schema(ctx context.Context, t *table, rel source.Relation) (*source.Schema, error) {
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	key := t.ID + "\x00" + version + "\x00" + relationKey(rel)
	if sc, ok := c.schemas.get(key); ok {
		return sc, nil
	}
	sc, err := t.source.Schema(ctx, rel)
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	c.schemas.put(key, sc, int64(256*(1+len(sc.Columns))))
	return sc, nil
}

// relationKey tells apart what different callers may see of one table.
func relationKey(rel source.Relation) string {
	key := strings.Join(rel.Columns, "\x01")
	if rel.Rule != nil {
		key += "\x02" + predicate.Normalize(rel.Rule)
	}
	return key
}

// Schema implements api.Catalog.
func (s *session) Schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	t, rel, err := s.authorise(tableID)
	if err != nil {
		return nil, err
	}
	sc, err := s.core.schema(ctx, t, rel)
	if err != nil {
		return nil, err
	}
	return &api.TableSchema{
		TableID: t.ID, SourceType: t.label(), SQLFlavor: string(t.source.Dialect()), Description: t.Description,
		Columns: sc.Columns, PartitionBy: nonNil(sc.PartitionBy), ClusteredBy: nonNil(sc.ClusteredBy),
		RowCount: sc.RowCount, SizeBytes: sc.SizeBytes, WhereDialectHints: dialectHints(t.source.Dialect()),
	}, nil
}

// Sample implements api.Catalog.
func (s *session) Sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
	t, rel, err := s.authorise(tableID)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > api.MaxSampleRows {
		return nil, &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("a sample of %d rows is not possible", n),
			Hint: fmt.Sprintf("Ask for 1 to %d rows; for more, run 'da fetch %s --limit N'.", api.MaxSampleRows, t.ID)}
	}
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return nil, s.core.sourceError(ctx, t, err)
	}
	key := fmt.Sprintf("%s\x00%s\x00%d\x00%s", t.ID, version, n, relationKey(rel))
	if sample, ok := s.core.samples.get(key); ok {
		return sample, nil
	}
	rdr, err := t.source.Sample(ctx, rel, n)
	if err != nil {
		return nil, s.core.sourceError(ctx, t, err)
	}
	defer rdr.Release()
	sample := &api.Sample{TableID: t.ID, Rows: []api.Row{}, Source: t.label()}
	for _, f := range rdr.Schema().Fields() {
		sample.Columns = append(sample.Columns, f.Name)
	}
	for rdr.Next() {
		sample.Rows = append(sample.Rows, arrowjson.Rows(rdr.RecordBatch())...)
	}
	if err := rdr.Err(); err != nil {
		return nil, s.core.sourceError(ctx, t, err)
	}
	s.core.samples.put(key, sample, sampleSize(sample))
	return sample, nil
}

// sampleSize is a rough figure of what a sample holds in memory.
func sampleSize(sample *api.Sample) int64 {
	size := int64(512)
	for _, r := range sample.Rows {
		for _, v := range r.Values {
			size += 32
			if text, ok := v.(string); ok {
				size += int64(len(text))
			}
		}
	}
	return size
}

func (s *session) unknownTable(id string) error {
	var ids []string
	for _, t := range s.core.tables {
		if s.mayRead(t) {
			ids = append(ids, t.ID)
		}
	}
	e := &api.Error{Code: api.CodeUnknownTable, Message: fmt.Sprintf("unknown table '%s'", id),
		Hint: "Run 'da catalog' to see the tables.", Details: map[string]any{"table_id": id}}
	if near := suggest.Near(id, ids); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'? 'da catalog' lists every table.", strings.Join(near, "' or '"))
		e.Details["suggestions"] = near
	}
	return e
}

// nonNil keeps JSON lists lists.
func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return slices.Clone(s)
}
