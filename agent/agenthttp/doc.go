// Package agenthttp lets users of a server talk to a model: requests below
// /api/agent/, each with the rights, quotas and audit of its caller. It knows no
// rule of its own: what a model may do is what the caller's data allows, and who
// the caller is has been decided before.
//
// Each user has a folder of conversations, named by a hash of the user's name. Two
// requests for the same conversation do not run at once.
package agenthttp
