package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// question is what the state calls a question.
const question = "question"

// keptQuestion is a question as the state has it.
type keptQuestion struct {
	api.SavedQuestion
	// Schemas are hashes of the tables' columns when it was approved.
	Schemas map[string]string `json:"schemas,omitempty"`
	owner   string            // empty: a user who was deleted
}

func readQuestion(k *state.Known) (*keptQuestion, error) {
	q := &keptQuestion{owner: k.Owner}
	return q, json.Unmarshal([]byte(k.Data), q)
}

func (q *keptQuestion) written() (*state.Known, error) {
	q.Replace, q.Changed, q.Owner = false, nil, ""
	data, err := json.Marshal(q)
	return &state.Known{Kind: question, Name: q.Name, Owner: q.owner, Data: string(data)}, err
}

// keeper is a caller with what they may read, who asks for or changes what people keep.
type keeper struct {
	*view
	curates bool // may write notes, and approve
}

func (s *Session) keeper(ctx context.Context) (*keeper, error) {
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	return v.keeper(ctx)
}

func (v *view) keeper(ctx context.Context) (*keeper, error) {
	k, s := &keeper{v, v.session.who.Admin}, v.session
	if !k.curates {
		var err error
		if k.curates, err = s.core.state.IsMember(ctx, s.who.UserID, api.Curators); err != nil {
			return nil, internalError("read the groups", err)
		}
	}
	return k, nil
}

func (k *keeper) mustCurate() error {
	if k.curates {
		return nil
	}
	return &api.Error{Code: api.CodeForbidden, Kind: api.KindCuratorsOnly, Message: "this is for admins and curators only",
		Hint: "Members of the group '" + api.Curators + "' may do it: ask an admin of the server."}
}

