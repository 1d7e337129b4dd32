// Package encoding tells how the text of a file is encoded and decodes it as a
// stream.
//
// Detection looks at the whole file: text that is valid UTF-8 to its end is
// UTF-8, text that is not is judged by the lines that hold the evidence, by
// two detectors and by what the decoded letters look like. It must not look at
// the table in the text.
package encoding
