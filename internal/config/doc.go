// Package config reads what people write to set da up: the instance file of a
// server, the client's own config, and the places where both are looked for.
//
// Reading is strict: a key that is not known, a wrong type or a value out of
// bounds is a fault, and every fault of a file is reported at once, with its
// position and what would be right. The package only reads; it opens no
// source, holds no global state, and sees the environment and the home folder
// only through Places.
package config
