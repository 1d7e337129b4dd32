// Package tsv writes texts as fields of tab-separated values, as linear TSV has
// it: what would end a field or a row is a backslash and a letter, so that each
// row is one line and each text can be read back. It writes neither NULL nor rows:
// these are of a format.
package tsv

// AppendEscaped adds a text to dst.
func AppendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
