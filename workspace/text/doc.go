// Package text reads text files by lines and changes them, as streams: memory
// does not grow with the file, and what a change does not touch keeps its bytes,
// its encoding and its line ends. Lines end with LF or CRLF. The package opens no
// files and must not guess where it can know: an encoding that was guessed is
// said to be.
package text
