// Package provider talks to models: one small interface, and a thin client for
// each of three protocols: Anthropic Messages, OpenAI Responses, and Chat
// Completions as many servers speak it. It knows no tool and keeps no
// conversation.
//
// # Rules
//
// The key is sent to the base URL and nowhere else: redirects are not followed,
// and it is taken out of every text that comes back. Blocks that only their
// provider understands, such as thinking with its signature, go back to that
// provider byte for byte.
//
// The protocols were implemented from their public documentation and are tested
// against package providertest only.
package provider