// mentioned lists the tables that a statement may read: those whose ids are words of it.
// It may name too many, never too few, in whatever dialect it is.
func (v *view) mentioned(sql string) []string {
	found := []string{}
	for _, word := range tableWords().FindAllString(strings.ToLower(sql), -1) {
		if v.tables[word] != nil && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return found
}

// mayKnow reports whether the caller may see a question: their own, and one that was
// approved as it is if they may read all columns of its tables, of those that had these
// names when it was kept, too. Curators see what is to be approved.
func (k *keeper) mayKnow(q *keptQuestion) bool {
	who := k.session.who
	if who.Admin || q.owner != "" && q.owner == who.User {
		return true
	}
	return (k.curates || q.IsApproved()) && !slices.ContainsFunc(q.Tables, k.hides) && !slices.ContainsFunc(k.mentioned(q.SQL), k.hides)
}

// Known implements api.Knower.
func (s *Session) Known(ctx context.Context) (*api.Known, error) {
	r := s.begin(api.EventCatalog, "")
	known, err := s.known(ctx)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return known, nil
}

func (s *Session) known(ctx context.Context) (*api.Known, error) {
	k, err := s.keeper(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.core.state.Known(ctx, question)
	if err != nil {
		return nil, internalError("read the questions", err)
	}
	out := &api.Known{Questions: []api.SavedQuestion{}, Curates: k.curates}
	for _, row := range all {
		q, err := readQuestion(&row)
		if err != nil {
			return nil, internalError("read a question", err)
		}
		if k.mayKnow(q) {
			out.Questions = append(out.Questions, k.shown(q, func(t *table) (*source.Schema, error) {
				known, _ := s.core.known.get(knowledgeKey(t))
				return known.schema, nil
			}))
		}
	}
	if out.Notes, err = k.notes(ctx, ""); err != nil {
		return nil, err
	}
	return out, nil
}

// shown returns a question as the caller sees it. schema returns a table's columns; nil
// if they are not to be asked for.
func (k *keeper) shown(q *keptQuestion, schema func(*table) (*source.Schema, error)) api.SavedQuestion {
	out := q.SavedQuestion
	out.Owner, out.Replace, out.Changed = q.owner, false, nil
	if q.Approved == nil {
		return out
	}
	if !q.IsApproved() {
		out.Changed = append(out.Changed, "definition")
	}
	whole := func(id string) bool { return k.tables[id] != nil && k.readsWhole(k.tables[id]) }
	if !q.IsApproved() || slices.ContainsFunc(q.Tables, func(id string) bool { return !whole(id) }) {
		approved := *q.Approved
		approved.Result, out.Approved = "", &approved // rows can be guessed from their hash
	}
	for _, id := range q.Tables {
		if k.hides(id) {
			out.Changed = append(out.Changed, "unknown:"+id)
			continue
		}
		switch now, err := schema(k.tables[id]); {
		case err != nil:
			out.Changed = append(out.Changed, "unknown:"+id)
		case now != nil && hashOf(now.Columns) != q.Schemas[id]:
			out.Changed = append(out.Changed, "schema:"+id)
		}
	}
	return out
}

// asked reads the columns of a table as they are now.
func (v *view) asked(ctx context.Context) func(*table) (*source.Schema, error) {
	return func(t *table) (*source.Schema, error) { return v.session.core.schema(ctx, t, t.unrestricted()) }
}

// hashOf is a hash of anything that is written as JSON.
func hashOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // cannot happen: these are texts, numbers and lists
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// SavedQuestion implements api.Knower.
func (s *Session) SavedQuestion(ctx context.Context, name string) (out *api.SavedQuestion, err error) {
	r := s.begin(api.EventCatalog, "")
	k, err := s.keeper(ctx)
	if err == nil {
		out, err = k.saved(ctx, name)
	}
	return out, r.end(ctx, err)
}

func (k *keeper) saved(ctx context.Context, name string) (*api.SavedQuestion, error) {
	q, err := k.kept(ctx, name)
	if err != nil {
		return nil, err
	}
	out := k.shown(q, k.asked(ctx))
	return &out, nil
}

// kept reads a question that the caller may know.
func (k *keeper) kept(ctx context.Context, name string) (*keptQuestion, error) {
	all, err := k.session.core.state.Known(ctx, question)
	if err != nil {
		return nil, internalError("read the questions", err)
	}
	i := slices.IndexFunc(all, func(row state.Known) bool { return row.Name == name })
	if i < 0 {
		return nil, unknownQuestion(name)
	}
	q, err := readQuestion(&all[i])
	if err != nil {
		return nil, internalError("read a question", err)
	}
	if !k.mayKnow(q) {
		return nil, unknownQuestion(name)
	}
	return q, nil
}

// unknownQuestion is the answer whether or not there is one that the caller may not see.
func unknownQuestion(name string) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindUnknownQuestion,
		Message: fmt.Sprintf("there is no question '%s'", api.Clip(name, 80)),
		Next:    []api.Step{api.Do(api.ActionListSaved, "see the questions")}}
}

// SaveQuestion implements api.Knower.
func (s *Session) SaveQuestion(ctx context.Context, n api.NewQuestion) (*api.SavedQuestion, error) {
	return s.changeQuestion(ctx, "question_save", n.Name, func(k *keeper, old *keptQuestion) (*keptQuestion, error) {
		if err := checkQuestion(n); err != nil {
			return nil, err
		}
		q := &keptQuestion{owner: s.who.User}
		switch {
		case old == nil:
		case old.owner != s.who.User && !(k.curates && k.mayKnow(old)), !n.Replace:
			return nil, &api.Error{Code: api.CodeTargetExists, Kind: api.KindQuestionExists,
				Message: fmt.Sprintf("a question '%s' is kept already", n.Name), Hint: "Choose another name."}
		default:
			*q = *old
		}
		n.Replace = false
		q.NewQuestion, q.SavedAt = n, s.core.now().UTC().Truncate(time.Second)
		q.Tables, q.Definition = k.mentioned(n.SQL), hashOf(n)
		return q, nil
	})
}

