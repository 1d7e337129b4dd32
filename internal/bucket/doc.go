// Package bucket reads objects of an S3-compatible store below one prefix. It
// lists them and reads parts of them, and writes nothing. What lies outside of
// the prefix cannot be named.
package bucket
