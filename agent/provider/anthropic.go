package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// anthropic is the protocol of Anthropic Messages.
type anthropic struct{}

func (anthropic) home() string { return "https://api.anthropic.com" }
func (anthropic) path() string { return "/v1/messages" }

func (anthropic) sign(h http.Header, key string) {
	h.Set("X-Api-Key", key)
	h.Set("Anthropic-Version", "2023-06-01")
}

func (anthropic) counting() (string, []string) {
	return "/v1/messages/count_tokens", []string{"max_tokens", "stream"}
}

type object = map[string]any

// body implements protocol. The provider caches everything up to each of the two
// marks: the part before the conversation, and the conversation so far.
func (anthropic) body(model string, req Request) object {
	cached := object{"type": "ephemeral"}
	out := object{"model": model, "max_tokens": req.MaxTokens, "stream": true}
	if req.System != "" {
		out["system"] = []object{{"type": "text", "text": req.System, "cache_control": cached}}
	}
	var tools []object
	for _, t := range req.Tools {
		tools = append(tools, object{"name": t.Name, "description": t.About, "input_schema": t.Schema})
	}
	if len(tools) > 0 {
		out["tools"] = tools
	}
	messages := []object{}
	for _, m := range req.Messages {
		parts := []any{}
		for _, b := range m.Blocks {
			if part := anthropicPart(b); part != nil {
				parts = append(parts, part)
			}
		}
		if len(parts) > 0 {
			messages = append(messages, object{"role": m.Role, "content": parts})
		}
	}
	if n := len(messages); n > 0 {
		parts := messages[n-1]["content"].([]any)
		if last, ok := parts[len(parts)-1].(object); ok {
			last["cache_control"] = cached
		}
	}
	out["messages"] = messages
	return out
}

