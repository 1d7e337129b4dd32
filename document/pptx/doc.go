// Package pptx reads presentations (.pptx, .pptm) as an outline and as Markdown,
// slide by slide, and changes them: text, bullets, tables, pictures and notes, and
// slides made from layouts, moved and deleted.
//
// What an operation does not touch stays as it was, byte for byte: see ooxml. All
// operations of a call are applied, or none. Slides are counted from 0. The package
// must not draw: whether a text fits its box, the program that shows it decides.
package pptx
