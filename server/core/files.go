package core

import (
	"context"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/state"
)

// Owner implements api.FileOwner. Numbers of users are never given out twice.
func (s *Session) Owner() string {
	if s.who.Local {
		return s.who.User
	}
	return strconv.FormatInt(s.who.UserID, 10)
}

// Folder implements api.FileOwner.
func (s *Session) Folder() string {
	if s.who.Local {
		return state.FolderName(s.who.User, "")
	}
	return s.who.Folder
}

// NoteFile implements api.FileOwner.
func (s *Session) NoteFile(ctx context.Context, action string, f api.FileSubject, err error) error {
	r := s.begin(api.EventFile, "")
	r.after = true
	r.event.Data.Action, r.event.Data.Subject, r.event.Data.FileName = action, f.ID, api.Clip(f.Name, 200)
	return r.end(ctx, err)
}

// NoteModel implements api.FileOwner.
func (s *Session) NoteModel(ctx context.Context, conversation string, cost *float64, err error) error {
	r := s.begin(api.EventModel, "")
	r.after = true
	r.event.Data.Action, r.event.Data.Subject, r.event.Data.Cost = "chat", conversation, cost
	return r.end(ctx, err)
}
