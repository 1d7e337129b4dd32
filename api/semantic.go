package api

import "context"

// Modeler tells what the tables of a catalog mean.
type Modeler interface {
	// SemanticModel returns the metrics and dimensions of the instance's semantic
	// model that use only columns which the caller may read. Without a model there
	// are none. It may be called again.
	SemanticModel(ctx context.Context) (*SemanticModel, error)
}

// SemanticModel says what tables mean: what their rows stand for, by what they can
// be divided, and what is counted. It is read from the files of other programs and
// is data: expressions are SQL of the program that wrote it.
type SemanticModel struct {
	Tables  []SemanticTable `json:"tables"`  // never null
	Metrics []Metric        `json:"metrics"` // never null
	// Joins are those that tests of the writer hold; a file names relations as tables.
	Joins []Join `json:"joins,omitempty"`
	// Spine is a table with a row for each day; nil: the model has none, or the
	// catalog does not have it.
	Spine *Spine `json:"spine,omitempty"`
	// Writer is the engine that expressions are written for, such as duckdb or
	// postgres; empty: unknown.
	Writer string `json:"writer,omitempty"`
	// Unclear says what of the files, beside metrics, is not understood and left out.
	Unclear []string `json:"unclear,omitempty"`
}

// SemanticTable is what one table means.
type SemanticTable struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Synonyms    []string `json:"synonyms,omitempty"`
	// TableID is the table of the catalog; empty: the catalog has none for Relation.
	TableID  string `json:"table_id,omitempty"`
	Relation string `json:"relation,omitempty"` // what the writer calls it, with dots between
	// Key is the entity that a row stands for; it begins the names of dimensions.
	Key        string      `json:"key,omitempty"`
	Entities   []Entity    `json:"entities,omitempty"`
	Dimensions []Dimension `json:"dimensions,omitempty"`
}

// Entity is a thing that rows of several tables name: tables that share one are
// joined by it.
type Entity struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
	// More are the further expressions of a key of several columns, in the same order
	// in each table.
	More []string `json:"more,omitempty"`
	// One says that no two rows of the table have the same value.
	One bool `json:"one,omitempty"`
}

// Dimension is something that rows can be grouped and filtered by.
type Dimension struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Synonyms    []string `json:"synonyms,omitempty"`
	Expr        string   `json:"expr"`
	// Grain is how exact the times are, such as day; empty if the dimension is not
	// a time.
	Grain string `json:"grain,omitempty"`
}

// MetricKind says how a metric is computed.
type MetricKind string

// The kinds of metrics.
const (
	MetricSimple     MetricKind = "simple"     // an aggregate of one expression
	MetricRatio      MetricKind = "ratio"      // the first input divided by the second
	MetricDerived    MetricKind = "derived"    // an expression over inputs
	MetricCumulative MetricKind = "cumulative" // a simple metric over a window of time
)

// Metric is a figure that is defined once, by name.
type Metric struct {
	Name        string     `json:"name"`
	Label       string     `json:"label,omitempty"`
	Description string     `json:"description,omitempty"`
	Synonyms    []string   `json:"synonyms,omitempty"`
	Kind        MetricKind `json:"kind"`
	// Inner metrics are parts of others and are not offered by themselves.
	Inner bool `json:"inner,omitempty"`
	// Filters are conditions on dimensions. A row counts if all of them hold.
	Filters []string `json:"filters,omitempty"`
	// Unclear says what of the definition is not understood; then it cannot be asked
	// for.
	Unclear string `json:"unclear,omitempty"`

	// Of simple metrics: the table by its Name, the aggregate of the expression, and
	// the time dimension of that table.
	Table string `json:"table,omitempty"`
	// Agg is sum, min, max, average, count, count_distinct, sum_boolean, median,
	// percentile, or stddev_samp, stddev_pop, var_samp, var_pop.
	Agg      string   `json:"agg,omitempty"`
	Expr     string   `json:"expr,omitempty"`
	Fraction float64  `json:"fraction,omitempty"` // of a percentile, 0 to 1
	Discrete bool     `json:"discrete,omitempty"` // a percentile is one of the values
	Time     string   `json:"time,omitempty"`
	OneOf    *OneTime `json:"one_of,omitempty"`
	// Fill stands for a missing value. Every has a row for each time, also without data.
	Fill  *int64 `json:"fill,omitempty"`
	Every bool   `json:"every,omitempty"`

	// Of the others: what they are made from. Expr of a derived metric names these.
	Inputs []MetricInput `json:"inputs,omitempty"`
	// Of cumulative metrics: how far back values go; both nil: to the first.
	Window *Span  `json:"window,omitempty"`
	ToDate string `json:"to_date,omitempty"` // from the beginning of this grain on
	// Pick says which day stands for a longer time: first, last or average.
	Pick string `json:"pick,omitempty"`
}

// OneTime says that values of different times cannot be added: those of the
// first or last time count.
type OneTime struct {
	Time string   `json:"time"` // a dimension of the table
	Last bool     `json:"last"`
	By   []string `json:"by,omitempty"` // the first or last of each of these entities or dimensions
}

// MetricInput is a metric as a part of another.
type MetricInput struct {
	Metric  string   `json:"metric"`
	As      string   `json:"as,omitempty"` // its name in Expr; empty: Metric
	Filters []string `json:"filters,omitempty"`
	// Back takes the value from that long ago, Start that at the beginning of the grain.
	Back  *Span  `json:"back,omitempty"`
	Start string `json:"start,omitempty"`
}

// Span is a length of time: N of a grain.
type Span struct {
	N     int64  `json:"n"`
	Grain string `json:"grain"`
}

// Spine is a table with a row for each day.
type Spine struct {
	TableID  string `json:"table_id,omitempty"`
	Relation string `json:"relation,omitempty"`
	Day      string `json:"day"` // its column of days
	// Grains are columns with times of the writer's own, by the names of grains.
	Grains map[string]string `json:"grains,omitempty"`
}
