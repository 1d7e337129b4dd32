// Package pptx reads presentations (.pptx, .pptm) as an outline and as Markdown,
// slide by slide, and changes them: text, bullets, tables, pictures and notes; it
// adds slides from layouts, moves and deletes slides.
//
// The parts that an operation does not touch stay unchanged, byte for byte: see
// ooxml. Either all operations of a call are applied, or none. Slides are counted
// from 0. The package must not render: the program that shows a slide decides
// whether a text fits its box.
package pptx
