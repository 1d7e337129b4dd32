package agenthttp

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/rows/wire"
)

// sharing are the routes of conversations that others may look at.
func (s *Server) sharing() []Route {
	const path = "/api/agent/shared/{owner}/{id}"
	return []Route{
		{http.MethodPost, "/api/agent/share", "ShareConversation", "SharedConversation", "Shares what a conversation of the caller has said until now with all who may read its tables whole, or ends that.", s.with(s.share), nil},
		{http.MethodGet, path, "", "ConversationRecords", "A conversation that somebody shared, for a caller who may read all of the tables that are named in it; else as if there were none.", s.with(s.showShared), nil},
		{http.MethodGet, path + "/shown/{message}", "", "Event", "A table or chart that was shown in it.", s.with(s.shownShared), nil},
		{http.MethodGet, path + "/receipts/{turn}", "", "the receipt", "What the figures of an answer in it rest on.", s.with(s.receiptShared), nil},
	}
}

func (s *Server) share(v visit) error {
	var in ShareConversation
	if err := wire.DecodeBody(v.r.Body, &in); err != nil {
		return err
	}
	if v.data.FileOwner == nil {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindNotShared, Message: "only a server can share conversations"}
	}
	out := SharedConversation{Conversation: in.Conversation, Owner: v.data.Folder(), Tables: []string{}}
	action, restsOn := "unshare", (func([]conversation.Record) (*conversation.Shared, error))(nil)
	if in.Shared {
		action, restsOn = "share", v.restsOn
	}
	over, err := v.store.Share(in.Conversation, restsOn)
	if over != nil {
		for _, t := range over.Tables {
			out.Tables = append(out.Tables, t.ID)
		}
	}
	if err := v.data.NoteFile(v.r.Context(), action, api.FileSubject{ID: "conversation " + in.Conversation}, err); err != nil {
		return err
	}
	return v.answer(out)
}

// restsOn returns the tables of a conversation with the columns that its owner may read.
func (v visit) restsOn(records []conversation.Record) (*conversation.Shared, error) {
	list, err := v.data.Tables(v.r.Context())
	if err != nil {
		return nil, err
	}
	for _, id := range conversation.Tables(records) { // nobody could be asked for the rights to it
		if !slices.ContainsFunc(list.Tables, func(t api.Table) bool { return t.ID == id }) {
			return nil, &api.Error{Code: api.CodeForbidden, Kind: api.KindNotShared, Hint: "Begin another one without it.",
				Message: fmt.Sprintf("the conversation cannot be shared: you may not read '%s' any more, on which it rests", id)}
		}
	}
	over := &conversation.Shared{Tables: []conversation.SharedTable{}}
	for _, table := range conversation.Mentions(records, list.Tables) {
		schema, err := v.data.Schema(v.r.Context(), table)
		if err != nil {
			return nil, err
		}
		t := conversation.SharedTable{ID: table}
		for _, c := range schema.Columns {
			t.Columns = append(t.Columns, c.Name)
		}
		over.Tables = append(over.Tables, t)
	}
	return over, nil
}

// sharedPart reads a conversation of somebody else, under the rights of now. A caller who
// may not read one of its tables, or a column or row of it, is told that there is no such
// conversation.
func (s *Server) sharedPart(v visit) (conversation.Store, []conversation.Record, error) {
	owner, id := v.r.PathValue("owner"), v.r.PathValue("id")
	none := &api.Error{Code: api.CodeForbidden, Kind: api.KindNotShared,
		Message: "there is no conversation here that is shared with you",
		Hint:    "It may rest on tables of which you may not read all, or its owner shares it no longer."}
	if len(owner) < 16 || !store.IsHex(owner, len(owner)) {
		return conversation.Store{}, nil, none
	}
	kept := s.Store(owner)
	over, records, err := kept.SharedPart(id)
	if err != nil {
		return kept, nil, none
	}
	for _, t := range over.Tables {
		if whole, err := v.readsWhole(t); err != nil {
			return kept, nil, err
		} else if !whole {
			return kept, nil, none
		}
	}
	return kept, records, nil
}

// readsWhole reports whether the caller may read these columns of a table together, in
// all of its rows, and none of them masked. A sample says that: it is what the widest
// columns show together, while a schema shows each column as the grants do by itself.
func (v visit) readsWhole(t conversation.SharedTable) (bool, error) {
	schema, err := v.data.Schema(v.r.Context(), t.ID)
	if err != nil {
		return false, v.r.Context().Err()
	}
	sample, err := v.data.Sample(v.r.Context(), t.ID, 1)
	if err != nil {
		return false, v.r.Context().Err()
	}
	return !sample.RowRule && !slices.ContainsFunc(t.Columns, func(name string) bool {
		return !slices.Contains(sample.Columns, name) ||
			slices.ContainsFunc(schema.Columns, func(c api.Column) bool { return c.Name == name && c.Masked != "" }) ||
			slices.ContainsFunc(sample.Caveats, func(c api.Caveat) bool {
				return c.Kind == api.CaveatHidden && slices.Contains(c.About.Columns, name)
			})
	}), nil
}

func (s *Server) showShared(v visit) error {
	_, records, err := s.sharedPart(v)
	if err != nil {
		return err
	}
	return v.answer(ConversationRecords{conversation.Describe(records), conversation.WithoutNames(records)})
}

func (s *Server) shownShared(v visit) error {
	kept, records, err := s.sharedPart(v)
	if err != nil {
		return err
	}
	message := v.r.PathValue("message")
	if !slices.ContainsFunc(records, func(r conversation.Record) bool { return r.MessageID == message }) {
		message = "" // it is of later
	}
	return v.sendShown(kept, message)
}

func (s *Server) receiptShared(v visit) error {
	_, records, err := s.sharedPart(v)
	if err != nil {
		return err
	}
	_, turn, err := receipt.ParseID(cmp.Or(v.r.PathValue("id"), "x") + "-" + v.r.PathValue("turn"))
	if err != nil {
		return err
	}
	r, err := receipt.Of(records, turn)
	if err != nil {
		return err
	}
	return v.answer(r)
}
