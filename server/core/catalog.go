package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// catalogHints are the parts of a catalog entry that are made from a schema.
type catalogHints struct {
	whereExamples []string
	sizeHint      *string
	rows, bytes   *int64 // the figures that sizeHint describes
	description   string // from the source itself
	asOf          *time.Time
}

// Tables implements api.Catalog. It asks no warehouse: sizes come from file
// metadata or from cached schemas.
func (s *Session) Tables(ctx context.Context) (*api.TableList, error) {
	r := s.begin(api.EventCatalog, "")
	list, err := s.tables(ctx)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return list, nil
}

func (s *Session) tables(ctx context.Context) (*api.TableList, error) {
	list := &api.TableList{Tables: []api.Table{}, ServerTime: s.core.now().UTC()}
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	mine := v.mine()
	hints := s.hintsFor(ctx, v, mine)
	for i, t := range mine {
		entry := s.core.entry(t, hints[i])
		entry.RowRule = v.ruled(t)
		list.Tables = append(list.Tables, entry)
	}
	return list, ctx.Err()
}

func (c *Core) entry(t *table, h catalogHints) api.Table {
	e := api.Table{
		ID: t.ID, Name: t.Name, Description: t.Description,
		SourceType: t.label(), QueryMode: t.QueryMode, SQLFlavor: string(t.source.Dialect()),
		WhereExamples: h.whereExamples, RoughSizeHint: h.sizeHint, RowCount: h.rows, SizeBytes: h.bytes, AsOf: h.asOf,
	}
	if e.Description == "" {
		e.Description = h.description
	}
	if e.Name == "" {
		e.Name = t.ID
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

// label is the source type shown to users.
func (t *table) label() api.SourceType {
	if t.Label != "" {
		return api.SourceType(t.Label)
	}
	return t.sourceType
}

// catalogHints returns the hints of a table for one caller. It reads metadata of
// files; for other tables it uses what is cached.
func (c *Core) catalogHints(ctx context.Context, v *view, t *table) catalogHints {
	hints := c.knownHints
	if t.sourceType == api.SourceLake {
		hints = c.fileHints
	}
	if h, ok := hints(ctx, v, t); ok {
		return h
	}
	if v.readsWhole(t) {
		return catalogHints{whereExamples: t.WhereExamples}
	}
	return catalogHints{}
}

func (c *Core) fileHints(ctx context.Context, v *view, t *table) (catalogHints, bool) {
	p, err := v.authorise(ctx, t.ID)
	if err != nil {
		return catalogHints{}, false
	}
	rel := p.relation()
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return catalogHints{}, false
	}
	key := cacheKey(t, rel, version)
	if h, ok := c.hints.get(key); ok {
		return h, true
	}
	schema, err := c.schema(ctx, t, rel)
	if err != nil {
		return catalogHints{}, false
	}
	return c.hintsOf(key, t, unmasked(schema, rel)), true
}

// knownHints uses only cached schemas.
func (c *Core) knownHints(_ context.Context, v *view, t *table) (catalogHints, bool) {
	k, ok := c.known.get(knowledgeKey(t))
	if !ok {
		return catalogHints{}, false
	}
	p := &permit{table: t, all: v.readsWhole(t)}
	if !p.all {
		var err error
		if p, err = v.granted(t, k.schema); err != nil {
			return catalogHints{}, false
		}
	}
	rel := p.relation()
	key := cacheKey(t, rel, "known "+k.at.String())
	h, ok := c.hints.get(key)
	if !ok {
		schema := unmasked(k.schema.Of(rel), rel)
		h = c.hintsOf(key, t, schema)
	}
	h.asOf = &k.at
	if p.all { // the source's description may reveal something about the whole table
		h.description = k.schema.Description
	}
	return h, true
}

// hintsOf makes the hints for a schema, and caches them.
func (c *Core) hintsOf(key string, t *table, schema *source.Schema) catalogHints {
	h := catalogHints{whereExamples: c.examples(t, schema), sizeHint: sizeHint(schema), rows: schema.RowCount, bytes: schema.SizeBytes}
	c.hints.put(key, h, 1024)
	return h
}

// examples returns the instance's example predicates that fit the schema; if
// there are none, some that are made from the schema.
func (c *Core) examples(t *table, schema *source.Schema) []string {
	var out []string
	if typed, err := t.typed(schema); err == nil {
		for _, text := range t.WhereExamples {
			if _, err := predicate.Parse(t.source.Dialect(), text, typed); err == nil {
				out = append(out, text)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	return whereExamples(t.source.Dialect(), schema)
}

func sizeHint(schema *source.Schema) *string {
	var parts []string
	switch {
	case schema.RowCount != nil:
		parts = append(parts, humanize.PluralCount(*schema.RowCount, "row", "rows"))
	case schema.RowEstimate != nil:
		parts = append(parts, "about "+humanize.PluralCount(*schema.RowEstimate, "row", "rows"))
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
// with its files, so a stale entry is never found. Callers who ask for the same
// schema at the same time share one reading.
func (c *Core) schema(ctx context.Context, t *table, rel source.Relation) (*source.Schema, error) {
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	key := cacheKey(t, rel, version)
	return c.schemas.getOrRead(key, func() (*source.Schema, error) { return c.readSchema(ctx, t, rel, key) })
}

// readSchema asks the source for a relation's schema, and caches it.
func (c *Core) readSchema(ctx context.Context, t *table, rel source.Relation, key string) (*source.Schema, error) {
	defer c.quiet.begin()()
	sc, err := t.source.Schema(ctx, rel)
	if err == nil && rel.Columns == nil && len(sc.Columns) == 0 {
		err = &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation, Message: fmt.Sprintf("table '%s' has no columns", t.ID),
			Details: map[string]any{"table_id": t.ID}}
	}
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	c.schemas.put(key, sc, schemaSize(sc))
	if rel.Whole() {
		c.learnt(t, sc)
	}
	return sc, nil
}

// schemaSize estimates the memory of a schema in bytes.
func schemaSize(sc *source.Schema) int64 { return int64(256 * (1 + len(sc.Columns))) }

// cachePrefix is the prefix of all cache keys of one table.
func cachePrefix(id string) string { return id + "\x00" }

// cacheKey separates what different callers can see of one version of a table.
func cacheKey(t *table, rel source.Relation, version string) string {
	key := cachePrefix(t.ID) + t.Source + "\x00" + rel.Name + "\x00" + version
	if rel.Columns != nil {
		key += "\x00columns\x01" + strings.Join(rel.Columns, "\x01")
	}
	if rel.Rule != nil {
		key += "\x00rule\x01" + predicate.Normalize(rel.Rule)
	}
	if len(rel.Masks) > 0 {
		key += "\x00masks\x01" + fmt.Sprintf("%q", rel.Masks) // maps are printed in order
	}
	return key
}

// Schema implements api.Catalog.
func (s *Session) Schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	r := s.begin(api.EventSchema, tableID)
	schema, err := s.schema(ctx, tableID)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return schema, nil
}

func (s *Session) schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	t, err := v.authoriseAsOf(ctx, tableID)
	if err != nil {
		return nil, err
	}
	rel := t.relation()
	sc, err := s.core.schema(ctx, t.table, rel)
	if err != nil {
		return nil, err
	}
	keys, err := v.foreignKeys(ctx, t.table, sc.ForeignKeys, v.sorted)
	if err != nil {
		return nil, err
	}
	notes, err := (&keeper{view: v}).notes(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	description := t.Description
	if description == "" && t.all { // the source's description may reveal something about the whole table
		description = sc.Description
	}
	var asOf *time.Time
	if !sc.AsOf.IsZero() {
		at := sc.AsOf.UTC()
		asOf = &at
	}
	written, printed := t.source.Dialect(), source.Printed(t.source)
	engine := ""
	if printed != written {
		engine = string(printed)
	}
	return &api.TableSchema{
		AsOf: asOf, RowRule: v.ruled(t.table),
		TableID: t.ID, SourceType: t.label(), SQLFlavor: string(written), EngineFlavor: engine, Description: description,
		Columns: t.marked(sc.Columns, rel.Masks), PseudoColumns: sc.Pseudo, PartitionBy: nonNil(sc.PartitionBy),
		ClusteredBy: nonNil(sc.ClusteredBy), RowCount: sc.RowCount, EstimatedRowCount: sc.RowEstimate, SizeBytes: sc.SizeBytes,
		WhereDialectHints: predicate.Hints(printed), FileFormat: sc.Format, ForeignKeys: keys, Notes: notes, Caveats: sc.Caveats,
	}, nil
}

// Sample implements api.Catalog.
func (s *Session) Sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
	r := s.begin(api.EventSample, tableID)
	sample, err := s.sample(ctx, tableID, n)
	if sample != nil {
		rows := int64(len(sample.Rows))
		r.event.Data.ResultRows, r.event.Data.Select = &rows, sample.Columns
	}
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return sample, nil
}

func (s *Session) sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	t, err := v.authoriseAsOf(ctx, tableID)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > api.MaxSampleRows {
		return nil, &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("a sample of %d rows is not possible", n),
			Hint: fmt.Sprintf("A sample has 1 to %d rows.", api.MaxSampleRows),
			Next: []api.Step{api.Do(api.ActionFetch, "get more rows", "table_id", t.ID, "limit", 1000)}}
	}
	rel := t.widest()
	version, err := t.source.Version(ctx, rel)
	if err != nil {
		return nil, s.core.sourceError(ctx, t.table, err)
	}
	key := fmt.Sprintf("%s\x00%d", cacheKey(t.table, rel, version), n)
	if rel.Rule != nil && predicate.UsesClock(rel.Rule) { // the rows change with time
		return s.core.readSample(ctx, t.table, rel, n)
	}
	return s.core.samples.getOrRead(key, func() (*api.Sample, error) {
		sample, err := s.core.readSample(ctx, t.table, rel, n)
		if err == nil {
			s.core.samples.put(key, sample, sampleSize(sample))
		}
		return sample, err
	})
}

// readSample asks the source for up to n rows of a relation.
func (c *Core) readSample(ctx context.Context, t *table, rel source.Relation, n int) (*api.Sample, error) {
	defer c.quiet.begin()()
	rdr, err := c.firstRows(ctx, t, rel, n)
	if err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	defer rdr.Release()
	sample := &api.Sample{TableID: t.ID, Rows: []api.Row{}, Source: t.label(), RowRule: rel.Rule != nil,
		Caveats: api.Arranged(api.SchemaCaveats(rdr.Schema()))}
	for _, f := range rdr.Schema().Fields() {
		sample.Columns = append(sample.Columns, f.Name)
	}
	for rdr.Next() {
		sample.Rows = append(sample.Rows, arrowjson.Rows(rdr.RecordBatch())...)
	}
	if err := rdr.Err(); err != nil {
		return nil, c.sourceError(ctx, t, err)
	}
	return sample, nil
}

// sampleSize estimates the memory of a sample in bytes.
func sampleSize(sample *api.Sample) int64 {
	size := int64(512)
	for _, c := range sample.Caveats {
		size += int64(len(c.Text)) + 200
	}
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

// nonNil makes nil an empty list, so that JSON has a list and not null.
func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return slices.Clone(s)
}
