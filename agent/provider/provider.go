package provider

import (
	"context"
	"encoding/base64"
	"encoding/json"
)

// Kind names a protocol.
type Kind string

// The protocols.
const (
	Anthropic  Kind = "anthropic"  // Anthropic Messages
	OpenAI     Kind = "openai"     // OpenAI Responses
	Compatible Kind = "compatible" // Chat Completions, as Ollama, vLLM, llama.cpp and others speak it
)

// Kinds lists the protocols.
var Kinds = []Kind{Anthropic, OpenAI, Compatible}

// Provider sends requests to one model. It can be used concurrently.
type Provider interface {
	// Send asks the model and returns the complete reply. say, if not nil, is
	// called by the calling goroutine with each piece that arrives. Requests with
	// temporary failures are retried. Errors are *api.Error.
	Send(ctx context.Context, req Request, say func(Delta)) (Reply, error)
	// Count returns how many tokens the request has by the provider's own tokenizer,
	// which costs nothing. It returns 0 if the provider does not count, or not now.
	Count(ctx context.Context, req Request) int64
}

// Request is a request to a model.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool
	// MaxTokens bounds the reply, thinking included.
	MaxTokens int64
}

// Tool is a function that the model can call. Schema is the JSON schema of its
// arguments, an object.
type Tool struct {
	Name   string          `json:"name"`
	About  string          `json:"about"`
	Schema json.RawMessage `json:"schema"`
}

// Role says whose message it is.
type Role string

// The roles. Results of tools are the user's.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// Block is a part of a message: exactly one of its fields is set.
type Block struct {
	Text   string  `json:"text,omitempty"`
	Call   *Call   `json:"call,omitempty"`
	Result *Result `json:"result,omitempty"`
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Call is a tool call of the model.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are as the model wrote them, which need not be JSON.
	Arguments string `json:"arguments"`
}

// Result is the answer to a call.
type Result struct {
	CallID string `json:"call_id"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
	// Picture is a PNG that the answer shows; it is sent only with PNG.
	Picture *Picture `json:"picture,omitempty"`
}

// Picture is a PNG of a conversation. ID names it there.
type Picture struct {
	ID  string `json:"id"`
	PNG []byte `json:"-"`
}

// inBase64 returns the picture of a result as providers take it; "" without one.
func (r *Result) inBase64() string {
	if r.Picture == nil || len(r.Picture.PNG) == 0 {
		return ""
	}
	return base64.StdEncoding.EncodeToString(r.Picture.PNG)
}

// inURL is inBase64 as an address; "" without a picture.
func (r *Result) inURL() string {
	if data := r.inBase64(); data != "" {
		return "data:image/png;base64," + data
	}
	return ""
}

// Opaque is a part that only its provider understands, such as thinking. It is
// not sent to other providers.
type Opaque struct {
	From Kind            `json:"from"`
	Raw  json.RawMessage `json:"raw"`
}

// Delta is a piece of a reply on its way.
type Delta struct {
	Text     string
	Thinking string
	// Again says that the reply broke off and starts over: ignore its pieces so
	// far. Why gives the reason in a few words.
	Again bool
	Why   string
	// Begun says that the provider had started to answer, and so may charge for
	// the request.
	Begun bool
}

// Stop says why a reply ended.
type Stop string

// The reasons.
const (
	StopEnd     Stop = "end"     // the model is done
	StopCalls   Stop = "calls"   // it waits for results of its calls
	StopLength  Stop = "length"  // MaxTokens, or the model's own bound, cut the reply
	StopRefused Stop = "refused" // the model or its provider declines
	StopPaused  Stop = "paused"  // the provider asks to send the conversation again to continue
	StopOther   Stop = "other"   // see Reply.StopDetail
)

// Reply is the answer of a model.
type Reply struct {
	Blocks []Block `json:"blocks"`
	Stop   Stop    `json:"stop"`
	// StopDetail is the provider's own word for it.
	StopDetail string `json:"stop_detail,omitempty"`
	Usage      Usage  `json:"usage"`
	// Model is the model that answered, as the provider calls it.
	Model string `json:"model,omitempty"`
	// Unknown are events that this package does not understand.
	Unknown []json.RawMessage `json:"unknown,omitempty"`
}

// Text returns the text of the reply: all text blocks joined.
func (r Reply) Text() string {
	text := ""
	for _, b := range r.Blocks {
		text += b.Text
	}
	return text
}

// Calls returns the calls of the reply, in order.
func (r Reply) Calls() []Call {
	var calls []Call
	for _, b := range r.Blocks {
		if b.Call != nil {
			calls = append(calls, *b.Call)
		}
	}
	return calls
}

// Usage counts the tokens of a reply.
type Usage struct {
	// Input counts the tokens of the request that were not cached; CacheRead and
	// CacheWrite those read from and written to a cache.
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_tokens,omitempty"`
	CacheWrite int64 `json:"cache_write_tokens,omitempty"`
	Output     int64 `json:"output_tokens"`
	// Estimated says that the provider did not count. The counts are then bytes,
	// which is an upper bound.
	Estimated bool `json:"estimated,omitempty"`
}

// mostTokens is more than any reply and its request can have.
const mostTokens = 1 << 32

// Possible reports whether the counts can be right. Those below 0, or so large that
// their cost overflows, would give back what was spent.
func (u Usage) Possible() bool {
	for _, n := range []int64{u.Input, u.CacheRead, u.CacheWrite, u.Output} {
		if n < 0 || n > mostTokens {
			return false
		}
	}
	return true
}

// Total is the sum of all tokens.
func (u Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Sent is the size of the request.
func (u Usage) Sent() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Output + v.Output, u.Estimated || v.Estimated}
}
