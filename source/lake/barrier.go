package lake

// barrier ends a subquery whose rows are all that the caller may know of: no
// expression of theirs is evaluated on other rows, where it could fail and so
// tell what is in them. The engine moves no condition below a LIMIT; in what
// order it evaluates conditions of one filter is its own affair.
const barrier = " LIMIT 9223372036854775807"
