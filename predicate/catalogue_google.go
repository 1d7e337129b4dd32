package predicate

const (
	addDateUnits = "day weeks month quarter year"
	addTimeUnits = "microsecond millisecond second minute hour day weeks month quarter year"
	addUnits     = "microsecond millisecond second minute hour day"
	googleWeeks  = "week_sunday isoyear week_on_tuesday week_on_wednesday week_on_thursday week_on_friday week_on_saturday"
	// EXTRACT counts these weeks from the first such day of the year.
	googleWeekNumbers = "week_number_on_monday week_number_on_tuesday week_number_on_wednesday week_number_on_thursday week_number_on_friday week_number_on_saturday"
)

// googleDateRows are the functions on dates in the form of GoogleSQL. As a
// length, a WEEK is seven days whatever its first day.
var googleDateRows = []row{
	{id: "date_plus", sig: "date, int -> date", parts: addDateUnits, goog: "DATE_ADD => DATE_ADD($1, INTERVAL $2 $P)",
		duck: "=> CAST(($1 + (INTERVAL ($2) $P)) AS DATE)", pg: "=> CAST(($1 + ($2 * INTERVAL '$i')) AS DATE)"},
	{id: "date_minus", sig: "date, int -> date", parts: addDateUnits, goog: "DATE_SUB => DATE_SUB($1, INTERVAL $2 $P)",
		duck: "=> CAST(($1 - (INTERVAL ($2) $P)) AS DATE)", pg: "=> CAST(($1 - ($2 * INTERVAL '$i')) AS DATE)"},
	{id: "datetime_plus", sig: "datetime, int -> datetime", parts: addTimeUnits, goog: "DATETIME_ADD => DATETIME_ADD($1, INTERVAL $2 $P)",
		duck: "=> ($1 + (INTERVAL ($2) $P))", pg: "=> ($1 + ($2 * INTERVAL '$i'))"},
	{id: "datetime_minus", sig: "datetime, int -> datetime", parts: addTimeUnits, goog: "DATETIME_SUB => DATETIME_SUB($1, INTERVAL $2 $P)",
		duck: "=> ($1 - (INTERVAL ($2) $P))", pg: "=> ($1 - ($2 * INTERVAL '$i'))"},
	{id: "timestamp_plus", sig: "timestamp, int -> timestamp", parts: addUnits, goog: "TIMESTAMP_ADD => TIMESTAMP_ADD($1, INTERVAL $2 $P)",
		duck: "=> ($1 + (INTERVAL ($2) $P))", pg: "=> ($1 + ($2 * INTERVAL '$i'))"},
	{id: "timestamp_minus", sig: "timestamp, int -> timestamp", parts: addUnits, goog: "TIMESTAMP_SUB => TIMESTAMP_SUB($1, INTERVAL $2 $P)",
		duck: "=> ($1 - (INTERVAL ($2) $P))", pg: "=> ($1 - ($2 * INTERVAL '$i'))"},

	{id: "date_add_int_google", sig: "date, int -> date", goog: "+ => ($1 + $2)"},
	{id: "date_sub_int_google", sig: "date, int -> date", goog: "- => ($1 - $2)"},
	{id: "date_between_google", sig: "date, date -> interval", goog: "- => ($1 - $2)"},
	{id: "datetime_between_google", sig: "datetime, datetime -> interval", goog: "- => ($1 - $2)"},
	{id: "timestamp_between_google", sig: "timestamp, timestamp -> interval", goog: "- => ($1 - $2)"},

	{id: "date_diff_week_google", sig: "date, date -> int", parts: "week " + googleWeeks, goog: "DATE_DIFF => DATE_DIFF($1, $2, $P)"},
	{id: "datetime_diff_google", sig: "datetime, datetime -> int",
		parts: "microsecond millisecond second minute hour day week month quarter year " + googleWeeks,
		goog:  "DATETIME_DIFF => DATETIME_DIFF($1, $2, $P)"},
	{id: "timestamp_diff_google", sig: "timestamp, timestamp -> int", parts: addUnits, goog: "TIMESTAMP_DIFF => TIMESTAMP_DIFF($1, $2, $P)"},

	{id: "trunc_to_date", sig: "date -> date", parts: dateUnits, goog: "DATE_TRUNC => DATE_TRUNC($1, $P)",
		duck: "=> CAST(date_trunc('$p', $1) AS DATE)", pg: "=> CAST(date_trunc('$p', CAST($1 AS TIMESTAMP)) AS DATE)"},
	{id: "trunc_to_date_google", sig: "date -> date", parts: googleWeeks, goog: "DATE_TRUNC => DATE_TRUNC($1, $P)"},
	{id: "datetime_trunc_google", sig: "datetime -> datetime", parts: googleWeeks, goog: "DATETIME_TRUNC => DATETIME_TRUNC($1, $P)"},
	{id: "timestamp_trunc_google", sig: "timestamp -> timestamp", parts: googleWeeks, goog: "TIMESTAMP_TRUNC => TIMESTAMP_TRUNC($1, $P)"},
	{id: "timestamp_trunc_zone_google", sig: "timestamp, zone -> timestamp", parts: dateUnits + " hour minute " + googleWeeks,
		goog: "TIMESTAMP_TRUNC => TIMESTAMP_TRUNC($1, $P, $2)"},

	{id: "make_date_google", sig: "int, int, int -> date", goog: "DATE"},
	{id: "date_of", sig: "datetime -> date", goog: "DATE", duck: "=> CAST($1 AS DATE)", pg: "=> CAST($1 AS DATE)"},
	{id: "date_of_timestamp", sig: "timestamp -> date", goog: "DATE", duck: "=> CAST($1 AS DATE)", pg: "=> CAST($1 AS DATE)"},
	{id: "date_of_timestamp_in", sig: "timestamp, zone -> date", goog: "DATE", duck: "=> CAST(($1 AT TIME ZONE $2) AS DATE)",
		pg: "=> CAST(($1 AT TIME ZONE $2) AS DATE)"},
	{id: "make_datetime_google", sig: "int, int, int, int, int, int -> datetime", goog: "DATETIME"},
	{id: "datetime_of_date", sig: "date -> datetime", goog: "DATETIME", duck: "=> CAST($1 AS TIMESTAMP)", pg: "=> CAST($1 AS TIMESTAMP)"},
	{id: "datetime_of_parts_google", sig: "date, time -> datetime", goog: "DATETIME"},
	{id: "datetime_of_timestamp", sig: "timestamp -> datetime", goog: "DATETIME", duck: "=> CAST($1 AS TIMESTAMP)",
		pg: "=> CAST($1 AS TIMESTAMP)"},
	{id: "timestamp_of_date", sig: "date -> timestamp", goog: "TIMESTAMP", duck: "=> CAST($1 AS TIMESTAMPTZ)",
		pg: "=> CAST($1 AS TIMESTAMPTZ)"},
	{id: "timestamp_of_datetime", sig: "datetime -> timestamp", goog: "TIMESTAMP", duck: "=> CAST($1 AS TIMESTAMPTZ)",
		pg: "=> CAST($1 AS TIMESTAMPTZ)"},
	{id: "timestamp_of_text_google", sig: "string -> timestamp", goog: "TIMESTAMP"},
	{id: "timestamp_of_text_in_google", sig: "string, zone -> timestamp", goog: "TIMESTAMP"},
	{id: "timestamp_of_date_in_google", sig: "date, zone -> timestamp", goog: "TIMESTAMP"},
	{id: "make_time_google", sig: "int, int, int -> time", goog: "TIME"},
	{id: "time_of_datetime", sig: "datetime -> time", goog: "TIME", duck: "=> CAST($1 AS TIME)", pg: "=> CAST($1 AS TIME)"},
	{id: "time_of_timestamp_google", sig: "timestamp -> time", goog: "TIME"},
	{id: "time_of_timestamp_in", sig: "timestamp, zone -> time", goog: "TIME", duck: "=> CAST(($1 AT TIME ZONE $2) AS TIME)",
		pg: "=> CAST(($1 AT TIME ZONE $2) AS TIME)"},

	{id: "format_date_google", sig: "string!, date -> string", goog: "FORMAT_DATE"},
	{id: "format_timestamp_google", sig: "string!, timestamp, zone? -> string", goog: "FORMAT_TIMESTAMP"},
	{id: "parse_date_google", sig: "string!, string -> date", goog: "PARSE_DATE"},
	{id: "parse_timestamp_google", sig: "string!, string, zone? -> timestamp", goog: "PARSE_TIMESTAMP"},
	{id: "unix_seconds_google", sig: "timestamp -> int", goog: "UNIX_SECONDS"},
	{id: "unix_millis_google", sig: "timestamp -> int", goog: "UNIX_MILLIS"},

	{id: "extract_weekday1", sig: "calendar -> int", parts: "dow_sunday1", goog: "EXTRACT => EXTRACT($P FROM $1)",
		duck: "=> (EXTRACT(dow FROM $1) + 1)", pg: "=> (CAST(EXTRACT(dow FROM $1) AS BIGINT) + 1)"},
	{id: "extract_week_google", sig: "calendar -> int", parts: "week_number " + googleWeekNumbers, goog: "EXTRACT => EXTRACT($P FROM $1)"},
	{id: "extract_small_google", sig: "moment -> int", parts: "millis_in_sec micros_in_sec", goog: "EXTRACT => EXTRACT($P FROM $1)"},
	{id: "extract_date", sig: "datetime -> date", parts: "date", goog: "EXTRACT => EXTRACT($P FROM $1)", duck: "=> CAST($1 AS DATE)",
		pg: "=> CAST($1 AS DATE)"},
	{id: "extract_date_of_timestamp", sig: "timestamp -> date", parts: "date", goog: "EXTRACT => EXTRACT($P FROM $1)",
		duck: "=> CAST($1 AS DATE)", pg: "=> CAST($1 AS DATE)"},
	{id: "extract_time_of", sig: "datetime -> time", parts: "time", goog: "EXTRACT => EXTRACT($P FROM $1)", duck: "=> CAST($1 AS TIME)",
		pg: "=> CAST($1 AS TIME)"},
	{id: "extract_in", sig: "timestamp, zone -> int", parts: timeFields + " second", goog: "EXTRACT => EXTRACT($P FROM $1 AT TIME ZONE $2)",
		duck: "=> EXTRACT($p FROM ($1 AT TIME ZONE $2))", pg: "=> CAST(floor(EXTRACT($p FROM ($1 AT TIME ZONE $2))) AS BIGINT)"},
	{id: "extract_in_google", sig: "timestamp, zone -> int", parts: "dow_sunday1 week_number millis_in_sec micros_in_sec " + googleWeekNumbers,
		goog: "EXTRACT => EXTRACT($P FROM $1 AT TIME ZONE $2)"},
	{id: "extract_date_in", sig: "timestamp, zone -> date", parts: "date", goog: "EXTRACT => EXTRACT($P FROM $1 AT TIME ZONE $2)",
		duck: "=> CAST(($1 AT TIME ZONE $2) AS DATE)", pg: "=> CAST(($1 AT TIME ZONE $2) AS DATE)"},
}
