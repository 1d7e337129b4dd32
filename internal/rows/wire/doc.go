// Package wire is the form in which a result travels between server and
// client: an Arrow IPC stream, and behind Arrow's end-of-stream mark one JSON
// line, the end record, that proves the stream whole. Both ends of HTTP use
// this package and nothing else to write and read results.
//
// A body is, byte for byte:
//
//	messages   Arrow IPC: schema, dictionaries, record batches; the buffers of
//	           batches compressed one by one, as Arrow has it, if asked for
//	mark       FF FF FF FF 00 00 00 00
//	record     {"rows":…,"bytes":…,"truncated":…,"cap":…,"body_xxh3":"…","record_xxh3":"…"} LF
//
// body_xxh3 is the xxh3-128 of messages and mark, in hex. record_xxh3 is the
// xxh3-64 of the record's own text up to the comma before that key, so that no
// byte of the body is left unguarded. Nothing follows the record. Arrow readers
// stop at the mark and never see it. A record batch without rows means nothing:
// it only shows that the server is alive.
//
// The package trusts no input: a body may come from anything that answers on
// the network. It must not do I/O of its own and knows nothing of HTTP beyond
// the names in headers.go.
package wire
