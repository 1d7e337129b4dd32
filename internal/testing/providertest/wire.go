package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/agnes-data/da/agent/provider"
)

type object = map[string]any

// wire is how the server speaks one protocol.
type wire struct {
	base, path string
	key        func(http.Header) string
	decode     func([]byte, *Request) error
	encode     func(Reply) string // the stream
	whole      func(Reply) string // one JSON object; nil: the protocol always streams here
}

var wires = map[provider.Kind]wire{
	provider.Anthropic:  {"", "/v1/messages", func(h http.Header) string { return h.Get("X-Api-Key") }, decodeAnthropic, encodeAnthropic, nil},
	provider.OpenAI:     {"/v1", "/v1/responses", bearer, decodeOpenAI, encodeOpenAI, nil},
	provider.Compatible: {"/v1", "/v1/chat/completions", bearer, decodeCompatible, encodeCompatible, wholeCompatible},
}

func bearer(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") }

// stream writes events.
type stream struct {
	strings.Builder
	named bool // events have a line with their name
	count int
}

func (s *stream) event(kind string, fields object) {
	if kind != "" {
		fields["type"] = kind
	}
	if s.named {
		fmt.Fprintf(s, "event: %s\n", kind)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err) // of a test
	}
	fmt.Fprintf(s, "data: %s\n\n", data)
	s.count++
}

// pieces cuts a text as models do: in the middle of words, never of a character.
func pieces(text string) []string {
	var out []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(3+len(out)%5, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// must refuses a request that is not as the protocol wants it.
func must(ok bool, format string, a ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, a...)
}

// paired checks that each call has one result, in the next message.
func paired(messages []provider.Message) error {
	open := map[string]bool{}
	for i, m := range messages {
		results := 0
		for _, b := range m.Blocks {
			if b.Result == nil {
				continue
			}
			if !open[b.Result.CallID] {
				return fmt.Errorf("message %d: a result for %q, which no call has", i, b.Result.CallID)
			}
			delete(open, b.Result.CallID)
			results++
		}
		if len(open) > 0 && (results > 0 || m.Role == provider.User) {
			return fmt.Errorf("message %d: calls without a result: %v", i, open)
		}
		for _, b := range m.Blocks {
			if b.Call != nil {
				if open[b.Call.ID] {
					return fmt.Errorf("message %d: two calls %q", i, b.Call.ID)
				}
				open[b.Call.ID] = true
			}
		}
	}
	return must(len(open) == 0, "calls without a result: %v", open)
}
