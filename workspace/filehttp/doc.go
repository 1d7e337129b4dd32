// Package filehttp lets users of a server store files: requests below /api/files
// and /api/drafts work on the workspace of their caller. The caller has already
// been authenticated; every request except the stream of events is written to the
// server's audit record before it is answered.
//
// A workspace is open only while requests use it. The server never trusts a
// file's name or content type to decide what a browser may display: downloads are
// always attachments.
package filehttp
