// Package encoding detects the encoding of a text file and decodes it as a
// stream.
//
// Detection examines the whole file. Text that is valid UTF-8 to its end is
// UTF-8. Other text is judged by the words with non-ASCII bytes: it has the
// encoding in which they are likeliest, whichever language they are in. The
// package must not interpret the table in the text.
package encoding
