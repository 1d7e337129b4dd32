package core

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/state"
)

// note is what the state calls a note; a term of the glossary is one, too.
const note = "note"

// notes lists the notes of a table, or all of them, that the caller may read: those of
// tables and columns that they see, and those of terms.
func (k *keeper) notes(ctx context.Context, table string) ([]api.Note, error) {
	all, err := k.session.core.state.Known(ctx, note)
	if err != nil {
		return nil, internalError("read the notes", err)
	}
	out := []api.Note{}
	hidden := map[string][]string{} // columns by table
	for _, row := range all {
		var n api.Note
		if err := json.Unmarshal([]byte(row.Data), &n); err != nil {
			return nil, internalError("read a note", err)
		}
		n.ID, n.Author = row.Name, row.Owner
		if n.Term == "" {
			if table != "" && n.TableID != table || k.tables[n.TableID] == nil {
				continue
			}
			columns, looked := hidden[n.TableID]
			if !looked {
				of, ok, err := k.hiddenOf(ctx, n.TableID)
				if err != nil {
					return nil, err
				}
				if columns = of; !ok {
					columns = []string{"", n.Column}
				}
				hidden[n.TableID] = columns
			}
			// A table that the caller cannot read hides what has no column, too.
			if slices.Contains(columns, n.Column) || slices.Contains(columns, "") {
				continue
			}
		} else if table != "" {
			continue
		}
		out = append(out, n)
	}
	slices.SortStableFunc(out, func(a, b api.Note) int {
		if (a.Term == "") != (b.Term == "") {
			return len(a.Term) - len(b.Term)
		}
		return strings.Compare(a.About(), b.About())
	})
	return out, nil
}

// PutNote implements api.Knower.
func (s *Session) PutNote(ctx context.Context, n api.Note) (*api.Note, error) {
	r := s.begin(api.EventAdmin, n.TableID)
	r.event.Data.Action = "note_put"
	out, err := s.putNote(ctx, n, r)
	return out, r.end(ctx, stateError(err))
}

func (s *Session) putNote(ctx context.Context, n api.Note, r *record) (*api.Note, error) {
	k, err := s.keeper(ctx)
	if err != nil {
		return nil, err
	}
	if err := k.mustCurate(); err != nil {
		return nil, err
	}
	refuse := func(text string, args ...any) error {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadNote, Message: fmt.Sprintf(text, args...)}
	}
	if n.Text = strings.TrimSpace(n.Text); n.Text == "" || len(n.Text) > api.MaxNoteBytes || !utf8.ValidString(n.Text) {
		return nil, refuse("a note is a text of up to %d bytes", api.MaxNoteBytes)
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	n.ID = hex.EncodeToString(random[:])
	switch {
	case n.Term != "":
		n.Term = strings.Join(strings.Fields(n.Term), " ")
		if n.TableID != "" || n.Column != "" || n.Term == "" || utf8.RuneCountInString(n.Term) > api.MaxName || !utf8.ValidString(n.Term) {
			return nil, refuse("a term is a word or a few, of up to %d characters, and not of a table", api.MaxName)
		}
		n.ID = hashOf(strings.ToLower(n.Term))[:12] // what was said of it before is replaced
	default:
		if n.Column, err = k.noted(ctx, n); err != nil {
			return nil, err
		}
	}
	r.event.Data.Subject = api.Clip(n.About(), 200)
	n.Author, n.At = "", s.core.now().UTC().Truncate(time.Second)
	data, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	err = s.core.state.ChangeKnown(ctx, note, n.ID, func(*state.Known) (*state.Known, error) {
		return &state.Known{Owner: s.who.User, Data: string(data)}, nil
	})
	n.Author = s.who.User
	return &n, err
}

// noted returns the column of a note as the table has it, if the caller may read it.
func (k *keeper) noted(ctx context.Context, n api.Note) (string, error) {
	p, err := k.authorise(ctx, n.TableID)
	if err != nil || n.Column == "" {
		return "", err
	}
	schema, err := k.session.core.schema(ctx, p.table, p.relation())
	if err != nil {
		return "", err
	}
	for _, c := range schema.Columns {
		if strings.EqualFold(c.Name, n.Column) {
			return c.Name, nil
		}
	}
	return "", &api.Error{Code: api.CodeUnknownColumn,
		Message: fmt.Sprintf("table '%s' has no column '%s'", n.TableID, api.Clip(n.Column, 80)),
		Next:    []api.Step{api.Do(api.ActionSchema, "see the columns", "table_id", n.TableID)}}
}

// DropNote implements api.Knower.
func (s *Session) DropNote(ctx context.Context, id string) error {
	r := s.begin(api.EventAdmin, "")
	r.event.Data.Action = "note_drop"
	return r.end(ctx, stateError(s.dropNote(ctx, id, r)))
}

func (s *Session) dropNote(ctx context.Context, id string, r *record) error {
	k, err := s.keeper(ctx)
	if err != nil {
		return err
	}
	if err := k.mustCurate(); err != nil {
		return err
	}
	mine, err := k.notes(ctx, "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(mine, func(n api.Note) bool { return n.ID == id })
	if i < 0 {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindUnknownNote, Message: fmt.Sprintf("there is no note '%s'", api.Clip(id, 40)),
			Next: []api.Step{api.Do(api.ActionNotes, "see the notes")}}
	}
	r.event.Data.Subject = api.Clip(mine[i].About(), 200)
	return s.core.state.ChangeKnown(ctx, note, id, func(*state.Known) (*state.Known, error) { return nil, nil })
}
