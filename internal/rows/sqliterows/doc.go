// Package sqliterows reads tables of SQLite files that other programs wrote. It runs
// its own statements only, never one of a user, and changes nothing beside the file.
//
// A column of SQLite holds values of any type, whatever is declared: the type of a
// column here is found by counting the types of its values.
package sqliterows
