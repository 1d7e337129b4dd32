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

// sparkDate is of ISO 8601 alone: the gate lets few repetitions through to Spark.
const sparkDate = "regexp_like(%s, '^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]([ T]|$)')%.0s"

var languages = map[predicate.Dialect]language{
	predicate.DuckDB: {text: "CAST(%s AS VARCHAR)", double: "CAST(%s AS DOUBLE)", median: "median(%s)", clip: clip, length: length,
		month: "CAST(CAST(date_trunc('month', CAST(%s AS DATE)) AS DATE) AS VARCHAR)", form: "regexp_matches(%s, '%s')",
		few: "approx_count_distinct(%s)", off: 0.13},
	predicate.Postgres: {text: "CAST(%s AS text)", double: "CAST(%s AS float8)", clip: clip, length: length,
		median: "percentile_cont(0.5) WITHIN GROUP (ORDER BY %s)",
		month:  "CAST(CAST(date_trunc('month', CAST(%s AS date)) AS date) AS text)", form: "%s ~ '%s'"},
	predicate.GoogleSQL: {text: "CAST(%s AS STRING)", double: "CAST(%s AS FLOAT64)", median: "APPROX_QUANTILES(%s, 2)[OFFSET(1)]",
		clip: clip, length: length, month: "CAST(DATE_TRUNC(CAST(%s AS DATE), MONTH) AS STRING)", form: "REGEXP_CONTAINS(%s, r'%s')",
		few: "APPROX_COUNT_DISTINCT(%s)", off: 0.01, off50: true},
	predicate.Spark: {text: "CAST(%s AS STRING)", double: "CAST(%s AS DOUBLE)", median: "percentile(%s, 0.5)", clip: clip, length: length,
		month: "CAST(trunc(CAST(%s AS DATE), 'MM') AS STRING)", form: sparkDate,
		few: "approx_count_distinct(%s)", off: 0.05},
	predicate.ClickHouse: {text: "toString(%s)", double: "toFloat64(%s)", median: "medianExact(%s)", clip: "substringUTF8(%s, 1, 200)",
		length: "lengthUTF8", month: "toString(toStartOfMonth(%s))", form: "match(%s, '%s')", few: "uniq(%s)", off: 0.01, off50: true,
		until2300: true},
}
