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
	// HeaderCaveats are the caveats of a file of rows, a JSON list escaped as in a
	// URL.
	HeaderCaveats = "X-Agnes-Caveats"
	// HeaderRowRule is "true" if a rule limits which rows the caller may read; else
	// it is not sent.
	HeaderRowRule = "X-Agnes-Row-Rule"
	// HeaderInterim is sent by clients that understand interim responses; with
	// the value InterimWanted the server answers "102 Processing" from time to
	// time while a result takes long to begin. It is asked for because some
	// HTTP libraries take any 1xx for the final answer.
	HeaderInterim = "X-Agnes-Interim"
	// HeaderQueue, in an interim response, is the place of the request among those that
	// wait for the server; 1 is the next one.
	HeaderQueue = "X-Agnes-Queue"
	// HeaderKeep, with the value "true", asks that a file be kept for a client that
	// loses its connection; HeaderFrom says at which byte of it the body begins.
	HeaderKeep = "X-Agnes-Keep"
	HeaderFrom = "X-Agnes-From"
	// HeaderTruncated and HeaderRows come as trailers, a courtesy to clients
	// that see them; the end record counts.
	HeaderTruncated = "X-Agnes-Truncated"
	HeaderRows      = "X-Agnes-Rows"

	// What a client says about itself and about what it is ready to spend.
	HeaderClient        = "X-Agnes-Client"         // the program that called da, for the audit
	HeaderMaxScanBytes  = "X-Agnes-Max-Scan-Bytes" // refuse what reads more
	HeaderSession       = "X-Agnes-Session"        // the conversation that the request is part of
	HeaderSessionBudget = "X-Agnes-Session-Budget" // bytes that the conversation may read in all

	// HeaderPageKey carries the key of a browser's sign-in, beside its cookie.
	// Neither works without the other.
	HeaderPageKey = "X-Agnes-Page"

	// What is left, in bytes; absent where nothing bounds it.
	HeaderQuotaRemaining   = "X-Agnes-Quota-Remaining-Bytes"
	HeaderSessionRemaining = "X-Agnes-Session-Remaining-Bytes"
)

// InterimWanted is the value of HeaderInterim.
const InterimWanted = "102"
