package workspace

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/agnes-data/da/internal/disk/sqlitedb"
)

// keepEvents is the number of events kept for clients that reconnect.
const keepEvents = 10_000

// Event is a change of the workspace as it is reported to clients.
type Event struct {
	Seq     int64           `json:"seq"`   // grows by one with each event
	Event   string          `json:"event"` // file:created, file:modified or file:deleted
	Payload json.RawMessage `json:"payload"`
}

// The payloads of the kinds of events.
type (
	createdPayload struct {
		ID       string  `json:"id"`
		Name     string  `json:"name"`
		Size     int64   `json:"size"`
		MIMEType string  `json:"mime_type"`
		Session  *string `json:"source_session_id"` // null: no conversation made it
	}
	modifiedPayload struct {
		ID         string    `json:"id"`
		Name       string    `json:"name"`
		Size       int64     `json:"size"`
		ModifiedOn time.Time `json:"modified_on"`
	}
	deletedPayload struct {
		ID string `json:"id"`
	}
)

// tell records an event. To clients, a restored file is a new file.
func (c *change) tell(action Action, f File) error {
	event, payload := "file:modified", any(modifiedPayload{f.ID, f.Name, f.Size, f.ModifiedOn})
	switch action {
	case ActionDeleted:
		event, payload = "file:deleted", deletedPayload{f.ID}
	case ActionCreated, ActionRestored:
		event, payload = "file:created", createdPayload{f.ID, f.Name, f.Size, f.MIMEType, f.Session}
	case ActionModified, ActionRenamed:
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	done, err := c.Exec("INSERT INTO events (event, payload) VALUES (?, ?)", event, string(text))
	if err != nil {
		return err
	}
	seq, err := done.LastInsertId()
	if err == nil {
		_, err = c.Exec("DELETE FROM events WHERE seq <= ?", seq-keepEvents)
	}
	return err
}

// Events returns at most limit events after the given number, in order. missed
// reports that some of the events in between have been removed: the client must
// list the files again.
func (w *Workspace) Events(ctx context.Context, after int64, limit int) (events []Event, missed bool, err error) {
	err = sqlitedb.Each(ctx, w.db.Read, func(rows *sql.Rows) error {
		var e Event
		var text string
		err := rows.Scan(&e.Seq, &e.Event, &text)
		e.Payload = json.RawMessage(text)
		events = append(events, e)
		return err
	}, "SELECT seq, event, payload FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)
	missed = len(events) > 0 && events[0].Seq > after+1
	return events, missed, w.failed("read the events", err)
}

// LastEvent returns the number of the last event, or 0 if there is none.
func (w *Workspace) LastEvent(ctx context.Context) (seq int64, err error) {
	err = w.db.Read.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events").Scan(&seq)
	return seq, w.failed("read the events", err)
}
