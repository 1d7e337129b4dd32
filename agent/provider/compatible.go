package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agnes-data/da/api"
)

// compatible is the Chat Completions protocol. It tolerates what servers omit or
// do differently: ids and indexes of calls, arguments as objects, counts of
// tokens, and streams.
type compatible struct{}

func (compatible) home() string { return "" }
func (compatible) path() string { return "/chat/completions" }

func (compatible) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

func (compatible) counting() (string, []string) { return "", nil }

// body implements protocol.
func (compatible) body(model string, req Request) object {
	messages := []object{}
	if req.System != "" {
		messages = append(messages, object{"role": "system", "content": req.System})
	}
	for _, m := range req.Messages {
		messages = append(messages, compatibleMessages(m)...)
	}
	out := object{
		"model": model, "stream": true, "stream_options": object{"include_usage": true}, "max_tokens": req.MaxTokens, "messages": messages,
	}
	var tools []object
	for _, t := range req.Tools {
		tools = append(tools, object{"type": "function", "function": object{"name": t.Name, "description": t.About, "parameters": t.Schema}})
	}
	if len(tools) > 0 {
		out["tools"] = tools
	}
	return out
}

// compatibleMessages converts one message to the protocol: each result becomes a
// separate message before the text that comes with it.
func compatibleMessages(m Message) []object {
	var out, pictures []object
	var text strings.Builder
	var calls []object
	for _, b := range m.Blocks {
		switch {
		case b.Result != nil:
			out = append(out, object{"role": "tool", "tool_call_id": b.Result.CallID, "content": b.Result.Text})
			if url := b.Result.inURL(); url != "" {
				pictures = append(pictures, object{"type": "image_url", "image_url": object{"url": url}})
			}
		case b.Call != nil:
			calls = append(calls, object{"id": b.Call.ID, "type": "function",
				"function": object{"name": b.Call.Name, "arguments": b.Call.Arguments}})
		default:
			if text.Len() > 0 {
				text.WriteString("\n\n")
			}
			text.WriteString(b.Text)
		}
	}
	if len(pictures) > 0 { // results of this protocol are texts alone
		pictures = append([]object{{"type": "text", "text": "the pictures that the tools have drawn, in order"}}, pictures...)
		out = append(out, object{"role": User, "content": pictures})
	}
	if text.Len() == 0 && len(calls) == 0 {
		return out
	}
	message := object{"role": m.Role, "content": text.String()}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return append(out, message)
}

func (compatible) read() reader { return &compatibleReader{} }

type compatibleReader struct {
	reply  Reply
	text   strings.Builder
	calls  []*compatibleCall
	reason string
	ended  bool
}

// compatibleCall is a call on its way.
type compatibleCall struct {
	index     int
	id, name  string
	arguments strings.Builder
}

type compatibleDelta struct {
	Content   string `json:"content"`
	Refusal   string `json:"refusal"`
	Reasoning string `json:"reasoning"`
	Thinking  string `json:"reasoning_content"`
	Calls     []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// take implements reader.
func (r *compatibleReader) take(ev event, say func(Delta)) error {
	var in struct {
		Model   string `json:"model"`
		Choices []struct {
			Delta   compatibleDelta `json:"delta"`
			Message compatibleDelta `json:"message"` // of a server that does not stream
			Reason  string          `json:"finish_reason"`
		} `json:"choices"`
		Usage *struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
			Details    struct {
				Cached int64 `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if string(ev.data) == "[DONE]" {
		r.ended = true
		return errEnd
	}
	if err := json.Unmarshal(ev.data, &in); err != nil {
		return cut(err)
	}
	if len(in.Error) > 0 && string(in.Error) != "null" {
		return complaintOf(ev.data).broken()
	}
	if in.Model != "" {
		r.reply.Model = in.Model
	}
	if u := in.Usage; u != nil {
		r.reply.Usage = Usage{Input: u.Prompt - u.Details.Cached, CacheRead: u.Details.Cached, Output: u.Completion}
	}
	for _, c := range in.Choices {
		if err := errors.Join(r.delta(c.Delta, say), r.delta(c.Message, say)); err != nil {
			return err
		}
		if c.Reason != "" {
			r.reason = c.Reason
		}
	}
	return nil
}

// delta takes a piece of a message.
func (r *compatibleReader) delta(d compatibleDelta, say func(Delta)) error {
	if thought := d.Reasoning + d.Thinking; thought != "" {
		say(Delta{Thinking: thought})
	}
	if text := d.Content + d.Refusal; text != "" {
		r.text.WriteString(text)
		say(Delta{Text: text})
	}
	if d.Refusal != "" {
		r.reply.StopDetail = "refusal"
	}
	for i, c := range d.Calls {
		if len(r.calls) > maxCalls {
			return &api.Error{Code: api.CodeReadFailed, Kind: api.KindTooManyCalls,
				Message: fmt.Sprintf("the model asks for more than %d calls in one reply", maxCalls),
				Hint:    "Ask again in another way, or use another model."}
		}
		index := len(r.calls)
		switch {
		case c.Index != nil:
			index = *c.Index
		case c.ID == "" && c.Function.Name == "" && index > 0:
			index = r.calls[index-1].index // more of the last one
		default:
			index += i
		}
		call := r.call(index, c.ID, c.Function.Name)
		if c.ID != "" {
			call.id = c.ID
		}
		if c.Function.Name != "" {
			call.name = c.Function.Name
		}
		var text string
		if json.Unmarshal(c.Function.Arguments, &text) != nil {
			text = string(c.Function.Arguments) // a complete object
		}
		call.arguments.WriteString(text)
	}
	return nil
}

// maxCalls limits the calls of a reply: each piece is compared with those before it.
const maxCalls = 1000

// call returns the call with an index. A server that gives all calls the same
// index starts a new call by sending another id and a name.
func (r *compatibleReader) call(index int, id, name string) *compatibleCall {
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := r.calls[i]
		if c.index != index {
			continue
		}
		if id != "" && c.id != "" && id != c.id && name != "" {
			break
		}
		return c
	}
	c := &compatibleCall{index: index}
	r.calls = append(r.calls, c)
	return c
}

// finish implements reader. A stream can end without its end mark if it has said
// why the reply ends.
func (r *compatibleReader) finish() (Reply, bool) {
	reply := r.reply
	if r.text.Len() > 0 {
		reply.Blocks = append(reply.Blocks, Block{Text: r.text.String()})
	}
	for _, c := range r.calls {
		arguments := c.arguments.String()
		if arguments == "" {
			arguments = "{}"
		}
		reply.Blocks = append(reply.Blocks, Block{Call: &Call{ID: c.id, Name: c.name, Arguments: arguments}})
	}
	refused := reply.StopDetail != ""
	if reply.StopDetail == "" {
		reply.StopDetail = r.reason
	}
	switch {
	case refused || r.reason == "content_filter":
		reply.Stop = StopRefused
	case r.reason == "length":
		reply.Stop = StopLength
	case len(r.calls) > 0:
		reply.Stop = StopCalls
	case r.reason == "stop" || r.reason == "":
		reply.Stop = StopEnd
	default:
		reply.Stop = StopOther
	}
	return reply, r.reason != "" && (r.ended || len(reply.Blocks) > 0)
}
