// Package print writes checked predicates and orders as SQL of an engine.
//
// A tree has one meaning, however it was spelled. It is printed for another engine
// only if that engine has the same meaning or can express it; otherwise it is
// rejected as not_portable.
package print
