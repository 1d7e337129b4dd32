// Package docx reads documents of word processors (.docx, .docm) as an outline and
// as Markdown, and changes them: text replaced across runs, and paragraphs,
// headings, lists, tables and pictures added in the document's own styles.
//
// What an operation does not touch stays as it was, byte for byte: see ooxml. All
// operations of a call are applied, or none. The package must not lay out pages:
// it knows of no lines, page numbers or positions, and it does not bring fields up
// to date that are made of them, such as a table of contents.
package docx
