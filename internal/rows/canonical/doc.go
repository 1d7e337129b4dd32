// Package canonical gives Arrow batches a form in which their bytes depend only
// on their rows.
//
// Arrow does not define what is under a NULL, after the last value of a buffer,
// or in parts of a list's child that no list refers to. Engines leave there
// whatever the memory contained before, which may be another user's rows. So
// every batch that leaves the process is converted by this package.
//
// In the canonical form
//
//   - every array starts at offset 0, and every buffer ends with its last value;
//   - the slot of a NULL is zero or empty, and so is everything below it: the members
//     of a NULL struct, the elements of a NULL list, the members of a union that
//     are not the row's;
//   - bits after the last row are zero, and there is no bitmap without NULLs;
//   - texts, lists and dense unions refer to their values in order and without
//     gaps; views do so in one buffer.
//
// A dictionary keeps all its values, because it belongs to the type of a column.
package canonical
