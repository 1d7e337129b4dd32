// Package agenthttp lets users of a server talk to a model: requests below
// /api/agent/, each with the rights, quotas and audit of its caller. It has no
// access rules of its own: the caller's data decides what a model can do, and the
// caller has already been authenticated.
//
// Each user has a folder of conversations, named by a hash of the user's name.
// Two requests for the same conversation never run at the same time.
package agenthttp
