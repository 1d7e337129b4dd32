package profiles

import "github.com/agnes-data/da/predicate"

// language is how an engine writes what engines write differently of a column.
type language struct {
	text, double, median, month, form string
	clip, length                      string
	few                               string  // the number of different values, about
	off                               float64 // by which share few is off, as a rule
	off50                             bool    // the median is near the middle
	until2300                         bool    // its dates end before the sentinels
}

// The forms that most engines have.
const (
	clip   = "substr(%s, 1, 200)"
	length = "length"
)

// isoDate is of ISO 8601 alone: the gate lets few repetitions through to Spark and Trino.
const isoDate = "regexp_like(%s, '^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]([ T]|$)')%.0s"

// manyOfDuckDB is the number of different values by how many of a million places their
// hashes take, or those of one in 64 of them: approx_count_distinct is off by 13 %.
const (
	placesTaken  = "count(DISTINCT hash(%[1]s) & 1048575) FILTER (WHERE %[1]s IS NOT NULL)"
	someTaken    = "count(DISTINCT hash(%[1]s) & 1048575) FILTER (WHERE %[1]s IS NOT NULL AND (hash(%[1]s) >> 20) & 63 = 0)"
	manyOfDuckDB = "CAST(round(CASE WHEN " + placesTaken + " < 1000000 THEN -1048576 * ln(1 - " + placesTaken +
		" / 1048576) ELSE -67108864 * ln(1 - least(" + someTaken + ", 1048575) / 1048576) END) AS BIGINT)"
)

var languages = map[predicate.Dialect]language{
	predicate.DuckDB: {text: "CAST(%s AS VARCHAR)", double: "CAST(%s AS DOUBLE)", median: "median(%s)", clip: clip, length: length,
		month: "CAST(CAST(date_trunc('month', CAST(%s AS DATE)) AS DATE) AS VARCHAR)", form: "regexp_matches(%s, '%s')",
		few: manyOfDuckDB, off: 0.01},
	predicate.Postgres: {text: "CAST(%s AS text)", double: "CAST(%s AS float8)", clip: clip, length: length,
		median: "percentile_cont(0.5) WITHIN GROUP (ORDER BY %s)",
		month:  "CAST(CAST(date_trunc('month', CAST(%s AS date)) AS date) AS text)", form: "%s ~ '%s'"},
	predicate.GoogleSQL: {text: "CAST(%s AS STRING)", double: "CAST(%s AS FLOAT64)", median: "APPROX_QUANTILES(%s, 2)[OFFSET(1)]",
		clip: clip, length: length, month: "CAST(DATE_TRUNC(CAST(%s AS DATE), MONTH) AS STRING)", form: "REGEXP_CONTAINS(%s, r'%s')",
		few: "APPROX_COUNT_DISTINCT(%s)", off: 0.01, off50: true},
	predicate.Spark: {text: "CAST(%s AS STRING)", double: "CAST(%s AS DOUBLE)", median: "percentile(%s, 0.5)", clip: clip, length: length,
		month: "CAST(trunc(CAST(%s AS DATE), 'MM') AS STRING)", form: isoDate,
		few: "approx_count_distinct(%s)", off: 0.05},
	predicate.ClickHouse: {text: "toString(%s)", double: "toFloat64(%s)", median: "medianExact(%s)", clip: "substringUTF8(%s, 1, 200)",
		length: "lengthUTF8", month: "toString(toStartOfMonth(%s))", form: "match(%s, '%s')", few: "uniq(%s)", off: 0.01, off50: true,
		until2300: true},
	predicate.Trino: {text: "CAST(%s AS varchar)", double: "CAST(%s AS double)", median: "approx_percentile(%s, 0.5)", clip: clip, length: length,
		month: "CAST(CAST(date_trunc('month', CAST(%s AS date)) AS date) AS varchar)", form: isoDate,
		few: "approx_distinct(%s)", off: 0.023, off50: true},
}

// value is a column as values that have an order.
func (s *source) value(f predicate.Field) string {
	v := predicate.QuoteIdent(s.d, f.Name)
	if f.Type.Kind == predicate.KindFloat {
		return "CASE WHEN " + v + " - " + v + " = 0 THEN " + v + " END"
	}
	return v
}
