package filehttp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/workspace"
)

// Config configures how a server stores files.
type Config struct {
	// Open opens the workspace of an owner; nil: the server does not store files.
	Open func(owner string) (*workspace.Workspace, error)
	// Hosts are the hosts from which files may be downloaded; empty: none.
	Hosts []string
	// Inbox is the folder of whose files users may take copies; empty: none.
	Inbox string
	// Closing is done when the server ends: streams of events end with it. nil: never.
	Closing context.Context //nolint:containedctx // of the server
	// Poll is how often streams look for events; 0: twice a second.
	Poll time.Duration
	// Memory is what decoding the contents of all files may take, in bytes; 0: that
	// of the most contents that are decoded at the same time.
	Memory int64
	// Tables reads files as tables; nil: it is not offered. Scratch is the folder in
	// which they are put for that.
	Tables  TableAt
	Scratch string
	// Calls answers a model's call of a tool that reads files of a view by their paths,
	// in another process. nil: such tools are not offered.
	Calls func(ctx context.Context, data api.Data, view *workspace.Workspace, request json.RawMessage, memory int64,
		say func(string)) (json.RawMessage, error)
	// Wait is how long a request waits until it may decode a content; 0: 20 seconds.
	Wait time.Duration
}

// visit is one request of a caller.
type visit struct {
	*http.Request
	files *workspace.Workspace // or the draft that the request names
	space *openWorkspace
	// about is the file that the request was about, for the audit.
	about api.FileSubject
	ends  []func()
}

// atEnd runs f when the request is over.
func (v *visit) atEnd(f func()) { v.ends = append(v.ends, f) }

func (v *visit) end() {
	for _, f := range slices.Backward(v.ends) {
		f()
	}
}

// reply sends an answer.
type reply func(w http.ResponseWriter, r *http.Request) error

// draft takes the view of the draft that the request names, and of the
// conversation that it is part of.
func (v *visit) draft() (err error) {
	if session := v.Header.Get(wire.HeaderSession); session != "" {
		v.files = v.files.By(session)
	}
	if name := v.param("draft"); name != "" {
		v.files, err = v.files.Draft(name)
	}
	return err
}

func (v *visit) param(name string) string { return v.URL.Query().Get(name) }

// number reads a parameter that is a number; 0: it is not there.
func (v *visit) number(name string) (int64, error) {
	text := v.param(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, bad(api.KindParameter, "parameter '"+name+"' must be a whole number")
	}
	return n, nil
}

func bad(kind, message string) *api.Error {
	return &api.Error{Code: api.CodeBadRequest, Kind: kind, Message: message}
}

// answer sends JSON.
func answer(status int, body any) reply {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // a client that has disconnected needs no answer
		return nil
	}
}

// served is an error as servers send it.
func served(err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	code, ok := asServed[e.Code]
	if !ok {
		return err
	}
	out := *e
	if out.Code = code; e.Code == api.CodeDiskFull {
		out.Message, out.Hint, out.Next = "the server's disk is full", "Nothing was stored. Its operator can make room.", nil
	}
	return &out
}
