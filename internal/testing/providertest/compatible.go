package providertest

import (
	"encoding/json"

	"github.com/agnes-data/da/agent/provider"
)

func decodeCompatible(raw []byte, req *Request) error {
	var in struct {
		Model  string `json:"model"`
		Max    int64  `json:"max_tokens"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			} `json:"function"`
		} `json:"tools"`
		Messages []compatibleMessage `json:"messages"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if err := must(in.Stream && in.Model != "", "stream and model are expected"); err != nil {
		return err
	}
	req.Model, req.MaxTokens = in.Model, in.Max
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, provider.Tool{Name: t.Function.Name, About: t.Function.Description, Schema: t.Function.Parameters})
	}
	for i, m := range in.Messages {
		if m.Role == "system" {
			if err := must(i == 0, "a system message in the middle"); err != nil {
				return err
			}
			req.System = m.Content.text
			continue
		}
		if m.Content.picture != nil { // of the tools before it, whose results are texts
			last := req.Messages[len(req.Messages)-1].Blocks
			if err := must(m.Role == "user" && last[len(last)-1].Result != nil, "a picture without a result"); err != nil {
				return err
			}
			last[len(last)-1].Result.Picture = m.Content.picture
			continue
		}
		role, blocks := m.blocks()
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == role {
			req.Messages[n-1].Blocks = append(req.Messages[n-1].Blocks, blocks...)
		} else {
			req.Messages = append(req.Messages, provider.Message{Role: role, Blocks: blocks})
		}
	}
	return paired(req.Messages)
}

type compatibleMessage struct {
	Role    string `json:"role"`
	Content seen   `json:"content"`
	CallID  string `json:"tool_call_id"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m compatibleMessage) blocks() (provider.Role, []provider.Block) {
	if m.Role == "tool" {
		return provider.User, []provider.Block{{Result: &provider.Result{CallID: m.CallID, Text: m.Content.text}}}
	}
	var blocks []provider.Block
	if m.Content.text != "" {
		blocks = append(blocks, provider.Block{Text: m.Content.text})
	}
	for _, c := range m.Calls {
		blocks = append(blocks, provider.Block{Call: &provider.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}})
	}
	return provider.Role(m.Role), blocks
}

var compatibleReasons = map[provider.Stop]string{provider.StopEnd: "stop", provider.StopCalls: "tool_calls", provider.StopLength: "length",
	provider.StopRefused: "content_filter", provider.StopOther: "bored"}

func encodeCompatible(r Reply) string {
	s := &stream{}
	chunk := func(delta object, reason any) {
		s.event("", object{"id": "c1", "object": "chat.completion.chunk", "model": "test-model", "choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if r.Strange {
		s.WriteString(": a comment\n\nid: 7\nretry: 10\n\n")
		s.event("", object{"object": "weather", "sky": "clear"})
	}
	for _, p := range pieces(r.Thinking) {
		chunk(object{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(r.Text) {
		chunk(object{"content": p}, nil)
	}
	if r.Overload {
		s.event("", object{"error": object{"type": "server_error", "message": "Overloaded"}})
		return s.String()
	}
	for i, c := range r.Calls {
		chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	chunk(object{}, compatibleReasons[r.Stop])
	if r.Usage != (provider.Usage{}) {
		s.event("", object{"choices": []object{}, "usage": compatibleUsage(r)})
	}
	s.WriteString("data: [DONE]\n\n")
	return s.String()
}

func compatibleUsage(r Reply) object {
	return object{"prompt_tokens": r.Usage.Input + r.Usage.CacheRead, "completion_tokens": r.Usage.Output, "prompt_tokens_details": object{"cached_tokens": r.Usage.CacheRead}}
}

// wholeCompatible gives arguments as objects where they are, and no ids.
func wholeCompatible(r Reply) string {
	var calls []object
	for _, c := range r.Calls {
		var arguments any = json.RawMessage(c.Arguments)
		if !json.Valid([]byte(c.Arguments)) {
			arguments = c.Arguments
		}
		calls = append(calls, object{"type": "function", "function": object{"name": c.Name, "arguments": arguments}})
	}
	body, err := json.Marshal(object{"model": "test-model", "usage": compatibleUsage(r),
		"choices": []object{{"message": object{"role": "assistant", "content": r.Text, "tool_calls": calls}, "finish_reason": "stop"}}})
	if err != nil {
		panic(err) // of a test
	}
	return string(body)
}
