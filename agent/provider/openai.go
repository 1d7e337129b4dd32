package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// openai is the OpenAI Responses protocol. The provider stores nothing: its
// reasoning arrives encrypted, and is sent back with the conversation.
type openai struct {
	// plain says that the model does not support reasoning.
	plain atomic.Bool
}

func (*openai) home() string { return "https://api.openai.com/v1" }
func (*openai) path() string { return "/responses" }

func (*openai) sign(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

func (*openai) counting() (string, []string) {
	return "/responses/input_tokens", []string{"max_output_tokens", "stream", "store", "include"}
}

// adapt implements adapter: models without reasoning refuse to be asked for it.
func (o *openai) adapt(said complaint) bool {
	return strings.Contains(strings.ToLower(said.Message), "encrypted content") && !o.plain.Swap(true)
}

// body implements protocol.
func (o *openai) body(model string, req Request) object {
	out := object{
		"model": model, "stream": true, "store": false, "parallel_tool_calls": true, "max_output_tokens": req.MaxTokens,
		"input": openaiInput(req.Messages),
	}
	if req.System != "" {
		out["instructions"] = req.System
	}
	if !o.plain.Load() {
		out["include"] = []string{"reasoning.encrypted_content"}
	}
	var tools []object
	for _, t := range req.Tools {
		tools = append(tools, object{"type": "function", "name": t.Name, "description": t.About, "parameters": t.Schema, "strict": false})
	}
	if len(tools) > 0 {
		out["tools"] = tools
	}
	return out
}

// openaiInput is a conversation as a list of items.
func openaiInput(messages []Message) []any {
	items := []any{}
	for _, m := range messages {
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				items = append(items, object{"type": "function_call", "call_id": b.Call.ID, "name": b.Call.Name, "arguments": b.Call.Arguments})
			case b.Result != nil:
				var output any = b.Result.Text
				if url := b.Result.inURL(); url != "" {
					output = []object{{"type": "input_text", "text": b.Result.Text}, {"type": "input_image", "image_url": url}}
				}
				items = append(items, object{"type": "function_call_output", "call_id": b.Result.CallID, "output": output})
			case b.Opaque != nil && b.Opaque.From == OpenAI:
				items = append(items, b.Opaque.Raw)
			case b.Text != "":
				kind := "input_text"
				if m.Role == Assistant {
					kind = "output_text"
				}
				items = append(items, object{"type": "message", "role": m.Role, "content": []object{{"type": kind, "text": b.Text}}})
			}
		}
	}
	return items
}

func (o *openai) read() reader { return &openaiReader{} }

type openaiReader struct {
	reply Reply
	ended bool
}

type openaiItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

type openaiResponse struct {
	Model      string `json:"model"`
	Status     string `json:"status"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Error complaint `json:"error"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Details struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

// take implements reader.
func (r *openaiReader) take(ev event, say func(Delta)) error {
	var in struct {
		Type     string          `json:"type"`
		Delta    json.RawMessage `json:"delta"`
		Item     json.RawMessage `json:"item"`
		Response openaiResponse  `json:"response"`
		complaint
		Error complaint `json:"error"`
	}
	if string(ev.data) == "[DONE]" { // some servers end so
		return nil
	}
	if err := json.Unmarshal(ev.data, &in); err != nil {
		return cut(err)
	}
	var delta string
	_ = json.Unmarshal(in.Delta, &delta) // not every delta is a text
	switch in.Type {
	case "response.output_text.delta", "response.refusal.delta":
		say(Delta{Text: delta})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		say(Delta{Thinking: delta})
	case "response.output_item.done":
		return r.item(in.Item)
	case "response.completed", "response.incomplete":
		r.end(in.Response)
		return errEnd
	case "response.failed":
		return in.Response.Error.broken()
	case "error":
		said := in.complaint
		if in.Error.Message != "" {
			said = in.Error
		}
		return said.broken()
	default:
		if !openaiKnown(in.Type) {
			r.reply.Unknown = append(r.reply.Unknown, slices.Clone(ev.data))
		}
	}
	return nil
}

// openaiKnown reports whether an event says nothing that the finished items do
// not say again.
func openaiKnown(kind string) bool {
	switch kind {
	case "response.created", "response.in_progress", "response.queued", "response.output_item.added",
		"response.content_part.added", "response.content_part.done", "response.output_text.done", "response.output_text.annotation.added",
		"response.refusal.done", "response.function_call_arguments.delta", "response.function_call_arguments.done",
		"response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "response.reasoning_summary_text.done",
		"response.reasoning_text.done":
		return true
	}
	return false
}

// item takes a finished item.
func (r *openaiReader) item(raw json.RawMessage) error {
	var it openaiItem
	if err := json.Unmarshal(raw, &it); err != nil {
		return cut(err)
	}
	switch it.Type {
	case "message":
		for _, part := range it.Content {
			text := part.Text
			if part.Refusal != "" {
				text, r.reply.Stop, r.reply.StopDetail = part.Refusal, StopRefused, "refusal"
			}
			if text != "" {
				r.reply.Blocks = append(r.reply.Blocks, Block{Text: text})
			}
		}
	case "function_call":
		r.reply.Blocks = append(r.reply.Blocks, Block{Call: &Call{ID: it.CallID, Name: it.Name, Arguments: it.Arguments}})
	default:
		r.reply.Blocks = append(r.reply.Blocks, Block{Opaque: &Opaque{From: OpenAI, Raw: slices.Clone(raw)}})
	}
	return nil
}

// end takes the event that ends a reply.
func (r *openaiReader) end(res openaiResponse) {
	r.ended, r.reply.Model = true, res.Model
	u := res.Usage
	r.reply.Usage = Usage{Input: u.Input - u.Details.Cached, CacheRead: u.Details.Cached, Output: u.Output}
	switch reason := res.Incomplete.Reason; {
	case reason == "max_output_tokens":
		r.reply.Stop, r.reply.StopDetail = StopLength, reason
	case reason == "content_filter":
		r.reply.Stop, r.reply.StopDetail = StopRefused, reason
	case reason != "" || res.Status == "incomplete":
		r.reply.Stop, r.reply.StopDetail = StopOther, reason
	case r.reply.Stop == StopRefused:
	case len(r.reply.Calls()) > 0:
		r.reply.Stop = StopCalls
	default:
		r.reply.Stop = StopEnd
	}
}

// finish implements reader.
func (r *openaiReader) finish() (Reply, bool) { return r.reply, r.ended }
