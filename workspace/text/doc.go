// Package text reads and changes text files line by line, as streams: memory use
// does not grow with the file, and the parts that a change does not touch keep
// their bytes, encoding and line ends. Lines end with LF or CRLF. The package
// opens no files. It must not guess where it can know, and it reports when it has
// guessed an encoding.
package text
