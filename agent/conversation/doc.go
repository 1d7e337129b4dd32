// Package conversation keeps conversations with models on the user's disk, so
// that no crash loses what was said or done. What a record means for a model is
// the business of package agent.
//
// # On disk
//
// A folder for each conversation, 0700, with files 0600:
//
//	ID/log.jsonl   its records, one a line; only ever appended to
//	ID/lock        held by the process that goes on with it
//	ID/files/      files that the conversation was given or has made
//
// Every record is on disk before Append returns. A line without its line feed was
// cut by a crash: whoever opens the conversation to go on removes it, and readers
// pass over it. The first record names the format.
package conversation
