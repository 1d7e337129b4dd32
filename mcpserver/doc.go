// Package mcpserver is the door for models: typed tools of the Model Context
// Protocol over the service, the user's own snapshots and local files.
//
// Each tool is one file: the structs that its schemas are made of, and a
// function that calls package analyst, package table or the service. It must
// hold no rule about data, print nothing, and never import the command line.
// Everything that a tool answers was read from data, and goes out between the
// marks of package untrusted.
package mcpserver
