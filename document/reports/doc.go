// Package reports fills in templates: workbooks, documents and presentations with
// placeholders such as {{ value: SELECT sum(sales) FROM may }}, which are
// replaced by the results of statements. It knows no engine: its caller provides
// one.
//
// Fill reads all placeholders first, runs their statements, and then changes the
// template in one edit. So an error leaves no output, and everything without a
// placeholder stays unchanged.
package reports
