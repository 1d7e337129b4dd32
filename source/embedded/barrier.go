package embedded

// Barrier ends a subquery with all rows that the caller can see. The engine
// evaluates the caller's expressions only on these rows, since they could fail on
// others and so reveal something. It works because the engine never moves a
// condition below a LIMIT. In a single filter, the engine could evaluate the
// conditions in any order.
const Barrier = " LIMIT 9223372036854775807"
