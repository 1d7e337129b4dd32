package process

// maxrssUnit is the unit, in bytes, that getrusage counts peak memory in.
const maxrssUnit = 1024
