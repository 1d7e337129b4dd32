// Package arrowjson is the one mapping from Arrow values to text and JSON. The
// output formats and the samples of the server both use it, so that a value
// looks the same wherever it is shown.
//
//	bool, arrow.bool8               true, false
//	integers, DuckDB's huge ones    a number; beyond ±2^53 a string of all its digits
//	decimals                        a number with its scale; with more than 15
//	                                significant digits a string (zeros that only
//	                                pad the scale are not significant)
//	floats                          a number that reads back to the same float,
//	                                always with a point or exponent; "NaN",
//	                                "Infinity", "-Infinity"
//	text, enums and dictionaries    a string; bytes that are not UTF-8 become U+FFFD
//	binary, geometry                a string, base64 (RFC 4648, padded)
//	date                            "2026-01-31"; outside the years 0 to 9999 with
//	                                a sign and at least six digits; DuckDB's
//	                                infinite dates are "infinity", "-infinity"
//	time, time with offset          "12:34:56.789", "12:34:56+02:30"
//	timestamp                       "2026-01-31T12:34:56.5"; with a zone, as UTC,
//	                                "2026-01-31T12:34:56.5Z"
//	interval, duration              ISO 8601, "P1Y2M3DT4H5M6.5S", each part with a
//	                                sign of its own; nothing at all is "PT0S"
//	uuid                            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
//	bit string                      "10101"
//	json (arrow.json)               the value itself, white space removed; a
//	                                string if it is not JSON
//	list, array                     an array
//	struct                          an object
//	map                             an object if the keys are text, else an array
//	                                of {"key":…,"value":…}
//	union                           the value of the member that is set
//	null                            null
//
// Fractions of a second have as many digits as they need. Objects never lose a
// member to a name that occurs twice: see Unique. Control characters, and those
// that reorder or hide text, are written as \u escapes inside JSON strings, so
// that JSON of untrusted text is harmless on a terminal.
//
// The package does no I/O and knows nothing of formats such as CSV.
package arrowjson