func checkQuestion(n api.NewQuestion) error {
	refuse := func(what string, args ...any) error {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadQuestion, Message: fmt.Sprintf(what, args...)}
	}
	if err := api.CheckName("name of the question", n.Name); err != nil {
		return err
	}
	for _, words := range append([]string{n.Question}, n.Also...) {
		if strings.TrimSpace(words) == "" || utf8.RuneCountInString(words) > api.MaxQuestionRunes || !utf8.ValidString(words) {
			return refuse("a question is in words, up to %d characters", api.MaxQuestionRunes)
		}
	}
	for name, value := range n.Params {
		if len(value) == 0 || strings.ContainsAny(string(value[:1]), "n{") { // null, or an object
			return refuse("the value of parameter '%s' is not a text, number, true, false, or list", api.Clip(name, 60))
		}
	}
	size, err := json.Marshal(n)
	if strings.TrimSpace(n.SQL) == "" || len(size) > api.MaxSavedBytes || err != nil {
		return refuse("a question has a statement; with it, it takes up to %d bytes", api.MaxSavedBytes)
	}
	return nil
}

// ApproveQuestion implements api.Knower.
func (s *Session) ApproveQuestion(ctx context.Context, name string, a api.NewApproval) (*api.SavedQuestion, error) {
	schemas, schemaErr := map[string]string{}, error(nil) // read before: a source may take its time
	if k, err := s.keeper(ctx); err == nil && k.curates {
		if q, err := k.kept(ctx, name); err == nil {
			for _, id := range k.mentioned(q.SQL) {
				schema, err := k.asked(ctx)(k.tables[id])
				if err != nil {
					schemaErr = err
					break
				}
				schemas[id] = hashOf(schema.Columns)
			}
		}
	}
	return s.changeQuestion(ctx, "question_approve", name, func(k *keeper, q *keptQuestion) (*keptQuestion, error) {
		if err := k.mustCurate(); err != nil {
			return nil, err
		}
		switch {
		case q == nil || !k.mayKnow(q):
			return nil, unknownQuestion(name)
		case q.Definition != a.Definition || !slices.Equal(k.mentioned(q.SQL), slices.Sorted(maps.Keys(schemas))) && schemaErr == nil:
			return nil, &api.Error{Code: api.CodeConflict, Kind: api.KindQuestionChanged,
				Message: fmt.Sprintf("the question '%s' has changed since it was looked at", name)}
		case schemaErr != nil:
			return nil, schemaErr
		case len(schemas) == 0:
			return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadQuestion, Message: "the statement names no table of the catalog",
				Hint: "Only what others can read can be approved: a statement over tables of the catalog."}
		}
		q.Schemas, q.Tables = schemas, k.mentioned(q.SQL)
		q.Approved = &api.Approval{By: s.who.User, At: s.core.now().UTC().Truncate(time.Second), NewApproval: a}
		return q, nil
	})
}

// DropQuestion implements api.Knower.
func (s *Session) DropQuestion(ctx context.Context, name string) error {
	_, err := s.changeQuestion(ctx, "question_drop", name, func(k *keeper, q *keptQuestion) (*keptQuestion, error) {
		switch {
		case q == nil || !k.mayKnow(q):
			return nil, unknownQuestion(name)
		case q.owner != s.who.User:
			return nil, k.mustCurate()
		}
		return nil, nil
	})
	return err
}

// changeQuestion changes a question, and audits that it did. change may be called
// again, and returns nil if the question is to be removed.
func (s *Session) changeQuestion(ctx context.Context, action, name string,
	change func(*keeper, *keptQuestion) (*keptQuestion, error)) (*api.SavedQuestion, error) {
	r := s.begin(api.EventAdmin, "")
	r.event.Data.Action = action
	if api.CheckName("name", name) == nil { // anybody could write anything there
		r.event.Data.Subject = name
	}
	var out *api.SavedQuestion
	k, err := s.keeper(ctx)
	if err == nil {
		err = s.core.state.ChangeKnown(ctx, question, name, func(old *state.Known) (*state.Known, error) {
			var q *keptQuestion
			if old != nil {
				var err error
				if q, err = readQuestion(old); err != nil {
					return nil, err
				}
			}
			if q, err = change(k, q); q == nil || err != nil {
				return nil, err
			}
			shown := k.shown(q, func(*table) (*source.Schema, error) { return nil, nil })
			out = &shown
			return q.written()
		})
	}
	return out, r.end(ctx, stateError(err))
}
