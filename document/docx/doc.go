// Package docx reads word processing documents (.docx, .docm) as an outline and
// as Markdown, and changes them: it replaces text, even across runs, and adds
// paragraphs, headings, lists, tables and pictures in the document's own styles.
//
// The parts that an operation does not touch stay unchanged, byte for byte: see
// ooxml. Either all operations of a call are applied, or none. The package must
// not lay out pages: it knows no lines, page numbers or positions, and does not
// update fields that depend on them, such as a table of contents.
package docx
