// Package flighttest is a Flight SQL server over DuckDB or PostgreSQL, for
// tests: it runs the SQL that it is given, in an engine that is really there, and
// answers in Arrow as the protocol has it. Nothing of the product may import it.
package flighttest
