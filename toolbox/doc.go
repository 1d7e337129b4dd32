// Package toolbox has the tools for models: typed tools over the service, the
// user's snapshots and local files, independent of any protocol.
//
// The tools are in catalog, local and files. The package contains no rules about
// data, prints nothing, and never imports a door. Every answer of a tool counts as
// data, and is put between the marks of package untrusted.
package toolbox
