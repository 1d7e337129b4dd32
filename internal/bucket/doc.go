// Package bucket reads objects of an S3-compatible store below one prefix. It
// lists objects and reads parts of them. It writes nothing, and objects outside
// of the prefix cannot be named.
package bucket
