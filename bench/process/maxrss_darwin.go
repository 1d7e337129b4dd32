package main

// maxrssUnit is what getrusage counts peak memory in.
const maxrssUnit = 1
