// Package mariatest starts private MariaDB servers from the installed binaries,
// for tests and measurements. It does not depend on what the servers are used
// for, and must not be used in production.
package mariatest
