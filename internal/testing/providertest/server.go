package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agnes-data/da/agent/provider"
)

// Key is the key that the server asks for.
const Key = "key-of-the-test-0123456789"

// Request is what the server was sent, in the shape of package provider.
type Request struct {
	provider.Request
	Kind  provider.Kind
	Model string
	// Number counts the requests of the server from 1.
	Number int
	Raw    []byte
	Header http.Header
}

// Results returns the results of tools in the last message.
func (r Request) Results() []provider.Result {
	var out []provider.Result
	for _, m := range r.Messages[max(len(r.Messages)-1, 0):] {
		for _, b := range m.Blocks {
			if b.Result != nil {
				out = append(out, *b.Result)
			}
		}
	}
	return out
}

// Reply is what the model answers to one request.
type Reply struct {
	Thinking string
	Text     string
	Calls    []provider.Call
	Stop     provider.Stop // empty: by what there is
	Usage    provider.Usage

	// Status, if not 0, refuses the request with that status, Error and its Type.
	Status      int
	Type, Error string
	Header      http.Header
	// Overload breaks the reply off after its text, with an error in the stream.
	Overload bool
	// CutAt breaks the connection after so many bytes of the body; 0: never.
	CutAt int
	// Piece is the size of the pieces in which the body goes out; 0: one piece.
	Piece int
	// CRLF ends lines with both characters.
	CRLF bool
	// Strange adds events that no protocol has.
	Strange bool
	// Whole answers with one JSON object, as servers do that do not stream.
	Whole bool
	// Hold, if not nil, is waited for before the body goes out; with CutAt, before the connection breaks.
	Hold <-chan struct{}
}

// Call returns a call with these arguments, which are written as JSON.
func Call(id, name string, arguments any) provider.Call {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // of a test
	}
	return provider.Call{ID: id, Name: name, Arguments: string(text)}
}

// Script answers the requests one after the other, and the last reply again when
// none is left.
func Script(replies ...Reply) func(Request) Reply {
	var mu sync.Mutex
	next := 0
	return func(Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		r := replies[min(next, len(replies)-1)]
		next++
		return r
	}
}

// Server is a model behind HTTP.
type Server struct {
	URL   string
	model func(Request) Reply

	mu       sync.Mutex
	requests []Request
}

// NewServer starts a server, which ends with the test.
func NewServer(t testing.TB, model func(Request) Reply) *Server {
	s := &Server{model: model}
	mux := http.NewServeMux()
	for kind, w := range wires {
		mux.HandleFunc("POST "+w.path, func(rw http.ResponseWriter, r *http.Request) { s.answer(rw, r, kind, w) })
	}
	for kind, path := range countPaths {
		mux.HandleFunc("POST "+path, func(rw http.ResponseWriter, r *http.Request) { count(rw, r, wires[kind]) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Options are those of a provider that asks this server.
func (s *Server) Options(kind provider.Kind) provider.Options {
	return provider.Options{Kind: kind, Model: "test-model", BaseURL: s.Base(kind), Key: Key, KeyFrom: "TEST_KEY"}
}

// Base is the base URL for a protocol.
func (s *Server) Base(kind provider.Kind) string { return s.URL + wires[kind].base }

// Requests returns what the server was sent so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// countPaths are where providers count the tokens of a request.
var countPaths = map[provider.Kind]string{provider.Anthropic: "/v1/messages/count_tokens", provider.OpenAI: "/v1/responses/input_tokens"}

// TokensCounted is how many tokens the server counts in any request.
const TokensCounted = 4321

// count refuses what the real ones refuse: fields that are about the reply.
func count(w http.ResponseWriter, r *http.Request, wire wire) {
	var fields object
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil || wire.key(r.Header) != Key {
		refuse(w, Reply{Status: http.StatusBadRequest, Type: "invalid_request_error", Error: "no key, or no object"})
		return
	}
	for _, name := range []string{"stream", "store", "max_tokens", "max_output_tokens", "include"} {
		if _, there := fields[name]; there {
			refuse(w, Reply{Status: http.StatusBadRequest, Type: "invalid_request_error", Error: name + ": Extra inputs are not permitted"})
			return
		}
	}
	_ = json.NewEncoder(w).Encode(object{"input_tokens": TokensCounted}) // as above
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, kind provider.Kind, wire wire) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	req := Request{Kind: kind, Raw: raw, Header: r.Header.Clone()}
	if err := wire.decode(raw, &req); err != nil {
		refuse(w, Reply{Status: http.StatusBadRequest, Type: "invalid_request_error", Error: err.Error()})
		return
	}
	if wire.key(r.Header) != Key {
		refuse(w, Reply{Status: http.StatusUnauthorized, Type: "authentication_error", Error: "Incorrect API key provided: " + Key[:6] + "****" + Key[len(Key)-4:] + " " + wire.key(r.Header)})
		return
	}
	s.mu.Lock()
	req.Number = len(s.requests) + 1
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	reply := s.model(req)
	if reply.Stop == "" {
		reply.Stop = provider.StopEnd
		if len(reply.Calls) > 0 {
			reply.Stop = provider.StopCalls
		}
	}
	if reply.Hold != nil && reply.CutAt == 0 {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // a client that has gone ends by its context
		select {
		case <-reply.Hold:
		case <-r.Context().Done():
			return
		}
	}
	if reply.Status != 0 {
		refuse(w, reply)
		return
	}
	send(w, r, reply, wire)
}

func refuse(w http.ResponseWriter, reply Reply) {
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	body, _ := json.Marshal(object{"type": "error", "error": object{"type": reply.Type, "code": reply.Type, "message": reply.Error}})
	_, _ = w.Write(body) // who has gone needs no answer
}

// send writes the body of a reply as the reply says.
func send(w http.ResponseWriter, r *http.Request, reply Reply, wire wire) {
	body, kind := wire.encode(reply), "text/event-stream; charset=utf-8"
	if reply.Whole {
		body, kind = wire.whole(reply), "application/json"
	}
	if reply.CRLF {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	broken := reply.CutAt > 0 && reply.CutAt < len(body)
	if broken {
		body = body[:reply.CutAt]
	}
	w.Header().Set("Content-Type", kind)
	out := http.NewResponseController(w)
	for len(body) > 0 {
		n := len(body)
		if reply.Piece > 0 {
			n = min(n, reply.Piece)
		}
		if _, err := io.WriteString(w, body[:n]); err != nil {
			return
		}
		_ = out.Flush() // as above
		body = body[n:]
	}
	if broken {
		if reply.Hold != nil {
			select {
			case <-reply.Hold:
			case <-r.Context().Done():
			}
		}
		panic(http.ErrAbortHandler) // the way to break a connection
	}
}
