package api

import "context"

// FileSubject is a file as the audit names it: by its id, which stays, and its name at the time.
type FileSubject struct{ ID, Name string }

// FileOwner says whose files a caller of a server works on, and audits that work.
// It is nil without a server.
type FileOwner interface {
	// Owner is the name of the caller's folder. It is safe in a path, never
	// changes, and is never reused, even for a later user of the same name.
	Owner() string
	// Folder is the name of the folder of the caller's conversations, with the same
	// promises. Its names are not those of Owner, which were given out before.
	Folder() string
	// NoteFile audits an action on a file and how it ended. f can be empty. It
	// returns err, or the error of writing the audit; in that case the caller
	// must not get an answer.
	NoteFile(ctx context.Context, action string, f FileSubject, err error) error
	// NoteModel audits one turn of a conversation with the server's model, its
	// cost (nil if unknown) and how it ended. It returns errors as NoteFile does.
	NoteModel(ctx context.Context, conversation string, cost *float64, err error) error
}
