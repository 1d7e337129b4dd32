package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

// Run holds that provider.New answers for kind as every provider must.
func Run(t *testing.T, kind provider.Kind) {
	s := suite{kind: kind}
	for name, test := range map[string]func(*testing.T){
		"Text": s.text, "Calls": s.calls, "BrokenArguments": s.brokenArguments, "RepeatedIDs": s.repeatedIDs, "Thinking": s.thinking,
		"OtherProvidersThinking": s.foreignThinking, "Stops": s.stops, "Pieces": s.pieces, "CutAnywhere": s.cutAnywhere, "Overload": s.overload,
		"Retries": s.retries, "Refusals": s.refusals, "Key": s.key, "Silence": s.silence, "Cancel": s.cancel, "Strange": s.strange,
	} {
		t.Run(name, test)
	}
}

type suite struct{ kind provider.Kind }

// asks is a provider with its server, and the pauses that it made.
type asks struct {
	*Server
	provider.Provider
	pauses *[]time.Duration
}

func (s suite) asks(t *testing.T, model func(Request) Reply, change ...func(*provider.Options)) asks {
	t.Helper()
	a := asks{Server: NewServer(t, model), pauses: &[]time.Duration{}}
	o := a.Options(s.kind)
	o.Wait = func(ctx context.Context, d time.Duration) error { *a.pauses = append(*a.pauses, d); return ctx.Err() }
	for _, c := range change {
		c(&o)
	}
	p, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	a.Provider = p
	return a
}

// told collects what arrives, anew after each break.
type told struct {
	text, thinking strings.Builder
	breaks         int
}

func (d *told) say(x provider.Delta) {
	if x.Again {
		d.text.Reset()
		d.thinking.Reset()
		d.breaks++
	}
	d.text.WriteString(x.Text)
	d.thinking.WriteString(x.Thinking)
}

