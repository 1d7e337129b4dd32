package providertest

import (
	"encoding/json"

	"github.com/agnes-data/da/agent/provider"
)

func decodeOpenAI(raw []byte, req *Request) error {
	var in struct {
		Model        string `json:"model"`
		Max          int64  `json:"max_output_tokens"`
		Stream       bool   `json:"stream"`
		Store        *bool  `json:"store"`
		Instructions string `json:"instructions"`
		Tools        []struct {
			Type, Name, Description string
			Parameters              json.RawMessage
		} `json:"tools"`
		Input []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if err := must(in.Stream && in.Store != nil && !*in.Store && in.Model != "", "stream, store: false and model are expected"); err != nil {
		return err
	}
	req.Model, req.MaxTokens, req.System = in.Model, in.Max, in.Instructions
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, provider.Tool{Name: t.Name, About: t.Description, Schema: t.Parameters})
	}
	for _, raw := range in.Input {
		role, b, err := openaiItem(raw)
		if err != nil {
			return err
		}
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == role {
			req.Messages[n-1].Blocks = append(req.Messages[n-1].Blocks, b)
		} else {
			req.Messages = append(req.Messages, provider.Message{Role: role, Blocks: []provider.Block{b}})
		}
	}
	return paired(req.Messages)
}

func openaiItem(raw json.RawMessage) (provider.Role, provider.Block, error) {
	var it struct {
		Type      string        `json:"type"`
		Role      provider.Role `json:"role"`
		CallID    string        `json:"call_id"`
		Name      string        `json:"name"`
		Arguments *string       `json:"arguments"`
		Output    seen          `json:"output"`
		Content   []struct {
			Type, Text string
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &it); err != nil {
		return "", provider.Block{}, err
	}
	switch it.Type {
	case "message":
		kind := map[provider.Role]string{provider.User: "input_text", provider.Assistant: "output_text"}[it.Role]
		ok := len(it.Content) == 1 && it.Content[0].Type == kind
		if !ok {
			return "", provider.Block{}, must(false, "a message: %s", raw)
		}
		return it.Role, provider.Block{Text: it.Content[0].Text}, nil
	case "function_call":
		if it.Arguments == nil || it.CallID == "" {
			return "", provider.Block{}, must(false, "a call: %s", raw)
		}
		return provider.Assistant, provider.Block{Call: &provider.Call{ID: it.CallID, Name: it.Name, Arguments: *it.Arguments}}, nil
	case "function_call_output":
		return provider.User, provider.Block{Result: &provider.Result{CallID: it.CallID, Text: it.Output.text, Picture: it.Output.picture}}, nil
	case "reasoning":
		return provider.Assistant, provider.Block{Opaque: &provider.Opaque{From: provider.OpenAI, Raw: raw}}, nil
	}
	return "", provider.Block{}, must(false, "an unknown item: %s", raw)
}

func encodeOpenAI(r Reply) string {
	s := &stream{named: true}
	event := func(kind string, fields object) {
		fields["sequence_number"] = s.count
		s.event(kind, fields)
	}
	event("response.created", object{"response": object{"id": "resp_1", "status": "in_progress"}})
	if r.Strange {
		event("response.weather.delta", object{"delta": object{"sky": "clear"}})
	}
	index := 0
	item := func(it object, deltaKind, text string) {
		event("response.output_item.added", object{"output_index": index, "item": object{"type": it["type"]}})
		for _, p := range pieces(text) {
			event(deltaKind, object{"output_index": index, "delta": p})
		}
		event("response.output_item.done", object{"output_index": index, "item": it})
		index++
	}
	if r.Thinking != "" {
		item(object{"type": "reasoning", "id": "rs_1", "summary": []object{{"type": "summary_text", "text": r.Thinking}}, "encrypted_content": "aGlkZGVu"},
			"response.reasoning_summary_text.delta", r.Thinking)
	}
	if r.Text != "" {
		part := object{"type": "output_text", "text": r.Text, "annotations": []any{}}
		if r.Stop == provider.StopRefused {
			part = object{"type": "refusal", "refusal": r.Text}
		}
		item(object{"type": "message", "role": "assistant", "content": []object{part}}, "response.output_text.delta", r.Text)
	}
	if r.Overload {
		event("error", object{"code": "server_error", "message": "Overloaded"})
		return s.String()
	}
	for _, c := range r.Calls {
		item(object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Arguments}, "response.function_call_arguments.delta", c.Arguments)
	}
	res := object{"id": "resp_1", "model": "test-model", "status": "completed", "usage": object{
		"input_tokens": r.Usage.Input + r.Usage.CacheRead, "input_tokens_details": object{"cached_tokens": r.Usage.CacheRead}, "output_tokens": r.Usage.Output}}
	kind := "response.completed"
	if reason := map[provider.Stop]string{provider.StopLength: "max_output_tokens", provider.StopRefused: "content_filter", provider.StopOther: "bored"}[r.Stop]; reason != "" {
		kind, res["status"], res["incomplete_details"] = "response.incomplete", "incomplete", object{"reason": reason}
	}
	event(kind, object{"response": res})
	return s.String()
}
