// Package toolbox has the tools for models: typed tools over the service, the
// user's snapshots and local files, independent of any protocol.
//
// Each tool is one file: the structs for its schemas, and a function that calls
// package analyst, package table or the service. The package contains no rules
// about data, prints nothing, and never imports a door. Every answer of a tool
// counts as data, and is put between the marks of package untrusted.
package toolbox