func question(text string) provider.Request {
	return provider.Request{System: "You are a test.", MaxTokens: 1000, Messages: []provider.Message{{Role: provider.User, Blocks: []provider.Block{{Text: text}}}},
		Tools: []provider.Tool{{Name: "look", About: "Look <here>.", Schema: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}}}`)}}}
}

// next is the request after a reply whose calls all got the same result.
func next(req provider.Request, r provider.Reply, result string) provider.Request {
	results := provider.Message{Role: provider.User}
	for _, c := range r.Calls() {
		results.Blocks = append(results.Blocks, provider.Block{Result: &provider.Result{CallID: c.ID, Text: result}})
	}
	results.Blocks = append(results.Blocks, provider.Block{Text: "And now?"})
	req.Messages = append(append([]provider.Message(nil), req.Messages...), provider.Message{Role: provider.Assistant, Blocks: r.Blocks}, results)
	return req
}

func (a asks) must(t *testing.T, req provider.Request) (provider.Reply, *told) {
	t.Helper()
	d := &told{}
	r, err := a.Send(t.Context(), req, d.say)
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

const odd = "Zürich \"<b>\" 日本 👩‍👩‍👧\n\tdata: x\r\nevent: y"

func (s suite) text(t *testing.T) {
	usage := provider.Usage{Input: 120, CacheRead: 30, Output: 7}
	a := s.asks(t, Script(Reply{Text: odd, Usage: usage}))
	r, d := a.must(t, question("What "+odd))
	if r.Text() != odd || d.text.String() != odd || r.Stop != provider.StopEnd || r.Usage != usage || r.Model != "test-model" {
		t.Errorf("reply %+v, told %q", r, d.text.String())
	}
	got := a.Requests()[0]
	want := question("What " + odd)
	if got.System != want.System || !reflect.DeepEqual(got.Messages, want.Messages) || got.MaxTokens != 1000 || got.Model != "test-model" || len(got.Tools) != 1 ||
		got.Tools[0].Name != "look" || got.Tools[0].About != want.Tools[0].About || string(got.Tools[0].Schema) != string(want.Tools[0].Schema) {
		t.Errorf("the server got %+v", got.Request)
	}
	if a.must2(t, Reply{Text: "x"}, s); len(*a.pauses) > 0 {
		t.Errorf("it waited %v", *a.pauses)
	}
}

// must2 asks for a reply without counts: there are some nevertheless, which are
// not too low.
func (a asks) must2(t *testing.T, reply Reply, s suite) {
	t.Helper()
	r, _ := s.asks(t, Script(reply)).must(t, question("x"))
	if s.kind == provider.Compatible && (!r.Usage.Estimated || r.Usage.Input < 100 || r.Usage.Output < 1) {
		t.Errorf("without counts: %+v", r.Usage)
	}
}

func (s suite) calls(t *testing.T) {
	first := Reply{Text: "Let me see.", Calls: []provider.Call{Call("a1", "look", object{"at": odd}), Call("a2", "look", object{}), {ID: "a3", Name: "unknown_tool", Arguments: "{}"}}}
	a := s.asks(t, Script(first, Reply{Text: "done"}))
	req := question("x")
	r, _ := a.must(t, req)
	if !reflect.DeepEqual(r.Calls(), first.Calls) || r.Stop != provider.StopCalls || r.Text() != first.Text {
		t.Fatalf("reply %+v", r)
	}
	a.must(t, next(req, r, "seen "+odd))
	last := a.Requests()[1].Messages
	results := (Request{Request: provider.Request{Messages: last}}).Results()
	if len(results) != 3 || results[1].CallID != "a2" || results[1].Text != "seen "+odd {
		t.Errorf("results %+v", results)
	}
}

func (s suite) brokenArguments(t *testing.T) {
	broken := []provider.Call{{ID: "a1", Name: "look", Arguments: `{"at": "no end`}, {ID: "a2", Name: "look", Arguments: `[1]`}}
	a := s.asks(t, Script(Reply{Calls: broken}, Reply{Text: "sorry"}))
	req := question("x")
	r, _ := a.must(t, req)
	if !reflect.DeepEqual(r.Calls(), broken) {
		t.Fatalf("calls %+v", r.Calls())
	}
	if r, _ = a.must(t, next(req, r, "that is not JSON")); r.Text() != "sorry" {
		t.Errorf("reply %+v", r)
	}
}

func (s suite) repeatedIDs(t *testing.T) {
	a := s.asks(t, Script(Reply{Calls: []provider.Call{Call("x", "look", object{}), Call("x", "look", object{}), Call("", "look", object{})}}, Reply{Text: "done"}))
	req := question("x")
	r, _ := a.must(t, req)
	ids := map[string]bool{}
	for _, c := range r.Calls() {
		ids[c.ID] = true
	}
	if len(ids) != 3 || ids[""] {
		t.Fatalf("calls %+v", r.Calls())
	}
	a.must(t, next(req, r, "seen"))
}

func (s suite) thinking(t *testing.T) {
	a := s.asks(t, Script(Reply{Thinking: "hm " + odd, Text: "I look.", Calls: []provider.Call{Call("a1", "look", object{})}}, Reply{Text: "done"}))
	req := question("x")
	r, d := a.must(t, req)
	if d.thinking.String() != "hm "+odd || r.Text() != "I look." {
		t.Errorf("thought %q, said %q", d.thinking.String(), r.Text())
	}
	a.must(t, next(req, r, "seen"))
	var sent, got []string
	for _, b := range r.Blocks {
		if b.Opaque != nil {
			sent = append(sent, canonical(t, b.Opaque.Raw))
		}
	}
	for _, b := range a.Requests()[1].Messages[1].Blocks {
		if b.Opaque != nil {
			got = append(got, canonical(t, b.Opaque.Raw))
		}
	}
	if !reflect.DeepEqual(sent, got) || s.kind != provider.Compatible && len(got) == 0 {
		t.Errorf("thinking went back as %q, and came as %q", got, sent)
	}
}

func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func (s suite) foreignThinking(t *testing.T) {
	a := s.asks(t, Script(Reply{Text: "done"}))
	req := question("x")
	r := provider.Reply{Blocks: []provider.Block{{Opaque: &provider.Opaque{From: "another", Raw: json.RawMessage(`{"type":"secret"}`)}}, {Call: &provider.Call{ID: "a:1.b", Name: "look", Arguments: "{}"}}}}
	a.must(t, next(req, r, "seen"))
	if strings.Contains(string(a.Requests()[0].Raw), "secret") {
		t.Error("a block of another provider was sent")
	}
}

func (s suite) stops(t *testing.T) {
	for _, stop := range []provider.Stop{provider.StopEnd, provider.StopLength, provider.StopRefused, provider.StopOther} {
		r, _ := s.asks(t, Script(Reply{Text: "so far", Stop: stop})).must(t, question("x"))
		if r.Stop != stop || r.Text() != "so far" || r.StopDetail == "" && stop != provider.StopEnd {
			t.Errorf("%s: reply %+v", stop, r)
		}
	}
}

// full is a reply with a bit of everything.
func full() Reply {
	return Reply{Thinking: "hm", Text: "Zü日", Calls: []provider.Call{Call("a1", "look", object{"at": "日"}), Call("a2", "look", object{})}, Usage: provider.Usage{Input: 9, Output: 5}}
}

func (s suite) pieces(t *testing.T) {
	want, _ := s.asks(t, Script(full())).must(t, question("x"))
	for _, piece := range []int{1, 2, 3, 7, 64} {
		for _, crlf := range []bool{false, true} {
			reply := full()
			reply.Piece, reply.CRLF = piece, crlf
			if r, _ := s.asks(t, Script(reply)).must(t, question("x")); !reflect.DeepEqual(r, want) {
				t.Errorf("in pieces of %d bytes: %+v, not %+v", piece, r, want)
			}
		}
	}
}

// cutAnywhere breaks the connection after every second byte of a reply. What comes out
// in the end is the whole reply.
func (s suite) cutAnywhere(t *testing.T) {
	want, _ := s.asks(t, Script(full())).must(t, question("x"))
	var reply Reply
	next := 0
	a := s.asks(t, func(Request) Reply {
		if next++; next%2 == 1 {
			return reply
		}
		return full()
	})
	for at := 1; at < len(wires[s.kind].encode(withStop(full()))); at += 2 {
		next, reply = 0, full()
		reply.CutAt = at
		r, d := a.must(t, question("x"))
		if r.Usage.Estimated { // only what counts it was cut off
			r.Usage = want.Usage
		}
		if !reflect.DeepEqual(r, want) || d.text.String() != "Zü日" {
			t.Fatalf("cut after %d bytes: %+v, told %q", at, r, d.text.String())
		}
		if d.breaks != next-1 {
			t.Fatalf("cut after %d bytes: %d requests, %d breaks told", at, next, d.breaks)
		}
	}
}

func withStop(r Reply) Reply {
	r.Stop = provider.StopCalls
	return r
}

func (s suite) overload(t *testing.T) {
	r, d := s.asks(t, Script(Reply{Text: "half", Overload: true}, Reply{Text: "whole"})).must(t, question("x"))
	if r.Text() != "whole" || d.text.String() != "whole" || d.breaks != 1 {
		t.Errorf("reply %+v, told %+v", r, d)
	}
	_, err := s.asks(t, Script(Reply{Text: "half", Overload: true})).Send(t.Context(), question("x"), nil)
	if !api.CodeUnavailable.Is(err) {
		t.Errorf("always overloaded: %v", err)
	}
}

func (s suite) retries(t *testing.T) {
	for _, status := range []int{408, 409, 429, 500, 502, 503, 504, 529} {
		a := s.asks(t, Script(Reply{Status: status, Type: "overloaded_error", Error: "busy", Header: http.Header{"Retry-After": {"7"}}}, Reply{Text: "there"}))
		if r, _ := a.must(t, question("x")); r.Text() != "there" || len(*a.pauses) != 1 || (*a.pauses)[0] != 7*time.Second {
			t.Errorf("status %d: %+v after %v", status, r, *a.pauses)
		}
	}
	a := s.asks(t, Script(Reply{Status: 529, Error: "busy"}))
	_, err := a.Send(t.Context(), question("x"), nil)
	if !api.CodeUnavailable.Is(err) || !strings.Contains(err.Error(), "busy") || len(a.Requests()) != provider.DefaultTries {
		t.Errorf("after %d tries: %v", len(a.Requests()), err)
	}
	for i, p := range *a.pauses {
		if full := time.Second << i; p < full/2 || p > full {
			t.Errorf("pause %d is %v", i, p)
		}
	}
	a = s.asks(t, Script(Reply{Status: 429, Error: "busy", Header: http.Header{"Retry-After": {"3600"}}}))
	_, err = a.Send(t.Context(), question("x"), nil)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeQuota || e.Details["retry_after_seconds"] != 3600 || len(a.Requests()) != 1 {
		t.Errorf("an hour to wait: %+v", e)
	}
}

func (s suite) refusals(t *testing.T) {
	for _, c := range []struct {
		reply Reply
		code  api.Code
		kind  string
	}{
		{Reply{Status: 400, Type: "invalid_request_error", Error: "tools: bad"}, api.CodeBadRequest, ""},
		{Reply{Status: 400, Type: "invalid_request_error", Error: "prompt is too long: 9 tokens > 8 maximum"}, api.CodeBadRequest, api.KindContextTooLong},
		{Reply{Status: 400, Type: "context_length_exceeded", Error: "no"}, api.CodeBadRequest, api.KindContextTooLong},
		{Reply{Status: 404, Error: "no such model"}, api.CodeConfig, ""},
		{Reply{Status: 429, Type: "insufficient_quota", Error: "pay"}, api.CodeQuota, ""},
		{Reply{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}}, api.CodeConfig, ""},
	} {
		a := s.asks(t, Script(c.reply))
		_, err := a.Send(t.Context(), question("x"), nil)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Kind != c.kind || len(a.Requests()) != 1 {
			t.Errorf("status %d: %v after %d requests", c.reply.Status, err, len(a.Requests()))
		}
	}
}

