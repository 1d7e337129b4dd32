// Package pgtest starts private PostgreSQL clusters from the installed binaries,
// for tests and measurements. It does not depend on what the clusters are used
// for, and must not be used in production.
package pgtest
