// Package figures keeps, in the files that da writes, what their figures rest on: a
// receipt names for each figure its statement, what that read, and its caveats. It
// finds the figures again after other programs have changed and saved the file, and
// tells which of them were typed over. It runs no statement.
//
// A receipt is the same in all formats: a list of answers with the values that were
// written, and where these stand. In a workbook that is a range, held by a hidden
// name. In any other text it is a row of short hashes of the words around the
// figures, which is aligned with the words of the text as it is now.
package figures
