package agenthttp

import (
	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
)

// ChatRequest is the body of POST /api/agent/chat and /api/agent/chat/stream.
type ChatRequest struct {
	// Message is the user's message; empty: continue a turn that has not ended.
	Message string `json:"message"`
	// Files are ids or names of files of the caller that come with the message, at most 20.
	Files []string `json:"files,omitempty"`
	// Conversation is the id of the conversation to continue; empty: a new one.
	Conversation string `json:"conversation,omitempty"`
	// After asks in a new conversation that begins with so many turns of
	// Conversation, which stays as it is; missing: in Conversation itself.
	After *int `json:"after_turn,omitempty"`
	// Budget lowers the maximum cost of the conversation; 0: the server's limit.
	Budget float64 `json:"budget,omitempty"`
	// Apply applies the model's changes to files as soon as it is done; otherwise
	// they stay in a draft.
	Apply bool `json:"apply,omitempty"`
}

// ChatReply is the answer of POST /api/agent/chat.
type ChatReply struct {
	Reply      string            `json:"reply"`  // of the model; if it has said nothing, why
	Tokens     int64             `json:"tokens"` // of the turn
	DataFrames []agent.DataFrame `json:"data_frames"`
	Charts     []agent.Chart     `json:"charts"`
	Answer     agent.Answer      `json:"answer"`
}

// ConversationRequest names a conversation.
type ConversationRequest struct {
	Conversation string `json:"conversation"`
}

// ConversationReset says which conversation was deleted.
type ConversationReset struct {
	Deleted string `json:"deleted"`
}

// ConversationTitle names a conversation.
type ConversationTitle struct {
	Conversation string `json:"conversation"`
	Title        string `json:"title"` // 1 to 200 bytes
}

// ShareConversation shares a conversation, or ends that.
type ShareConversation struct {
	Conversation string `json:"conversation"`
	Shared       bool   `json:"shared"`
}

// SharedConversation says where others find a shared conversation, and on which tables
// it rests: only who may read all of them sees it.
type SharedConversation struct {
	Conversation string   `json:"conversation"`
	Owner        string   `json:"owner"` // the part {owner} of its address
	Tables       []string `json:"tables"`
}

// TurnStopped says whether a turn was there to be stopped.
type TurnStopped struct {
	Stopped bool `json:"stopped"`
}

// ConversationList is the answer of GET /api/agent/conversations.
type ConversationList struct {
	Conversations []conversation.Info `json:"conversations"`   // the latest first
	Owner         string              `json:"owner,omitempty"` // {owner} in the addresses of shared conversations
}

// ConversationRecords is the answer of GET /api/agent/conversations/{id}.
type ConversationRecords struct {
	Info    conversation.Info     `json:"info"`
	Records []conversation.Record `json:"records"`
}

// AgentHealth is the answer of GET /api/agent/health.
type AgentHealth struct {
	Status string `json:"status"` // ok, or off if the server has no model
	Model  string `json:"model,omitempty"`
	Open   int    `json:"open"` // turns that run now, of all users
	// SpentToday is what the model has cost the caller today (UTC); missing if its
	// prices are not known. DailyBudget is the most that it may cost; missing if
	// there is no bound.
	SpentToday  *float64 `json:"spent_today,omitempty"`
	DailyBudget *float64 `json:"daily_budget,omitempty"`
	// Limits are the limits of a conversation; null if the server has no model.
	Limits *AgentLimits `json:"limits"`
}

// AgentLimits bound a conversation.
type AgentLimits struct {
	ToolCalls int      `json:"max_tool_calls"` // of a turn
	Turns     int      `json:"max_turns"`
	Tokens    int64    `json:"max_tokens"`
	Budget    *float64 `json:"budget"` // null: no limit
}

func limitsOf(l agent.Limits) *AgentLimits {
	out := &AgentLimits{ToolCalls: l.Calls, Turns: l.Turns, Tokens: l.Tokens}
	if l.Budget > 0 {
		money := float64(l.Budget) / 1e9
		out.Budget = &money
	}
	return out
}
