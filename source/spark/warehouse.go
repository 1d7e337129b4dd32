package spark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/dsn"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// WarehouseOptions say where a SQL warehouse of Databricks is.
type WarehouseOptions struct {
	Options                // URI is the workspace's: https://host, or http:// on this machine
	ID              string // of the warehouse
	Catalog, Schema string // of relations whose name has none; may be empty
}

// Warehouse is a source: a SQL warehouse of Databricks, which takes statements over HTTP
// and leaves their rows in a store elsewhere.
type Warehouse struct {
	o    WarehouseOptions
	base string
	http *http.Client
}

var (
	_ source.Printer = (*Warehouse)(nil)
	_ source.Prober  = (*Warehouse)(nil)
)

// OpenWarehouse checks the options. It does not connect.
func OpenWarehouse(o WarehouseOptions) (*Warehouse, error) {
	// A token is sent as a password is: not to another machine without TLS.
	base, transport, err := dsn.HTTP(strings.Replace(o.URI, "://", "://token:secret@", 1), "https://dbc-1.cloud.databricks.com", o.CAFile)
	if err != nil {
		return nil, err
	}
	return &Warehouse{o: o, base: base.Scheme + "://" + base.Host, http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// Dialect is the one that people write predicates in.
func (w *Warehouse) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed is what they become.
func (w *Warehouse) Printed() predicate.Dialect { return predicate.Spark }

// Version returns "": statements do not tell versions of tables.
func (w *Warehouse) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Probe implements source.Prober. It asks about the warehouse and runs no statement, which
// would start one that is stopped, and is paid for.
func (w *Warehouse) Probe(ctx context.Context) error {
	_, err := call[struct{}](ctx, w, http.MethodGet, "/api/2.0/sql/warehouses/"+url.PathEscape(w.o.ID), nil)
	return w.failure(ctx, err, true)
}

// Close ends the connections that no reader uses.
func (w *Warehouse) Close() error {
	w.http.CloseIdleConnections()
	return nil
}

// failure is that of other engines of Spark, by the name of this one.
func (w *Warehouse) failure(ctx context.Context, err error, seesAll bool) error {
	if status.Code(err) == codes.NotFound {
		err = sourceError(api.KindUnreachable, "the workspace has no such warehouse, or has forgotten the statement",
			"The operator must correct the uri and the warehouse of the source.", err)
	}
	var e *api.Error
	if err = failure(ctx, err, seesAll); errors.As(err, &e) && strings.HasPrefix(e.Message, "Spark") {
		with := *e
		with.Message = strings.Replace(e.Message, "Spark", "the warehouse", 1)
		return &with
	}
	return err
}

// described is a relation as the warehouse describes it now.
type described struct {
	name    string // quoted
	columns []column
}

// describe asks for a row without values, whose types in Arrow are those of all rows.
func (w *Warehouse) describe(ctx context.Context, rel source.Relation) (*described, error) {
	name, err := quoted(rel.Name)
	if err != nil {
		return nil, err
	}
	t := &described{name: name}
	r, err := w.run(ctx, "SELECT current_timezone() AS zone, t.* FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM "+name+
		" LIMIT 0) AS t ON true", nil, true)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if !r.Next() {
		return nil, cmp.Or(r.Err(), unexpected("it has no types of the columns"))
	}
	zone, fields := r.RecordBatch().Column(0).ValueStr(0), r.RecordBatch().Schema().Fields()[1:]
	if r.Next(); r.Err() != nil {
		return nil, r.Err()
	}
	if !slices.Contains([]string{"UTC", "Etc/UTC", "GMT", "Z"}, zone) {
		return nil, sourceError(api.KindUnsupportedServer, "the warehouse computes times in the zone "+api.Clip(zone, 60)+", not in UTC",
			"The operator must set TIMEZONE to UTC among the warehouse's SQL configuration parameters.", nil)
	}
	for i, f := range fields {
		c := columnOf(f)
		if c.called = r.of.Manifest.Schema.Columns[i+1].Type; c.dataType.arrow == nil || textual().MatchString(c.called) {
			c.dataType, c.Type, c.Fields = dataType{called: c.called}, "VARCHAR", nil
		}
		c.binary = !strings.Contains(c.called, "COLLATE") && !strings.HasPrefix(c.called, "CHAR")
		t.columns = append(t.columns, c)
	}
	return t, nil
}

// textual are the types that are read as text, however they come.
var textual = lazyregexp.New(`\b(VARIANT|OBJECT|INTERVAL|VOID|GEOMETRY|GEOGRAPHY)\b`)

func columnOf(f arrow.Field) column {
	t := typeOf(f.Type)
	return column{Column: api.Column{Name: f.Name, Type: t.name, Nullable: true, Fields: t.fields}, dataType: t}
}

// typeOf is the type of values that are one of Arrow's. What has no other type here is
// read as text.
func typeOf(dt arrow.DataType) dataType {
	dt = cmp.Or(narrower(dt), dt)
	switch dt := dt.(type) {
	case *arrow.Decimal128Type:
		return dataType{name: fmt.Sprintf("DECIMAL(%d,%d)", dt.Precision, dt.Scale), arrow: dt}
	case *arrow.TimestampType:
		if dt.TimeZone != "" {
			return simple[15]
		}
		return simple[16]
	case *arrow.MapType:
		return mapOf(typeOf(dt.KeyType()), typeOf(dt.ItemType()))
	case *arrow.ListType:
		return listOf(typeOf(dt.Elem()))
	case *arrow.StructType:
		var fields []column
		for _, f := range dt.Fields() {
			fields = append(fields, columnOf(f))
		}
		return structOf(fields)
	}
	for _, t := range simple {
		if t.arrow != nil && arrow.TypeEqual(t.arrow, dt) {
			return t
		}
	}
	return dataType{}
}

// Schema implements source.Source.
func (w *Warehouse) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	t, err := w.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	return shown(t.columns, rel), nil
}

// statement writes a scan, and says which rows it gives.
func (t *described) statement(scan source.Scan) (sql string, schema *arrow.Schema, err error) {
	columns, err := selected(scan, t.columns)
	if err != nil {
		return "", nil, err
	}
	var items, inner []string
	for _, c := range columns {
		items = append(items, "src."+quote(c.Name))
	}
	reads := scan.Reads()
	for _, c := range t.columns {
		item := quote(c.Name)
		switch {
		case !slices.Contains(reads, c.Name):
			continue
		case c.dataType.arrow == nil:
			item = "CAST(" + item + " AS STRING) AS " + item
		case !c.binary && c.Type == "VARCHAR":
			item = "collate(" + item + ", 'UTF8_BINARY') AS " + item
		}
		inner = append(inner, item)
	}
	from := "(SELECT " + strings.Join(inner, ", ") + " FROM " + t.name + ")"
	for _, condition := range conditions(scan) {
		text, err := print.SQL(predicate.Spark, condition, scan.Env)
		if err != nil {
			return "", nil, err
		}
		from = "(SELECT * FROM " + from + " AS src WHERE " + text + ")"
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + from + " AS src" + scan.Tail(predicate.Spark, "src"), arrowOf(columns), nil
}

// Scan implements source.Source.
func (w *Warehouse) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	t, err := w.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	return w.rows(ctx, t, scan)
}

func (w *Warehouse) rows(ctx context.Context, t *described, scan source.Scan) (array.RecordReader, error) {
	sql, schema, err := t.statement(scan)
	if err != nil {
		return nil, err
	}
	r, err := w.run(ctx, sql, schema, scan.Relation.Whole())
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Sample reads the first rows that the warehouse finds.
func (w *Warehouse) Sample(ctx context.Context, rel source.Relation, n int) (array.RecordReader, error) {
	t, err := w.describe(ctx, rel)
	if err != nil {
		return nil, err
	}
	return w.rows(ctx, t, source.FirstRows(rel, t.columns, n))
}

// Estimate returns the limit: a warehouse tells nothing else before it runs, and is paid by
// the time that it is up.
func (w *Warehouse) Estimate(ctx context.Context, scan source.Scan) (*api.Estimate, error) {
	t, err := w.describe(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	_, _, err = t.statement(scan)
	return &api.Estimate{RowsUpperBound: scan.Limit}, err
}
