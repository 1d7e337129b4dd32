// Package filehttp lets users of a server keep files there: requests below
// /api/files and /api/drafts, each on the workspace of its caller. Who the caller
// is has been decided before; every request but the stream of events is written
// into the server's record before it is answered.
//
// A workspace is open while requests use it. Names and content types of files
// are never taken for what a browser may show: downloads are attachments.
package filehttp
