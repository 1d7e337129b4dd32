// Package spark reads tables of Apache Spark, and of what else speaks Spark Connect,
// such as Databricks and Sail. A scan is a plan of typed relations and expressions,
// made from the predicate's tree; no text is sent that an engine parses, but for
// quoted names. It must not import another source.
//
// SQL warehouses of Databricks do not speak that: they are sent statements over HTTP, with
// predicates that were understood and printed anew (warehouse*.go).
//
// Of the protocol it writes and reads the few messages that it needs itself, by the
// numbers that their fields have in the .proto files of Spark's spark-connect jar
// (4.1.4): the code that protoc makes of them is twenty times as long.
package spark
