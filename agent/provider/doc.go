// Package provider talks to models: one small interface, and a thin client for
// each of three protocols: Anthropic Messages, OpenAI Responses, and Chat
// Completions as many servers implement it. It knows no tools and stores no
// conversations.
//
// # Rules
//
// The key is sent only to the base URL: redirects are not followed, and the key
// is removed from every text that comes back. Blocks that only their provider
// understands, such as thinking with its signature, are sent back to that
// provider byte for byte.
//
// The protocols were implemented from their public documentation and are tested
// only against package providertest.
package provider
