package delimited

// Dialect says how records are written in a file.
type Dialect struct {
	// Delimiter comes between fields: one or more bytes of UTF-8. Empty means
	// that a record is one field.
	Delimiter string
	// Quote may surround a field; 0 means that nothing does. A doubled quote
	// inside stands for one.
	Quote byte
	// Escape takes the meaning from the byte after it, inside and outside of
	// quotes; 0 means that there is no such byte. Where there are no quotes,
	// \t, \n and \r stand for what they usually do.
	Escape byte
	// Comment starts a line that is not a record; empty means none does.
	Comment string
	// TrimSpace says that blanks beside a delimiter belong to it.
	TrimSpace bool
	// EmptyText says that an empty field is an empty text, since the file writes
	// \N for a missing value.
	EmptyText bool
	// Columns is the number of fields that a record should have, 0 if unknown.
	// It decides between two readings of broken quoting, nothing else.
	Columns int
	// Wrapped says that each line is one quoted field that holds a whole record.
	Wrapped bool
	// LoneCR says that a CR without LF always ends a record. Else it does so
	// only where the record has as many fields as it should.
	LoneCR bool
	// KeepBlank makes a blank line a record of one empty field. It is for files
	// of one column, where a blank line is a missing value.
	KeepBlank bool
	// Skip is the number of physical lines before the first record.
	Skip int
	// Heads is the number of records at the start that name the columns. Later
	// records that equal one of them are not records: files that were put
	// together from several, or printed in pages, repeat their header.
	Heads int
	// Rulers says that lines drawn of dashes and the like are not records.
	Rulers bool
	// Cuts are where the columns of a table of fixed width start, in characters
	// from 0. The delimiter then is FieldMark, and is in no line.
	Cuts []int
	// Ends is the record separator of a file that has neither LF nor CR.
	Ends string
}
