// Package conversation stores conversations with models on the user's disk, so
// that no crash loses what was said or done. Package agent decides what a record
// means for a model.
//
// # On disk
//
// Each conversation has a folder, 0700, with files 0600:
//
//	ID/log.jsonl   its records, one per line; the file is append-only
//	ID/lock        held by the process that continues the conversation
//	ID/files/      files that the conversation was given or has made
//
// Every record is on disk before Append returns. A line without a line feed was
// cut off by a crash: opening the conversation to continue it removes the line,
// and readers skip it. The first record names the format.
package conversation
