// Package config holds the example of an instance file, for people to copy, and
// the test that keeps it true. It has no code.
package config
