// Package flightsql reads any engine that speaks Arrow Flight SQL. Predicates
// are written, and statements printed, in the dialect that the instance names;
// the engine's Arrow batches are passed on as they come, once they have been
// checked.
//
// The package never follows an engine's word to another host: all parts of a
// result are read over the one connection that is configured. It must not
// import another source.
package flightsql
