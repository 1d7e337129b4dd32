// Package canonical gives Arrow batches the one form in which their bytes
// depend only on their rows.
//
// Arrow leaves open what lies under a NULL, behind the last value of a buffer,
// or in a list's child where no list points to. Engines leave there whatever
// the memory held before, which may be rows of somebody else. So every batch
// that leaves the process passes through here.
//
// In the canonical form
//
//   - every array begins at offset 0, and every buffer ends with its last value;
//   - the slot of a NULL is zero, or empty, and so is all below it: the members
//     of a NULL struct, the elements of a NULL list, the members of a union that
//     are not the row's;
//   - bits behind the last row are zero, and no bitmap is kept for no NULLs;
//   - texts, lists and dense unions refer to their values in order and without
//     gaps; views do so in one buffer.
//
// A dictionary keeps all its values: it belongs to the type of a column.
package canonical
