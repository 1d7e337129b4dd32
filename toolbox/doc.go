// Package toolbox holds what a model can do: typed tools over the service, the
// user's own snapshots and local files, free of any protocol.
//
// Each tool is one file: the structs that its schemas are made of, and a
// function that calls package analyst, package table or the service. It must
// hold no rule about data, print nothing, and never import a door.
// Everything that a tool answers was read from data, and goes out between the
// marks of package untrusted.
package toolbox
