// Package s3test starts a private S3 server, for tests. It is a program of its
// own, which `make bin/versitygw` builds.
package s3test