// anthropicPart is one block as the protocol has it; nil if it is of another
// provider or empty.
func anthropicPart(b Block) any {
	switch {
	case b.Call != nil:
		return object{"type": "tool_use", "id": safeID(b.Call.ID), "name": b.Call.Name, "input": argumentsObject(b.Call.Arguments)}
	case b.Result != nil:
		out := object{"type": "tool_result", "tool_use_id": safeID(b.Result.CallID), "content": b.Result.Text, "is_error": b.Result.Failed}
		if data := b.Result.inBase64(); data != "" {
			out["content"] = []object{{"type": "text", "text": b.Result.Text},
				{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": data}}}
		}
		return out
	case b.Opaque != nil && b.Opaque.From == Anthropic:
		return b.Opaque.Raw
	case strings.TrimSpace(b.Text) != "": // the protocol refuses others
		return object{"type": "text", "text": b.Text}
	}
	return nil
}

// safeID replaces the characters of an id that this protocol does not allow: the
// id may come from another provider.
func safeID(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
}

// argumentsObject returns the arguments written by a model as a JSON object, as
// this protocol requires.
func argumentsObject(text string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) == nil && fields != nil {
		return json.RawMessage(text)
	}
	raw, _ := marshal(object{"not_an_object": text}) // a string cannot fail
	return raw
}

func (anthropic) read() reader { return &anthropicReader{parts: map[int]*anthropicBlock{}} }

// anthropicBlock is a content block on its way.
type anthropicBlock struct {
	start                     object // as it was announced
	text, arguments, thinking strings.Builder
	signature                 strings.Builder
	strange                   bool // it had a delta that is not understood
}

type anthropicReader struct {
	reply Reply
	parts map[int]*anthropicBlock
	order []int
	ended bool
}

type anthropicUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// take implements reader.
func (r *anthropicReader) take(ev event, say func(Delta)) error {
	var in struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Model string         `json:"model"`
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Block object `json:"content_block"`
		Delta struct {
			Type        string `json:"type"`
			Text        string `json:"text"`
			PartialJSON string `json:"partial_json"`
			Thinking    string `json:"thinking"`
			Signature   string `json:"signature"`
			StopReason  string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
		Error complaint      `json:"error"`
	}
	if err := json.Unmarshal(ev.data, &in); err != nil {
		return cut(err)
	}
	switch in.Type {
	case "message_start":
		r.reply.Model = in.Message.Model
		r.count(in.Message.Usage)
	case "content_block_start":
		r.parts[in.Index] = &anthropicBlock{start: in.Block}
		r.order = append(r.order, in.Index)
		if text, _ := in.Block["text"].(string); text != "" {
			r.parts[in.Index].text.WriteString(text)
			say(Delta{Text: text})
		}
	case "content_block_delta":
		part := r.parts[in.Index]
		if part == nil {
			return cut(nil)
		}
		switch in.Delta.Type {
		case "text_delta":
			part.text.WriteString(in.Delta.Text)
			say(Delta{Text: in.Delta.Text})
		case "input_json_delta":
			part.arguments.WriteString(in.Delta.PartialJSON)
		case "thinking_delta":
			part.thinking.WriteString(in.Delta.Thinking)
			say(Delta{Thinking: in.Delta.Thinking})
		case "signature_delta":
			part.signature.WriteString(in.Delta.Signature)
		default:
			part.strange = true
			r.reply.Unknown = append(r.reply.Unknown, slices.Clone(ev.data))
		}
	case "message_delta":
		r.count(in.Usage)
		if in.Delta.StopReason != "" {
			r.stop(in.Delta.StopReason)
		}
	case "message_stop":
		r.ended = true
		return errEnd
	case "error":
		return in.Error.broken()
	case "content_block_stop", "ping":
	default:
		r.reply.Unknown = append(r.reply.Unknown, slices.Clone(ev.data))
	}
	return nil
}

// count stores the latest counts: each event contains the total so far.
func (r *anthropicReader) count(u anthropicUsage) {
	for _, f := range []struct {
		to   *int64
		from *int64
	}{{&r.reply.Usage.Input, u.Input}, {&r.reply.Usage.Output, u.Output}, {&r.reply.Usage.CacheRead, u.CacheRead},
		{&r.reply.Usage.CacheWrite, u.CacheWrite}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
}

func (r *anthropicReader) stop(reason string) {
	stops := map[string]Stop{
		"end_turn": StopEnd, "stop_sequence": StopEnd, "tool_use": StopCalls, "max_tokens": StopLength,
		"model_context_window_exceeded": StopLength, "refusal": StopRefused, "pause_turn": StopPaused,
	}
	r.reply.Stop, r.reply.StopDetail = StopOther, reason
	if s, ok := stops[reason]; ok {
		r.reply.Stop = s
	}
}

// finish implements reader.
func (r *anthropicReader) finish() (Reply, bool) {
	r.reply.Blocks = nil
	for _, i := range r.order {
		if b, ok := r.parts[i].block(); ok {
			r.reply.Blocks = append(r.reply.Blocks, b)
		}
	}
	return r.reply, r.ended && r.reply.Stop != ""
}

// block is a finished block; false: it is empty, or was not understood so far
// that it could be sent back.
func (b *anthropicBlock) block() (Block, bool) {
	switch kind, _ := b.start["type"].(string); kind {
	case "text":
		return Block{Text: b.text.String()}, b.text.Len() > 0
	case "tool_use":
		id, _ := b.start["id"].(string)
		name, _ := b.start["name"].(string)
		arguments := b.arguments.String()
		if arguments == "" {
			raw, _ := marshal(b.start["input"]) // it came as JSON
			arguments = string(raw)
		}
		return Block{Call: &Call{ID: id, Name: name, Arguments: arguments}}, true
	case "thinking":
		if b.thinking.Len() > 0 || b.signature.Len() > 0 {
			b.start["thinking"], b.start["signature"] = b.thinking.String(), b.signature.String()
		}
	}
	raw, err := marshal(b.start)
	return Block{Opaque: &Opaque{From: Anthropic, Raw: raw}}, err == nil && !b.strange
}
