package delimited

// Dialect says how records are written in a file.
type Dialect struct {
	// Delimiter comes between fields: one or more bytes of UTF-8. Empty means
	// that a record is one field.
	Delimiter string
	// Quote can enclose a field; 0 means that no character does. Inside quotes, a
	// doubled quote is a literal one.
	Quote byte
	// Escape makes the next byte literal, inside and outside of quotes; 0 means
	// that there is no such byte. Without quotes, \t, \n and \r have their usual
	// meaning; with them, an escape before a letter or a digit is text.
	Escape byte
	// Comment starts a line that is not a record; empty: there are no comments.
	Comment string
	// TrimSpace says that blanks next to a delimiter belong to it.
	TrimSpace bool
	// EmptyText says that an empty field is an empty text, because the file
	// writes \N for a missing value.
	EmptyText bool
	// Columns is the expected number of fields in a record; 0 if unknown. It only
	// decides between two interpretations of broken quoting.
	Columns int
	// Wrapped says that each line is one quoted field that contains a whole
	// record.
	Wrapped bool
	// LoneCR says that a CR without LF always ends a record. Otherwise it does so
	// only if the record then has the expected number of fields.
	LoneCR bool
	// KeepBlank makes a blank line a record with one empty field. It is for files
	// with one column, where a blank line is a missing value.
	KeepBlank bool
	// Skip is the number of physical lines before the first record.
	Skip int
	// Heads is the number of records at the start that name the columns. Later
	// records that equal one of them are skipped, because concatenated or
	// paginated files repeat their header.
	Heads int
	// Rulers says that lines drawn of dashes and the like are not records.
	Rulers bool
	// Cuts are the start positions of fixed-width columns, in characters from 0.
	// The delimiter is then FieldMark, which occurs in no line.
	Cuts []int
	// Gap is how many blanks, at least, come between the columns of an aligned text
	// without fixed positions; 0 for other texts. With a gap, the delimiter is FieldMark.
	Gap int
	// Ends is the record separator of a file without LF and CR.
	Ends string
}
