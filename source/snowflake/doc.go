// Package snowflake is the source that reads Snowflake by its Go driver, as Arrow only:
// rows of the driver would turn numbers into floats.
//
// The driver is in the binary only if it is built with the tag snowflake, since it is
// large. Without it, Open refuses and says where to find such a binary.
//
// Tables are described, and predicates on them written, in DuckDB's dialect; package
// predicate prints them for the engine.
package snowflake
