package pdf

// Unshaped is for tests.
var Unshaped = unshaped
