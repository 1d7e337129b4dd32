// Package bucket reads and writes objects of an S3-compatible store below one prefix.
// Objects outside of the prefix cannot be named.
package bucket
