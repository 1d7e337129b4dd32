// Package reports fills templates: workbooks, documents and presentations in which
// placeholders such as {{ value: SELECT sum(sales) FROM may }} stand for what
// statements answer. It knows no engine: who asks gives it one.
//
// Fill reads all placeholders first, asks for each, and then changes the template
// in one edit, so that what fails leaves nothing, and what no placeholder is in
// stays as it is.
package reports
