package providertest

import (
	"encoding/json"
	"regexp"

	"github.com/agnes-data/da/agent/provider"
)

// anthropicID is what the protocol allows as the id of a call.
var anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func decodeAnthropic(raw []byte, req *Request) error {
	var in struct {
		Model     string `json:"model"`
		MaxTokens int64  `json:"max_tokens"`
		Stream    bool   `json:"stream"`
		System    []struct {
			Text string `json:"text"`
		} `json:"system"`
		Tools []struct {
			Name, Description string
			Schema            json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Messages []struct {
			Role    provider.Role     `json:"role"`
			Content []json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if err := must(in.Stream && in.MaxTokens > 0 && in.Model != "", "stream, max_tokens and model are required"); err != nil {
		return err
	}
	req.Model, req.MaxTokens = in.Model, in.MaxTokens
	for _, s := range in.System {
		req.System += s.Text
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, provider.Tool{Name: t.Name, About: t.Description, Schema: t.Schema})
	}
	for _, m := range in.Messages {
		message := provider.Message{Role: m.Role}
		for _, c := range m.Content {
			b, err := anthropicBlock(c)
			if err != nil {
				return err
			}
			message.Blocks = append(message.Blocks, b)
		}
		req.Messages = append(req.Messages, message)
	}
	return paired(req.Messages)
}

func anthropicBlock(raw json.RawMessage) (provider.Block, error) {
	var c struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		Content   seen            `json:"content"`
		IsError   bool            `json:"is_error"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return provider.Block{}, err
	}
	switch c.Type {
	case "text":
		return provider.Block{Text: c.Text}, must(c.Text != "", "an empty text")
	case "tool_use":
		return provider.Block{Call: &provider.Call{ID: c.ID, Name: c.Name, Arguments: string(c.Input)}},
			must(anthropicID.MatchString(c.ID) && len(c.Input) > 0 && c.Input[0] == '{', "tool_use: %s", raw)
	case "tool_result":
		return provider.Block{Result: &provider.Result{CallID: c.ToolUseID, Text: c.Content.text, Failed: c.IsError, Picture: c.Content.picture}}, nil
	case "thinking", "redacted_thinking":
		return provider.Block{Opaque: &provider.Opaque{From: provider.Anthropic, Raw: raw}}, nil
	}
	return provider.Block{}, must(false, "an unknown block: %s", raw)
}

func encodeAnthropic(r Reply) string {
	s := &stream{named: true}
	u := r.Usage
	s.event("message_start", object{"message": object{"id": "msg_1", "model": "test-model", "usage": object{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": 1}}})
	s.event("ping", object{})
	if r.Strange {
		s.event("weather", object{"sky": "clear"})
	}
	index := 0
	block := func(start object, deltas []object) {
		s.event("content_block_start", object{"index": index, "content_block": start})
		for _, d := range deltas {
			s.event("content_block_delta", object{"index": index, "delta": d})
		}
		s.event("content_block_stop", object{"index": index})
		index++
	}
	deltas := func(kind, field, text string) (out []object) {
		for _, p := range pieces(text) {
			out = append(out, object{"type": kind, field: p})
		}
		return out
	}
	if r.Thinking != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", r.Thinking), object{"type": "signature_delta", "signature": "c2lnbmVk"}))
		block(object{"type": "redacted_thinking", "data": "aGlkZGVu"}, nil)
	}
	if r.Text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", r.Text))
	}
	if r.Overload {
		s.event("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
		return s.String()
	}
	for _, c := range r.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas("input_json_delta", "partial_json", c.Arguments))
	}
	reason := map[provider.Stop]string{provider.StopEnd: "end_turn", provider.StopCalls: "tool_use", provider.StopLength: "max_tokens",
		provider.StopRefused: "refusal", provider.StopPaused: "pause_turn", provider.StopOther: "bored"}[r.Stop]
	s.event("message_delta", object{"delta": object{"stop_reason": reason}, "usage": object{"output_tokens": u.Output}})
	s.event("message_stop", object{})
	return s.String()
}
