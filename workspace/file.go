package workspace

import (
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
)

// Source says where a file comes from.
type Source string

// The sources of files.
const (
	Upload  Source = "upload"  // a person sent it
	Created Source = "created" // a command or an agent made it
	Derived Source = "derived" // it was made from another file
)

// File is a file of the workspace.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	MIMEType string `json:"mime_type"`
	Size     int64  `json:"size"` // bytes
	Version  int64  `json:"version"`
	SHA256   string `json:"sha256"`
	Source   Source `json:"source"`
	// Session is the conversation that sent or made it.
	Session    *string    `json:"source_session_id"`
	CreatedOn  time.Time  `json:"created_on"`
	ModifiedOn time.Time  `json:"modified_on"`
	DeletedOn  *time.Time `json:"deleted_on,omitempty"`
	// VersionsRemoved counts the old versions that a change has removed because
	// the workspace was full.
	VersionsRemoved int `json:"versions_removed,omitempty"`

	path string // of its content, below data/
	base *int64 // of a draft's change: the version it was made from
	// draft is the one whose change this is; empty: the workspace's own.
	draft string
	told  []api.Caveat // of a draft's change: what is to be known of it
}

// Subject returns what the audit names the file by.
func (f File) Subject() api.FileSubject { return api.FileSubject{ID: f.ID, Name: f.Name} }

// Version is the state of a file at one point in time.
type Version struct {
	Version    int64     `json:"version"`
	Action     Action    `json:"action"`
	Name       string    `json:"name"`
	MIMEType   string    `json:"mime_type"`
	Size       int64     `json:"size"`
	SHA256     string    `json:"sha256"`
	Session    *string   `json:"session_id"`
	ModifiedOn time.Time `json:"modified_on"`
	Current    bool      `json:"current"`

	path string
}

// Action is the kind of change that made a version.
type Action string

// The actions.
const (
	ActionCreated  Action = "created"
	ActionModified Action = "modified"
	ActionRenamed  Action = "renamed"
	ActionDeleted  Action = "deleted"
	ActionRestored Action = "restored"
)

// timeForm is a time layout whose texts sort by time.
const timeForm = "2006-01-02T15:04:05.000000Z"

func stamp(t time.Time) string { return t.UTC().Format(timeForm) }

func fromStamp(text string) time.Time {
	t, _ := time.Parse(timeForm, text) // stamp wrote it
	return t
}

const fileColumns = "_id, name, mime_type, size, version, sha256, source, source_session_id, created_on, modified_on, deleted_on, disk_path, base_version, draft, told"

func scanFile(row interface{ Scan(...any) error }) (f File, err error) {
	var created, modified string
	var session, deleted, told sql.NullString
	var base sql.NullInt64
	err = row.Scan(&f.ID, &f.Name, &f.MIMEType, &f.Size, &f.Version, &f.SHA256, &f.Source, &session, &created, &modified, &deleted, &f.path,
		&base, &f.draft, &told)
	f.CreatedOn, f.ModifiedOn = fromStamp(created), fromStamp(modified)
	if session.Valid {
		f.Session = &session.String
	}
	if deleted.Valid {
		t := fromStamp(deleted.String)
		f.DeletedOn = &t
	}
	if base.Valid {
		f.base = &base.Int64
	}
	if told.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(told.String), &f.told))
	}
	return f, err
}

// save writes a file's row, replacing an existing one.
func save(tx *sql.Tx, f File) error {
	var deleted, told any
	if len(f.told) > 0 {
		list, err := json.Marshal(f.told)
		if err != nil {
			return err
		}
		told = string(list)
	}
	if f.DeletedOn != nil {
		deleted = stamp(*f.DeletedOn)
	}
	_, err := tx.Exec(`INSERT INTO agent_files (`+fileColumns+`, name_key) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (draft, _id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, mime_type = excluded.mime_type, size = excluded.size,
			version = excluded.version, sha256 = excluded.sha256, modified_on = excluded.modified_on, deleted_on = excluded.deleted_on, disk_path = excluded.disk_path, told = excluded.told`,
		f.ID, f.Name, f.MIMEType, f.Size, f.Version, f.SHA256, f.Source, f.Session, stamp(f.CreatedOn), stamp(f.ModifiedOn), deleted, f.path,
		f.base, f.draft, told, key(f.Name))
	return err
}
