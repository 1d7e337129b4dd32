package api

import "context"

// FileOwner says whose files a caller of a server works on, and keeps the record
// of it. It is nil where there is no server.
type FileOwner interface {
	// Owner is the name of the caller's folder: safe as a part of a path, the same
	// for ever, and nobody else's, also not that of a later user of the same name.
	Owner() string
	// NoteFile writes down what was done to the file of an id, which may be empty,
	// and how it ended. It returns err, or why it could not be written down: then
	// nothing may be answered.
	NoteFile(ctx context.Context, action, id string, err error) error
	// NoteModel writes down a turn of a conversation with the server's model, what
	// it cost, nil: unknown, and how it ended. It returns as NoteFile does.
	NoteModel(ctx context.Context, conversation string, cost *float64, err error) error
}
