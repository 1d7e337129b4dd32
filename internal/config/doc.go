// Package config reads the files that configure da: the instance file of a
// server, the client's own config, and where to look for both.
//
// Reading is strict: an unknown key, a wrong type or a value out of range is a
// fault. All faults of a file are reported together, each with its position and
// advice. The package only reads. It opens no source, has no global state, and
// accesses the environment and the home folder only through Places.
package config
