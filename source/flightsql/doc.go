// Package flightsql reads any engine that speaks Arrow Flight SQL. The instance
// names the dialect in which predicates and statements are written. The engine's
// Arrow batches are checked and passed on unchanged.
//
// The package never connects to a host that the engine names: all parts of a
// result are read over the one configured connection. It must not import another
// source.
package flightsql