// key holds that the key is in its header and nowhere else, whatever is said of it.
func (s suite) key(t *testing.T) {
	a := s.asks(t, Script(Reply{Text: "x"}, Reply{Status: 400, Error: "bad key " + Key + " or " + Key[:6] + "***"}))
	a.must(t, question("x"))
	if strings.Contains(string(a.Requests()[0].Raw), Key) {
		t.Error("the key is in the body")
	}
	_, quoted := a.Send(t.Context(), question("x"), nil)
	wrong := s.asks(t, Script(Reply{Text: "x"}), func(o *provider.Options) { o.Key = "wrong-secret-key" })
	_, refused := wrong.Send(t.Context(), question("x"), nil)
	for _, err := range []error{quoted, refused} {
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), Key[:6]) {
			t.Errorf("an error says %v", err)
		}
	}
	if !api.CodeUnauthorized.Is(refused) {
		t.Errorf("a wrong key: %v", refused)
	}
}

func (s suite) silence(t *testing.T) {
	a := s.asks(t, Script(Reply{Text: "late", Hold: make(chan struct{})}), func(o *provider.Options) { o.Silence, o.Tries = time.Millisecond, 1 })
	if _, err := a.Send(t.Context(), question("x"), nil); !api.CodeStalled.Is(err) {
		t.Errorf("a model that says nothing: %v", err)
	}
	a = s.asks(t, Script(Reply{Text: "x"}), func(o *provider.Options) { o.BaseURL, o.Tries = "http://127.0.0.1:1", 2 })
	if _, err := a.Send(t.Context(), question("x"), nil); !api.CodeUnreachable.Is(err) || len(*a.pauses) != 1 {
		t.Errorf("nobody there: %v", err)
	}
}

func (s suite) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := s.asks(t, func(Request) Reply { cancel(); return Reply{Text: "late", Hold: make(chan struct{})} })
	if _, err := a.Send(ctx, question("x"), nil); !api.CodeInterrupted.Is(err) || len(a.Requests()) != 1 {
		t.Errorf("cancelled: %v after %d requests", err, len(a.Requests()))
	}
}

func (s suite) strange(t *testing.T) {
	reply := full()
	reply.Strange = true
	r, _ := s.asks(t, Script(reply)).must(t, question("x"))
	if r.Text() != "Zü日" || len(r.Calls()) != 2 {
		t.Errorf("with events that nobody knows: %+v", r)
	}
	if s.kind != provider.Compatible && (len(r.Unknown) != 1 || !strings.Contains(string(r.Unknown[0]), "sky")) {
		t.Errorf("unknown events: %q", r.Unknown)
	}
}
