package wire

// ContentType is the media type of a result.
const ContentType = "application/vnd.apache.arrow.stream"

// The names of headers that both ends know.
const (
	HeaderRequestID = "X-Request-Id"
	// HeaderEffectiveAsOf says when CURRENT_DATE and the like were evaluated:
	// RFC 3339, UTC.
	HeaderEffectiveAsOf = "X-Agnes-Effective-As-Of"
	// HeaderOrdered says whether the order of rows is part of a result: "true"
	// or "false".
	HeaderOrdered = "X-Agnes-Ordered"
	// HeaderInterim is sent by clients that understand interim responses; with
	// the value InterimWanted the server answers "102 Processing" from time to
	// time while a result takes long to begin. It is asked for because some
	// HTTP libraries take any 1xx for the final answer.
	HeaderInterim = "X-Agnes-Interim"
	// HeaderTruncated and HeaderRows come as trailers, a courtesy to clients
	// that see them; the end record counts.
	HeaderTruncated = "X-Agnes-Truncated"
	HeaderRows      = "X-Agnes-Rows"
)

// InterimWanted is the value of HeaderInterim.
const InterimWanted = "102"
